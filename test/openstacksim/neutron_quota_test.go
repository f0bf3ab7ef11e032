package openstacksim

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/quotas"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
)

func TestNetworkQuotas(t *testing.T) {
	c := start(t)
	neutron, project, two := c.neutron(), c.sim.ProjectID(Project), 2
	_, err := quotas.Update(t.Context(), neutron, project, quotas.UpdateOpts{Network: &two}).Extract()
	wantCode(t, err, http.StatusForbidden, "rule:update_quota is disallowed by policy")
	_, err = quotas.Get(t.Context(), neutron, c.sim.ProjectID("admin")).Extract()
	wantCode(t, err, http.StatusForbidden, "rule:get_quota is disallowed by policy")

	c.sim.AddOperator("root", "secret")
	admin := must(openstack.NewNetworkV2(c.provider("admin", "root", "secret"), gophercloud.EndpointOpts{}))(t)
	if got := must(quotas.Update(t.Context(), admin, project, quotas.UpdateOpts{Network: &two}).Extract())(t); got.Network != 2 || got.Port != -1 {
		t.Errorf("quota: %+v", got)
	}
	for range 2 {
		c.create("network", body{})
	}
	_, err = networks.Create(t.Context(), neutron, networks.CreateOpts{}).Extract()
	wantCode(t, err, http.StatusConflict, `"type":"OverQuota"`)
	if got := must(quotas.GetDetail(t.Context(), neutron, project).Extract())(t).Network; got.Limit != 2 || got.Used != 2 {
		t.Errorf("networks: %+v", got)
	}
	c.login("admin", "root", "secret")
	path := neutronURL + "/quotas/" + project
	c.refused(http.StatusBadRequest, "Quota limit 1 for network must be greater than or equal to already used 2", "PUT", path,
		body{"quota": body{"network": 1, "check_limit": true}})
	c.refused(http.StatusBadRequest, "Unrecognized attribute(s) 'colour'", "PUT", path, body{"quota": body{"colour": 1}})
	if err := quotas.Delete(t.Context(), admin, project).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, quotas.Delete(t.Context(), admin, project).ExtractErr(), http.StatusNotFound, "TenantQuotaNotFound")
	must(networks.Create(t.Context(), neutron, networks.CreateOpts{}).Extract())(t)
}

func TestARefusedListLeavesNothing(t *testing.T) {
	c := start(t)
	network := c.create("network", body{"name": "n"})
	c.sim.SetQuota("subnet", 1)
	c.sim.SetQuota("security_group", 2) // one is the default group
	subnet := func(cidr string) body { return body{"network_id": network, "ip_version": 4, "cidr": cidr} }
	c.refused(http.StatusConflict, "OverQuota", "POST", neutronURL+"/subnets", body{"subnets": []body{subnet("10.1.0.0/24"), subnet("10.2.0.0/24")}})
	c.refused(http.StatusConflict, "OverQuota", "POST", neutronURL+"/security-groups", body{"security_groups": []body{{"name": "a"}, {"name": "b"}}})
	if n := c.sim.Networks("n")[0]; len(n.Subnets) > 0 {
		t.Errorf("subnets of the network: %v", n.Subnets)
	}
	must(subnets.Create(t.Context(), c.neutron(), subnets.CreateOpts{NetworkID: network, IPVersion: 4, CIDR: "10.1.0.0/24"}).Extract())(t)
	c.want(http.StatusNoContent, "DELETE", neutronURL+"/networks/"+network, nil, "")
	c.sim.WantNothingLeft(t)
}

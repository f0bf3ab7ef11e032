package openstacksim

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/quotasets"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
)

func TestLimitsByMicroversion(t *testing.T) {
	c := start(t)
	c.sim.SetQuota("instances", 1)
	for minor, imageMeta := range map[int]any{38: 128.0, 39: nil} {
		c.minor = minor
		got := c.want(http.StatusOK, "GET", novaURL+"/limits", nil, "limits")["absolute"].(body)
		if got["maxTotalInstances"] != 1.0 || got["totalInstancesUsed"] != 0.0 || got["maxTotalRAMSize"] != -1.0 || got["maxImageMeta"] != imageMeta {
			t.Errorf("limits in 2.%d: %v", minor, got)
		}
	}
}

func TestComputeQuotas(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	c.server("m0", c.create("port", body{"network_id": network}))
	project := c.sim.ProjectID(Project)
	mine := novaURL + "/os-quota-sets/" + project
	c.refused(http.StatusForbidden, "Policy doesn't allow os_compute_api:os-quota-sets:update", "PUT", mine, body{"quota_set": body{"cores": 1}})
	c.refused(http.StatusForbidden, "os-quota-sets:show", "GET", novaURL+"/os-quota-sets/"+c.sim.ProjectID("admin"), nil)

	c.sim.AddOperator("root", "secret")
	c.login("admin", "root", "secret")
	c.refused(http.StatusBadRequest, "Quota limit 0 for cores must be greater than or equal to already used and reserved 1.",
		"PUT", mine, body{"quota_set": body{"cores": 0}})
	c.refused(http.StatusBadRequest, "not a valid project", "PUT", novaURL+"/os-quota-sets/x", body{"quota_set": body{"cores": 9}})
	c.refused(http.StatusBadRequest, "fixed_ips", "PUT", mine, body{"quota_set": body{"fixed_ips": 9}})
	if set := c.want(http.StatusOK, "PUT", mine, body{"quota_set": body{"cores": 1, "instances": 1, "force": true}}, "quota_set"); set["cores"] != 1.0 || set["ram"] != -1.0 {
		t.Errorf("quota set: %v", set)
	}

	c.login(Project, User, Password)
	detail := c.want(http.StatusOK, "GET", mine+"/detail", nil, "quota_set")
	if got := detail["cores"].(body); got["limit"] != 1.0 || got["in_use"] != 1.0 || detail["fixed_ips"] != nil {
		t.Errorf("quota with usage: %v", detail)
	}
	c.refused(http.StatusForbidden, "Quota exceeded for cores, instances: Requested 1, 1, but already used 1, 1 of 1, 1 cores, instances",
		"POST", novaURL+"/servers", body{"server": body{"name": "m1", "flavorRef": "1", "imageRef": c.sim.Images("node")[0].ID, "networks": "none"}})

	c.login("admin", "root", "secret")
	c.want(http.StatusAccepted, "DELETE", mine, nil, "")
	if set := c.want(http.StatusOK, "GET", mine, nil, "quota_set"); set["cores"] != -1.0 || set["id"] != project {
		t.Errorf("quota set after it was reset: %v", set)
	}
	c.minor = 35
	if set := c.want(http.StatusOK, "GET", mine+"/defaults", nil, "quota_set"); set["fixed_ips"] != -1.0 || set["metadata_items"] != 128.0 {
		t.Errorf("defaults before 2.36: %v", set)
	}
}

func TestComputeQuotaAsAProjectMeetsIt(t *testing.T) {
	c := start(t)
	project, one := c.sim.ProjectID(Project), 1
	c.sim.AddOperator("root", "secret")
	admin := must(openstack.NewComputeV2(c.provider("admin", "root", "secret"), gophercloud.EndpointOpts{}))(t)
	if q := must(quotasets.Update(t.Context(), admin, project, quotasets.UpdateOpts{Instances: &one}).Extract())(t); q.Instances != 1 || q.Cores != -1 {
		t.Errorf("quota: %+v", q)
	}
	nova := c.nova("79")
	create := func() error {
		_, err := servers.Create(t.Context(), nova, servers.CreateOpts{Name: "m0", FlavorRef: "1", ImageRef: c.sim.Images("node")[0].ID,
			Networks: "none"}, nil).Extract()
		return err
	}
	if err := create(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, create(), http.StatusForbidden, "Quota exceeded for instances: Requested 1, but already used 1 of 1 instances")
	if q := must(quotasets.GetDetail(t.Context(), nova, project).Extract())(t); q.Instances.Limit != 1 || q.Instances.InUse != 1 {
		t.Errorf("quota with usage: %+v", q.Instances)
	}
	if err := quotasets.Delete(t.Context(), admin, project).Err; err != nil {
		t.Fatal(err)
	}
	if err := create(); err != nil {
		t.Error(err)
	}
}

package openstacksim

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/rules"
)

func TestRulesInOneRequest(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	group := must(groups.Create(t.Context(), neutron, groups.CreateOpts{Name: "g"}).Extract())(t)
	port := func(number int) rules.CreateOpts {
		return rules.CreateOpts{SecGroupID: group.ID, Direction: rules.DirIngress, EtherType: rules.EtherType4, Protocol: rules.ProtocolTCP,
			PortRangeMin: number, PortRangeMax: number}
	}
	create := func(opts ...rules.CreateOpts) error {
		_, err := rules.CreateBulk(t.Context(), neutron, opts).Extract()
		return err
	}
	have := func() int { return len(must(groups.Get(t.Context(), neutron, group.ID).Extract())(t).Rules) }
	if err := create(port(22), port(6443)); err != nil {
		t.Fatal(err)
	}
	if got := have(); got != 4 { // the two that let all out, too
		t.Errorf("%d rules, want 4", got)
	}
	wantCode(t, create(port(80), port(22)), http.StatusConflict, `"type":"SecurityGroupRuleExists"`)
	wantCode(t, create(port(80), port(80)), http.StatusConflict, `"type":"DuplicateSecurityGroupRuleInPost"`)
	c.sim.SetQuota("security_group_rule", 9) // four are of the default group
	wantCode(t, create(port(80), port(443)), http.StatusConflict, `"type":"OverQuota"`)
	if got := have(); got != 4 {
		t.Errorf("%d rules, want 4: a list is created as a whole or not at all", got)
	}
	if err := create(port(80)); err != nil {
		t.Error(err)
	}
}

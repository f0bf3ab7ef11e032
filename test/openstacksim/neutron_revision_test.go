package openstacksim

import (
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/attributestags"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/rules"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
)

func TestChangesOfWhatWasSeen(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	id := c.create("port", body{"network_id": c.create("network", body{}), "name": "old"})
	seen := must(ports.Get(t.Context(), neutron, id).Extract())(t).RevisionNumber
	rename := func(name string, revision int) (*ports.Port, error) {
		return ports.Update(t.Context(), neutron, id, ports.UpdateOpts{Name: &name, RevisionNumber: &revision}).Extract()
	}
	c.advance(time.Minute)
	changed := must(rename("new", seen))(t)
	if changed.RevisionNumber != seen+1 || !changed.UpdatedAt.After(changed.CreatedAt) {
		t.Errorf("changed: %+v", changed)
	}
	_, err := rename("newer", seen)
	wantCode(t, err, http.StatusPreconditionFailed, "Constrained to 1, but current revision is 2")
	if p := c.sim.Ports("new"); len(p) != 1 {
		t.Error("a change that was refused was made")
	}
}

func TestPartsReviseTheWhole(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	network, subnet, router := c.network()
	group := c.create("security_group", body{"name": "g"})
	revisions := func() [3]int {
		return [3]int{
			must(networks.Get(t.Context(), neutron, network).Extract())(t).RevisionNumber,
			must(routers.Get(t.Context(), neutron, router).Extract())(t).RevisionNumber,
			must(groups.Get(t.Context(), neutron, group).Extract())(t).RevisionNumber,
		}
	}
	before := revisions()
	c.want(http.StatusOK, "PUT", neutronURL+"/subnets/"+subnet, body{"subnet": body{"name": "new"}}, "")
	must(routers.RemoveInterface(t.Context(), neutron, router, routers.RemoveInterfaceOpts{SubnetID: subnet}).Extract())(t)
	must(rules.Create(t.Context(), neutron, rules.CreateOpts{SecGroupID: group, Direction: rules.DirIngress, EtherType: rules.EtherType4}).Extract())(t)
	after := revisions()
	for i, what := range []string{"a subnet its network", "an interface its router", "a rule its group"} {
		if after[i] != before[i]+1 {
			t.Errorf("%s: revision %d, was %d", what, after[i], before[i])
		}
	}
}

func TestTagsOfNetworks(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	for _, name := range []string{"a", "b", "c"} {
		id := c.create("network", body{"name": name})
		must(attributestags.ReplaceAll(t.Context(), neutron, "networks", id, attributestags.ReplaceAllOpts{Tags: []string{"all", name}}).Extract())(t)
		_, err := attributestags.ReplaceAll(t.Context(), neutron, "networks", id, attributestags.ReplaceAllOpts{Tags: []string{"x", "x"}}).Extract()
		wantCode(t, err, http.StatusBadRequest, "Duplicate items in the list: 'x'")
	}
	for _, tc := range []struct {
		why  string
		opts networks.ListOpts
		want int
	}{
		{"all of them", networks.ListOpts{Tags: "all,a"}, 1},
		{"any of them", networks.ListOpts{TagsAny: "a,b"}, 2},
		{"not all of them", networks.ListOpts{NotTags: "all,a"}, 3}, // public, too
		{"none of them", networks.ListOpts{NotTagsAny: "all"}, 1},
	} {
		pages := must(networks.List(neutron, tc.opts).AllPages(t.Context()))(t)
		if got := must(networks.ExtractNetworks(pages))(t); len(got) != tc.want {
			t.Errorf("%s: %d networks, want %d", tc.why, len(got), tc.want)
		}
	}
}

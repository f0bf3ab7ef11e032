package openstacksim

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/subnetpools"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
)

func TestSubnetsFromAPool(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	pool := must(subnetpools.Create(t.Context(), neutron, subnetpools.CreateOpts{
		Name: "p", Prefixes: []string{"10.8.0.0/23"}, MinPrefixLen: 24, MaxPrefixLen: 26, DefaultPrefixLen: 26}).Extract())(t)
	if pool.MinPrefixLen != 24 || pool.DefaultPrefixLen != 26 || pool.IPversion != 4 {
		t.Errorf("pool: %+v", pool)
	}
	made := 0
	create := func(opts subnets.CreateOpts) (*subnets.Subnet, error) {
		made++
		opts.NetworkID = must(networks.Create(t.Context(), neutron, networks.CreateOpts{Name: fmt.Sprint("n", made)}).Extract())(t).ID
		opts.IPVersion, opts.SubnetPoolID = 4, pool.ID
		return subnets.Create(t.Context(), neutron, opts).Extract()
	}
	var ids []string
	for _, step := range []struct {
		why  string
		opts subnets.CreateOpts
		cidr string
	}{
		{"the default length", subnets.CreateOpts{}, "10.8.0.0/26"},
		{"one by name", subnets.CreateOpts{CIDR: "10.8.0.128/26"}, "10.8.0.128/26"},
		{"a length, in the smallest part that has room", subnets.CreateOpts{Prefixlen: 26}, "10.8.0.64/26"},
		{"a longer one", subnets.CreateOpts{Prefixlen: 24}, "10.8.1.0/24"},
	} {
		s := must(create(step.opts))(t)
		if s.CIDR != step.cidr || s.SubnetPoolID != pool.ID || s.GatewayIP == "" || len(s.AllocationPools) != 1 {
			t.Errorf("%s: %+v, want %s", step.why, s, step.cidr)
		}
		ids = append(ids, s.ID)
	}
	for _, tc := range []struct {
		why, contains string
		opts          subnets.CreateOpts
		status        int
	}{
		{"no room", "Insufficient prefix space to allocate subnet size /24.", subnets.CreateOpts{Prefixlen: 24}, http.StatusInternalServerError},
		{"taken", "Cannot allocate requested subnet", subnets.CreateOpts{CIDR: "10.8.1.0/24"}, http.StatusInternalServerError},
		{"too long", "maximum allowed prefix is 26", subnets.CreateOpts{Prefixlen: 27}, http.StatusBadRequest},
		{"too short", "minimum allowed prefix is 24", subnets.CreateOpts{Prefixlen: 23}, http.StatusBadRequest},
		{"both", "must not be supplied together", subnets.CreateOpts{CIDR: "10.8.0.192/26", Prefixlen: 26}, http.StatusBadRequest},
		{"pools without a prefix", "allocation_pools allowed only",
			subnets.CreateOpts{AllocationPools: []subnets.AllocationPool{{Start: "10.8.0.2", End: "10.8.0.3"}}}, http.StatusBadRequest},
	} {
		_, err := create(tc.opts)
		wantCode(t, err, tc.status, tc.contains)
	}
	wantCode(t, subnetpools.Delete(t.Context(), neutron, pool.ID).ExtractErr(), http.StatusBadRequest, "Subnet pool has existing allocations")
	for _, id := range ids {
		done(t, subnets.Delete(t.Context(), neutron, id).ExtractErr())
	}
	if s := must(create(subnets.CreateOpts{Prefixlen: 24}))(t); s.CIDR != "10.8.0.0/24" {
		t.Errorf("all is free again, got %s", s.CIDR)
	}
}

func TestSubnetPoolsThatAreRefused(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	for _, tc := range []struct {
		why, contains string
		opts          subnetpools.CreateOpts
		status        int
	}{
		{"no prefix", "Empty subnet pool prefix list", subnetpools.CreateOpts{Name: "p", Prefixes: []string{}}, http.StatusBadRequest},
		{"two versions", "Cannot mix IPv4 and IPv6", subnetpools.CreateOpts{Name: "p", Prefixes: []string{"10.0.0.0/8", "fd00::/48"}}, http.StatusBadRequest},
		{"bounds", "min_prefixlen=28, max_prefixlen=26",
			subnetpools.CreateOpts{Name: "p", Prefixes: []string{"10.0.0.0/8"}, MinPrefixLen: 28, MaxPrefixLen: 26}, http.StatusBadRequest},
		{"for operators", "disallowed by policy", subnetpools.CreateOpts{Name: "p", Prefixes: []string{"10.0.0.0/8"}, Shared: true}, http.StatusForbidden},
	} {
		_, err := subnetpools.Create(t.Context(), neutron, tc.opts).Extract()
		wantCode(t, err, tc.status, tc.contains)
	}
	pool := must(subnetpools.Create(t.Context(), neutron, subnetpools.CreateOpts{
		Name: "p", Prefixes: []string{"10.8.0.0/16"}, DefaultQuota: 512}).Extract())(t)
	network := c.create("network", body{})
	create := func(opts subnets.CreateOpts) error {
		opts.NetworkID, opts.IPVersion = network, 4
		_, err := subnets.Create(t.Context(), neutron, opts).Extract()
		return err
	}
	// The default length is the least one, a /8: more than the quota, and the pool.
	wantCode(t, create(subnets.CreateOpts{SubnetPoolID: pool.ID}), http.StatusConflict, "SubnetPoolQuotaExceeded")
	if err := create(subnets.CreateOpts{SubnetPoolID: pool.ID, Prefixlen: 24}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, create(subnets.CreateOpts{CIDR: "10.9.0.0/24"}), http.StatusBadRequest, "NetworkSubnetPoolAffinityError")
	wantCode(t, create(subnets.CreateOpts{SubnetPoolID: "nothing"}), http.StatusNotFound, "SubnetPoolNotFound")
	_, err := subnetpools.Update(t.Context(), neutron, pool.ID, subnetpools.UpdateOpts{Prefixes: []string{"10.8.0.0/17"}}).Extract()
	wantCode(t, err, http.StatusBadRequest, "Existing prefixes must be a subset of the new prefixes")
	more := must(subnetpools.Update(t.Context(), neutron, pool.ID, subnetpools.UpdateOpts{Prefixes: []string{"10.8.0.0/15"}}).Extract())(t)
	if more.Prefixes[0] != "10.8.0.0/15" {
		t.Errorf("pool: %+v", more)
	}
}

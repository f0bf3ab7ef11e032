package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
)

// subnetFromPool gives a subnet its prefix if it asks a subnet pool for one
// (neutron/db/db_base_plugin_v2.py, _create_subnet_precommit and _get_subnetpool_id).
func (c *Cloud) subnetFromPool(q *request, s *Subnet, n *Network, raw json.RawMessage) error {
	var want struct {
		PrefixLen  int  `json:"prefixlen"`
		UseDefault bool `json:"use_default_subnetpool"`
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		return refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input: %v", err)
	}
	if s.CIDR != "" && want.PrefixLen != 0 {
		return badSubnet("cidr and prefixlen must not be supplied together")
	}
	pool, err := c.poolOf(q, s, want.UseDefault)
	if err != nil {
		return err
	}
	if err := c.checkAffinity(n, s, pool); err != nil || pool == nil {
		return err
	}
	switch {
	case s.CIDR == "" && len(s.AllocationPools) > 0:
		return badSubnet("allocation_pools allowed only for specific subnet requests.")
	case s.IPVersion != 0 && s.IPVersion != pool.IPVersion:
		return refuse(http.StatusBadRequest, "BadRequest", "Bad subnets request: Cannot allocate IPv%d subnet from IPv%d subnet pool.",
			s.IPVersion, pool.IPVersion)
	}
	prefix, err := c.carve(q, pool, s.CIDR, cmp.Or(want.PrefixLen, pool.DefaultPrefixLen))
	if err != nil {
		return err
	}
	s.CIDR, s.IPVersion, s.SubnetPoolID = prefix.String(), pool.IPVersion, &pool.ID
	return nil
}

func badSubnet(reason string) error {
	return refuse(http.StatusBadRequest, "BadRequest", "Bad subnets request: %s.", reason)
}

// poolOf is the pool that a subnet asks for; nil if it has a prefix of its own.
func (c *Cloud) poolOf(q *request, s *Subnet, useDefault bool) (*SubnetPool, error) {
	named := s.SubnetPoolID != nil && *s.SubnetPoolID != ""
	switch {
	case named && useDefault:
		return nil, badSubnet("subnetpool_id and use_default_subnetpool cannot both be specified")
	case named:
		p, ok := c.network.pools.get(*s.SubnetPoolID)
		if !ok || !c.sees(q, p) {
			return nil, refuse(http.StatusNotFound, "SubnetPoolNotFound", "Subnet pool %s could not be found.", *s.SubnetPoolID)
		}
		return p, nil
	case useDefault:
		return c.defaultPool(q, s.IPVersion)
	case s.CIDR == "":
		return nil, badSubnet("a subnetpool must be specified in the absence of a cidr")
	}
	s.SubnetPoolID = nil
	return nil, nil
}

// defaultPool is neutron/db/db_base_plugin_v2.py, get_default_subnetpool.
func (c *Cloud) defaultPool(q *request, version int) (*SubnetPool, error) {
	for _, p := range c.network.pools.rows {
		if p.IsDefault && p.IPVersion == version && c.sees(q, p) {
			return p, nil
		}
	}
	return nil, refuse(http.StatusBadRequest, "BadRequest", "Bad subnets request: No default subnetpool found for IPv%d.", version)
}

// checkAffinity is neutron/db/ipam_backend_mixin.py, _validate_network_subnetpools:
// the subnets of a network that are of one IP version are of one pool, or of none.
func (c *Cloud) checkAffinity(n *Network, s *Subnet, pool *SubnetPool) error {
	id, version := "", s.IPVersion
	if pool != nil {
		id, version = pool.ID, pool.IPVersion
	}
	for _, other := range n.Subnets {
		if o, _ := c.network.subnets.get(other); o.IPVersion == version && text(o.SubnetPoolID) != id {
			return refuse(http.StatusBadRequest, "NetworkSubnetPoolAffinityError",
				"Subnets hosted on the same network must be allocated from the same subnet pool.")
		}
	}
	return nil
}

// carve takes a prefix out of what is left of a pool: the one that is named, or
// the first in the smallest part that it fits into. A pool without room is an
// error 500: SubnetAllocationError is not in the table of faults
// (neutron/ipam/subnet_alloc.py, allocate_subnet; neutron_lib/api/faults.py).
func (c *Cloud) carve(q *request, p *SubnetPool, cidr string, length int) (netip.Prefix, error) {
	want, err := netip.ParsePrefix(cidr)
	if cidr != "" {
		if err != nil {
			return want, refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input for cidr. Reason: '%s' is not a valid IP subnet.", cidr)
		}
		want, length = want.Masked(), want.Bits()
	}
	if err := c.checkLength(q, p, length); err != nil {
		return want, err
	}
	parts := c.freePrefixes(p)
	for _, part := range parts {
		switch {
		case cidr == "" && length >= part.Bits():
			return netip.PrefixFrom(part.Addr(), length), nil
		case cidr != "" && part.Bits() <= length && part.Contains(want.Addr()):
			return want, nil
		}
	}
	if cidr != "" {
		return want, refuse(http.StatusInternalServerError, "SubnetAllocationError",
			"Failed to allocate subnet: Cannot allocate requested subnet from the available set of prefixes.")
	}
	return want, refuse(http.StatusInternalServerError, "SubnetAllocationError",
		"Failed to allocate subnet: Insufficient prefix space to allocate subnet size /%d.", length)
}

// checkLength is subnet_alloc.py, allocate_subnet and _check_subnetpool_tenant_quota:
// a quota counts addresses of IPv4 and /64 of IPv6.
func (c *Cloud) checkLength(q *request, p *SubnetPool, length int) error {
	if length > p.MaxPrefixLen {
		return refuse(http.StatusBadRequest, "MaxPrefixSubnetAllocationError",
			"Unable to allocate subnet with prefix length %d, maximum allowed prefix is %d.", length, p.MaxPrefixLen)
	}
	if length < p.MinPrefixLen {
		return refuse(http.StatusBadRequest, "MinPrefixSubnetAllocationError",
			"Unable to allocate subnet with prefix length %d, minimum allowed prefix is %d.", length, p.MinPrefixLen)
	}
	if p.DefaultQuota == nil || *p.DefaultQuota == 0 {
		return nil
	}
	unit := map[int]int{4: 32, 6: 64}[p.IPVersion]
	size := func(bits int) int { return 1 << max(0, unit-bits) }
	used := size(length)
	for _, s := range c.subnetsOf(p) {
		if s.ProjectID == q.project {
			used += size(netip.MustParsePrefix(s.CIDR).Bits())
		}
	}
	if used > *p.DefaultQuota {
		return refuse(http.StatusConflict, "SubnetPoolQuotaExceeded", "Per-tenant subnet pool prefix quota exceeded.")
	}
	return nil
}

// freePrefixes is subnet_alloc.py, _get_available_prefix_list: the smallest first.
func (c *Cloud) freePrefixes(p *SubnetPool) []netip.Prefix {
	var taken, free []netip.Prefix
	for _, s := range c.subnetsOf(p) {
		taken = append(taken, netip.MustParsePrefix(s.CIDR))
	}
	for _, prefix := range mustPrefixes(p.Prefixes) {
		free = append(free, without(prefix, taken)...)
	}
	slices.SortStableFunc(free, func(a, b netip.Prefix) int { return b.Bits() - a.Bits() })
	return free
}

// without is what is left of a prefix, in as few parts as possible.
func without(p netip.Prefix, taken []netip.Prefix) []netip.Prefix {
	for _, t := range taken {
		if !t.Overlaps(p) {
			continue
		}
		if t.Bits() <= p.Bits() {
			return nil
		}
		low := netip.PrefixFrom(p.Addr(), p.Bits()+1)
		high := netip.PrefixFrom(lastOf(low).Next(), p.Bits()+1)
		return append(without(low, taken), without(high, taken)...)
	}
	return []netip.Prefix{p}
}

// checkPools is neutron/db/ipam_backend_mixin.py, validate_allocation_pools and
// validate_gw_out_of_pools.
func (s *Subnet) checkPools() error {
	for i, pool := range s.AllocationPools {
		if err := pool.checkWithin(netip.MustParsePrefix(s.CIDR)); err != nil {
			return err
		}
		if s.GatewayIP != nil && pool.has(*s.GatewayIP) {
			return refuse(http.StatusConflict, "GatewayConflictWithAllocationPools", "Gateway ip %s conflicts with allocation pool %s.", *s.GatewayIP, pool)
		}
		for _, other := range s.AllocationPools[:i] {
			if other.has(pool.Start) || pool.has(other.Start) {
				return refuse(http.StatusConflict, "OverlappingAllocationPools", "Found overlapping allocation pools: %s %s for subnet %s.", other, pool, s.CIDR)
			}
		}
	}
	return nil
}

// checkWithin refuses a pool that has more than all of a prefix may have.
func (p AllocationPool) checkWithin(prefix netip.Prefix) error {
	start, err1 := netip.ParseAddr(p.Start)
	end, err2 := netip.ParseAddr(p.End)
	if err1 != nil || err2 != nil || end.Less(start) || start.BitLen() != prefix.Addr().BitLen() {
		return refuse(http.StatusBadRequest, "InvalidAllocationPool", "The allocation pool %s is not valid.", p)
	}
	all := defaultPools(prefix, nil)[0]
	if !all.has(p.Start) || !all.has(p.End) {
		return refuse(http.StatusBadRequest, "OutOfBoundsAllocationPool", "The allocation pool %s spans beyond the subnet cidr %s.", p, prefix)
	}
	return nil
}

func (p AllocationPool) String() string { return p.Start + "-" + p.End }

func (p AllocationPool) has(address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && !a.Less(netip.MustParseAddr(p.Start)) && !netip.MustParseAddr(p.End).Less(a)
}

// parsePrefixes reads the prefixes of a pool: of one IP version, and none within
// another (subnet_alloc.py, _read_prefix_info). Neutron also joins neighbours.
func parsePrefixes(texts []string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input for prefixes. Reason: '%s' is not a valid IP subnet.", text)
		}
		if len(prefixes) > 0 && prefixes[0].Addr().BitLen() != p.Addr().BitLen() {
			return nil, refuse(http.StatusBadRequest, "PrefixVersionMismatch", "Cannot mix IPv4 and IPv6 prefixes in a subnet pool.")
		}
		prefixes = append(prefixes, p.Masked())
	}
	if len(prefixes) == 0 {
		return nil, refuse(http.StatusBadRequest, "EmptySubnetPoolPrefixList", "Empty subnet pool prefix list.")
	}
	slices.SortFunc(prefixes, func(a, b netip.Prefix) int { return cmp.Or(a.Bits()-b.Bits(), a.Addr().Compare(b.Addr())) })
	var outer []netip.Prefix
	for _, p := range prefixes {
		if !slices.ContainsFunc(outer, p.Overlaps) {
			outer = append(outer, p)
		}
	}
	return outer, nil
}

func mustPrefixes(texts []string) []netip.Prefix {
	var prefixes []netip.Prefix
	for _, text := range texts {
		prefixes = append(prefixes, netip.MustParsePrefix(text))
	}
	return prefixes
}

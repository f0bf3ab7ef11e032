package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
)

// SubnetPool is a Neutron subnet pool: prefixes of which subnets get their own.
type SubnetPool struct {
	standard
	Name             string   `json:"name"`
	Prefixes         []string `json:"prefixes"`
	IPVersion        int      `json:"ip_version"`
	DefaultPrefixLen int      `json:"default_prefixlen"`
	MinPrefixLen     int      `json:"min_prefixlen"`
	MaxPrefixLen     int      `json:"max_prefixlen"`
	DefaultQuota     *int     `json:"default_quota"`
	IsDefault        bool     `json:"is_default"`
	Shared           bool     `json:"shared"`
	AddressScopeID   *string  `json:"address_scope_id"`
}

func (p *SubnetPool) label() string { return p.Name }
func (p *SubnetPool) public() bool  { return p.Shared }

// view writes lengths of prefixes as texts (neutron/db/db_base_plugin_common.py,
// _make_subnetpool_dict).
func (p *SubnetPool) view(*Cloud) any {
	return &struct {
		SubnetPool
		DefaultPrefixLen string `json:"default_prefixlen"`
		MinPrefixLen     string `json:"min_prefixlen"`
		MaxPrefixLen     string `json:"max_prefixlen"`
	}{*p, strconv.Itoa(p.DefaultPrefixLen), strconv.Itoa(p.MinPrefixLen), strconv.Itoa(p.MaxPrefixLen)}
}

// SubnetPools are the subnet pools with the name.
func (c *Cloud) SubnetPools(name string) []SubnetPool {
	return ask(c, func() []SubnetPool { return c.network.pools.named(name) })
}

var subnetPoolAttributes = []string{"name", "description", "prefixes", "default_prefixlen", "min_prefixlen", "max_prefixlen", "default_quota",
	"is_default"}

// createSubnetPool is neutron/db/db_base_plugin_v2.py, create_subnetpool.
func (c *Cloud) createSubnetPool(q *request, raw json.RawMessage) (*SubnetPool, error) {
	p := &SubnetPool{standard: c.newStandard("subnetpool", q.project)}
	given, err := decodeInto(raw, p, append(slices.Clone(subnetPoolAttributes), "shared", "project_id", "tenant_id")...)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"name", "prefixes"} {
		if !given.has(name) {
			return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Failed to parse request. Required attribute '%s' not specified", name)
		}
	}
	if (p.Shared || p.IsDefault) && !c.isOperator(q) { // neutron/conf/policies/subnetpool.py
		return nil, refuse(http.StatusForbidden, "PolicyNotAuthorized", "rule:create_subnetpool is disallowed by policy")
	}
	if err := c.checkQuota("subnetpool", q.project); err != nil {
		return nil, err
	}
	if err := p.complete(); err != nil {
		return nil, err
	}
	return c.network.pools.add(p), nil
}

// complete checks the prefixes and fills in the lengths that are not given: the
// least is /8 or /64, and also the default (neutron/ipam/subnet_alloc.py,
// SubnetPoolReader and SubnetPoolHelper).
func (p *SubnetPool) complete() error {
	prefixes, err := parsePrefixes(p.Prefixes)
	if err != nil {
		return err
	}
	p.IPVersion = map[bool]int{true: 4, false: 6}[prefixes[0].Addr().Is4()]
	p.Prefixes = nil
	for _, prefix := range prefixes {
		p.Prefixes = append(p.Prefixes, prefix.String())
	}
	longest := prefixes[0].Addr().BitLen()
	p.MinPrefixLen = cmp.Or(p.MinPrefixLen, map[int]int{4: 8, 6: 64}[p.IPVersion])
	p.MaxPrefixLen = cmp.Or(p.MaxPrefixLen, longest)
	p.DefaultPrefixLen = cmp.Or(p.DefaultPrefixLen, p.MinPrefixLen)
	bounds := func(kind string, length int, baseKind string, base int) error {
		return refuse(http.StatusBadRequest, "IllegalSubnetPoolPrefixBounds", "Illegal prefix bounds: %s=%d, %s=%d.", kind, length, baseKind, base)
	}
	switch {
	case p.MinPrefixLen > p.MaxPrefixLen:
		return bounds("min_prefixlen", p.MinPrefixLen, "max_prefixlen", p.MaxPrefixLen)
	case p.MaxPrefixLen > longest:
		return bounds("max_prefixlen", p.MaxPrefixLen, "ip_version_max", longest)
	case p.DefaultPrefixLen < p.MinPrefixLen:
		return bounds("default_prefixlen", p.DefaultPrefixLen, "min_prefixlen", p.MinPrefixLen)
	case p.DefaultPrefixLen > p.MaxPrefixLen:
		return bounds("default_prefixlen", p.DefaultPrefixLen, "max_prefixlen", p.MaxPrefixLen)
	}
	return nil
}

// updateSubnetPool lets a pool grow only (db_base_plugin_v2.py, _update_subnetpool_dict).
func (c *Cloud) updateSubnetPool(q *request, p *SubnetPool) error {
	changed := *p
	if _, err := q.decode("subnetpool", &changed, subnetPoolAttributes...); err != nil {
		return err
	}
	if err := changed.complete(); err != nil {
		return err
	}
	for _, old := range p.Prefixes {
		if len(without(netip.MustParsePrefix(old), mustPrefixes(changed.Prefixes))) > 0 {
			return refuse(http.StatusBadRequest, "IllegalSubnetPoolPrefixUpdate",
				"Illegal update to prefixes: Existing prefixes must be a subset of the new prefixes.")
		}
	}
	*p = changed
	return nil
}

// deleteSubnetPool is db_base_plugin_v2.py, delete_subnetpool; a 400, not a 409.
func (c *Cloud) deleteSubnetPool(_ *request, p *SubnetPool) error {
	if len(c.subnetsOf(p)) > 0 {
		return refuse(http.StatusBadRequest, "SubnetPoolDeleteError", "Unable to delete subnet pool: Subnet pool has existing allocations.")
	}
	c.network.pools.drop(p.ID)
	return nil
}

func (c *Cloud) subnetsOf(p *SubnetPool) []*Subnet {
	return c.network.subnets.where(func(s *Subnet) bool { return s.SubnetPoolID != nil && *s.SubnetPoolID == p.ID })
}

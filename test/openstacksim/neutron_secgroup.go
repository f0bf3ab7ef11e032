package openstacksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// SecurityGroup is a Neutron security group; its rules are a kind of their own.
type SecurityGroup struct {
	standard
	Name     string `json:"name"`
	Stateful bool   `json:"stateful"`
}

func (g *SecurityGroup) label() string { return g.Name }

// SecurityGroupRule is a rule of a security group.
type SecurityGroupRule struct {
	standard
	GroupID          string  `json:"security_group_id"`
	Direction        string  `json:"direction"`
	EtherType        string  `json:"ethertype"`
	Protocol         *string `json:"protocol"`
	PortRangeMin     *int    `json:"port_range_min"`
	PortRangeMax     *int    `json:"port_range_max"`
	RemoteGroupID    *string `json:"remote_group_id"`
	RemoteIPPrefix   *string `json:"remote_ip_prefix"`
	NormalizedCIDR   *string `json:"normalized_cidr"`
	RemoteAddressGrp *string `json:"remote_address_group_id"`
}

// label tells rules apart in messages: direction, family, protocol and ports.
func (r *SecurityGroupRule) label() string {
	return strings.Join([]string{r.Direction, r.EtherType, text(r.Protocol), text(r.PortRangeMin), text(r.PortRangeMax)}, ":")
}

func text[T any](p *T) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}

// view adds the rules (neutron/db/securitygroups_db.py, _make_security_group_dict).
func (g *SecurityGroup) view(c *Cloud) any {
	rules := []SecurityGroupRule{}
	for _, r := range c.rulesOf(g.ID) {
		rules = append(rules, *r)
	}
	return &struct {
		SecurityGroup
		Rules []SecurityGroupRule `json:"security_group_rules"`
	}{*g, rules}
}

func (c *Cloud) rulesOf(groupID string) []*SecurityGroupRule {
	return c.network.rules.where(func(r *SecurityGroupRule) bool { return r.GroupID == groupID })
}

// defaultGroup is the group "default" that every project has from the first
// time it is looked for (neutron/db/securitygroups_db.py, _ensure_default_security_group).
// It belongs to the seed.
func (c *Cloud) defaultGroup(project string) *SecurityGroup {
	for _, g := range c.network.groups.rows {
		if g.ProjectID == project && g.Name == "default" {
			return g
		}
	}
	g := &SecurityGroup{standard: c.newStandard("security-group", project), Name: "default", Stateful: true}
	g.Description = "Default security group"
	c.network.groups.add(g)
	c.seeded[g.ID] = true
	for _, family := range []string{"IPv4", "IPv6"} {
		c.addRule(g, "egress", family)
		c.addRule(g, "ingress", family).RemoteGroupID = &g.ID
	}
	for _, r := range c.rulesOf(g.ID) {
		c.seeded[r.ID] = true
	}
	return g
}

func (c *Cloud) addRule(g *SecurityGroup, direction, family string) *SecurityGroupRule {
	return c.network.rules.add(&SecurityGroupRule{standard: c.newStandard("rule", g.ProjectID), GroupID: g.ID,
		Direction: direction, EtherType: family})
}

// createGroup makes a group that lets everything out
// (neutron/db/securitygroups_db.py, create_security_group).
func (c *Cloud) createGroup(q *request, raw json.RawMessage) (*SecurityGroup, error) {
	c.defaultGroup(q.project)
	g := &SecurityGroup{standard: c.newStandard("security-group", q.project), Stateful: true}
	if _, err := decodeInto(raw, g, "name", "description", "stateful", "project_id", "tenant_id"); err != nil {
		return nil, err
	}
	if g.Name == "default" {
		return nil, refuse(http.StatusConflict, "SecurityGroupDefaultAlreadyExists", "Default security group already exists.")
	}
	if err := c.checkQuota("security_group", q.project); err != nil {
		return nil, err
	}
	c.network.groups.add(g)
	c.addRule(g, "egress", "IPv4")
	c.addRule(g, "egress", "IPv6")
	return g, nil
}

func (c *Cloud) updateGroup(q *request, g *SecurityGroup) error {
	changed := *g
	if _, err := q.decode("security_group", &changed, "name", "description", "stateful"); err != nil {
		return err
	}
	*g = changed
	return nil
}

// deleteGroup refuses while ports use it; rules of other groups that name it go
// with it (neutron/db/models/securitygroup.py, ondelete CASCADE).
func (c *Cloud) deleteGroup(_ *request, g *SecurityGroup) error {
	if g.Name == "default" {
		return refuse(http.StatusConflict, "SecurityGroupCannotRemoveDefault", "Insufficient rights for removing default security group.")
	}
	for _, p := range c.network.ports.rows {
		if slices.Contains(p.Groups, g.ID) {
			return refuse(http.StatusConflict, "SecurityGroupInUse", "Security Group %s in use.", g.ID)
		}
	}
	for _, r := range c.network.rules.where(func(r *SecurityGroupRule) bool {
		return r.GroupID == g.ID || r.RemoteGroupID != nil && *r.RemoteGroupID == g.ID
	}) {
		c.network.rules.drop(r.ID)
	}
	c.network.groups.drop(g.ID)
	return nil
}

// createRule is neutron/db/securitygroups_db.py, _create_security_group_rule.
func (c *Cloud) createRule(q *request, raw json.RawMessage) (*SecurityGroupRule, error) {
	r := &SecurityGroupRule{standard: c.newStandard("rule", q.project), EtherType: "IPv4"}
	if _, err := decodeInto(raw, r, "security_group_id", "direction", "ethertype", "protocol", "port_range_min", "port_range_max",
		"remote_group_id", "remote_ip_prefix", "remote_address_group_id", "description", "project_id", "tenant_id"); err != nil {
		return nil, err
	}
	r.normalize()
	g, ok := c.network.groups.of(q.project, r.GroupID)
	if !ok {
		return nil, refuse(http.StatusNotFound, "SecurityGroupNotFound", "Security group %s does not exist", r.GroupID)
	}
	if err := c.checkRule(q, r); err != nil {
		return nil, err
	}
	for _, old := range c.rulesOf(g.ID) {
		if old.key() == r.key() {
			return nil, refuse(http.StatusConflict, "SecurityGroupRuleExists", "Security group rule already exists. Rule id is %s.", old.ID)
		}
	}
	if err := c.checkQuota("security_group_rule", q.project); err != nil {
		return nil, err
	}
	c.touch(g) // neutron/db/models/securitygroup.py, SecurityGroupRule.revises_on_change
	return c.network.rules.add(r), nil
}

func (c *Cloud) checkRule(q *request, r *SecurityGroupRule) error {
	if r.Direction != "ingress" && r.Direction != "egress" {
		return refuse(http.StatusBadRequest, "HTTPBadRequest",
			"Invalid input for direction. Reason: '%s' is not in ['ingress', 'egress'].", r.Direction)
	}
	if r.RemoteGroupID != nil && r.RemoteIPPrefix != nil {
		return refuse(http.StatusBadRequest, "SecurityGroupMultipleRemoteEntites",
			"Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.")
	}
	if r.RemoteGroupID != nil {
		if _, ok := c.network.groups.of(q.project, *r.RemoteGroupID); !ok {
			return refuse(http.StatusNotFound, "SecurityGroupNotFound", "Security group %s does not exist", *r.RemoteGroupID)
		}
	}
	if err := r.checkPrefix(); err != nil {
		return err
	}
	return r.checkPorts()
}

// checkPrefix is _validate_ip_prefix: an address becomes a network of its own.
func (r *SecurityGroupRule) checkPrefix() error {
	if r.RemoteIPPrefix == nil {
		return nil
	}
	prefix, err := netip.ParsePrefix(*r.RemoteIPPrefix)
	if err != nil {
		addr, err := netip.ParseAddr(*r.RemoteIPPrefix)
		if err != nil {
			return refuse(http.StatusBadRequest, "InvalidCIDR", "Invalid CIDR %s given as IP prefix.", *r.RemoteIPPrefix)
		}
		prefix = netip.PrefixFrom(addr, addr.BitLen())
	}
	if family := map[bool]string{true: "IPv4", false: "IPv6"}[prefix.Addr().Is4()]; family != r.EtherType {
		return refuse(http.StatusBadRequest, "SecurityGroupRuleParameterConflict",
			"Conflicting value ethertype %s for CIDR %s", r.EtherType, *r.RemoteIPPrefix)
	}
	given, normal := prefix.String(), prefix.Masked().String()
	r.RemoteIPPrefix, r.NormalizedCIDR = &given, &normal
	return nil
}

// checkPorts is _validate_port_range.
func (r *SecurityGroupRule) checkPorts() error {
	if r.PortRangeMin == nil && r.PortRangeMax == nil {
		return nil
	}
	if r.Protocol == nil {
		return refuse(http.StatusBadRequest, "SecurityGroupProtocolRequiredWithPorts", "Must also specify protocol if port range is given.")
	}
	if strings.Contains(*r.Protocol, "icmp") || *r.Protocol == "1" || *r.Protocol == "58" {
		return nil
	}
	if r.PortRangeMin == nil || r.PortRangeMax == nil || *r.PortRangeMin > *r.PortRangeMax {
		return refuse(http.StatusBadRequest, "SecurityGroupInvalidPortRange", "For TCP/UDP protocols, port_range_min must be <= port_range_max")
	}
	return nil
}

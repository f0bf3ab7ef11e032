package openstacksim

import (
	"encoding/json"
	"net/http"
	"strings"
)

// normalize does what Neutron's attribute map does with a rule: null and any
// mean the same, protocols are lower case.
func (r *SecurityGroupRule) normalize() {
	for _, p := range []**string{&r.Protocol, &r.RemoteGroupID, &r.RemoteIPPrefix, &r.RemoteAddressGrp} {
		if *p != nil && **p == "" {
			*p = nil
		}
	}
	if r.Protocol != nil {
		lower := strings.ToLower(*r.Protocol)
		r.Protocol = &lower
		if lower == "any" || lower == "0" {
			r.Protocol = nil
		}
	}
	switch strings.ToLower(r.EtherType) {
	case "", "ipv4":
		r.EtherType = "IPv4"
	case "ipv6":
		r.EtherType = "IPv6"
	}
}

var protocolNumber = map[string]string{
	"icmp": "1", "tcp": "6", "udp": "17", "ah": "51", "esp": "50", "gre": "47", "sctp": "132", "vrrp": "112",
	"ipip": "4", "ipv6-icmp": "58", "icmpv6": "58", "igmp": "2", "ospf": "89", "udplite": "136",
}

// key is what makes two rules the same: not the description, and any address
// is the same as none (neutron/db/securitygroups_db.py, _rule_to_key).
func (r *SecurityGroupRule) key() string {
	prefix, protocol := text(r.RemoteIPPrefix), text(r.Protocol)
	if prefix == "0.0.0.0/0" || prefix == "::/0" {
		prefix = ""
	}
	if number, ok := protocolNumber[protocol]; ok {
		protocol = number
	}
	return strings.Join([]string{r.GroupID, r.Direction, r.EtherType, protocol, text(r.PortRangeMin), text(r.PortRangeMax),
		text(r.RemoteGroupID), prefix}, "_")
}

// checkBulkRules is neutron/db/securitygroups_db.py, _validate_security_group_rules
// and _check_for_duplicate_rules: the rules of one request are for one group and
// differ from each other.
func (c *Cloud) checkBulkRules(items []json.RawMessage) error {
	group, seen := "", map[string]bool{}
	for _, item := range items {
		var r SecurityGroupRule
		if err := json.Unmarshal(item, &r); err != nil {
			return refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input: %v", err)
		}
		r.normalize()
		if group != "" && r.GroupID != group {
			return refuse(http.StatusBadRequest, "SecurityGroupNotSingleGroupRules", "Only allowed to update rules for one security profile at a time")
		}
		group = r.GroupID
		if seen[r.key()] {
			return refuse(http.StatusConflict, "DuplicateSecurityGroupRuleInPost", "Duplicate Security Group Rule in POST.")
		}
		seen[r.key()] = true
	}
	return nil
}

func (c *Cloud) deleteRule(_ *request, r *SecurityGroupRule) error {
	c.network.rules.drop(r.ID)
	if g, ok := c.network.groups.get(r.GroupID); ok {
		c.touch(g)
	}
	return nil
}

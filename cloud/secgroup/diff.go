package secgroup

import (
	"net/netip"
	"strings"

	"github.com/capok/capok/cloud"
)

// Changes are what makes a group have the rules that it should have. Create
// comes first, so that nothing that is allowed is cut off in between.
type Changes struct{ Create, Delete []cloud.SecurityRule }

// None tells that the group is as it should be.
func (c Changes) None() bool { return len(c.Create)+len(c.Delete) == 0 }

// Diff compares what a group should have with what it has. Descriptions do not
// count, as they do not for Neutron: two rules that differ only there are a
// conflict.
func Diff(want, have []cloud.SecurityRule) Changes {
	seen, wanted := map[cloud.SecurityRule]bool{}, map[cloud.SecurityRule]bool{}
	for _, r := range have {
		seen[key(r)] = true
	}
	var changes Changes
	for _, r := range want {
		k := key(r)
		if !seen[k] && !wanted[k] {
			changes.Create = append(changes.Create, Normal(r))
		}
		wanted[k] = true
	}
	for _, r := range have {
		if !wanted[key(r)] {
			changes.Delete = append(changes.Delete, r)
		}
	}
	return changes
}

// Normal fills in what a rule leaves open, as Neutron needs it: the family
// follows from the prefix, one end of a range of ports is the whole range.
func Normal(r cloud.SecurityRule) cloud.SecurityRule {
	prefix, err := netip.ParsePrefix(r.RemoteIPPrefix)
	if err == nil {
		r.RemoteIPPrefix = prefix.Masked().String()
	}
	switch {
	case strings.EqualFold(r.EtherType, ipv6), r.EtherType == "" && err == nil && prefix.Addr().Is6():
		r.EtherType = ipv6
	default:
		r.EtherType = ipv4
	}
	r.Protocol = strings.ToLower(r.Protocol)
	if r.Protocol == "any" || r.Protocol == "0" {
		r.Protocol = ""
	}
	if !strings.Contains(r.Protocol, "icmp") { // there, the two are type and code
		r.PortMin, r.PortMax = ports(r.PortMin, r.PortMax)
	}
	return r
}

func ports(first, last int) (low, high int) {
	if last == 0 {
		last = first
	}
	if first == 0 {
		first = last
	}
	if first == 1 && last == 65535 {
		return 0, 0 // Neutron stores the entire range as none
	}
	return first, last
}

// numbers are the protocols that Neutron knows by a name (neutron_lib
// constants, IP_PROTOCOL_MAP).
var numbers = map[string]string{
	"icmp": "1", "igmp": "2", "ipip": "4", "tcp": "6", "egp": "8", "udp": "17", "dccp": "33", "ipv6-encap": "41",
	"ipv6-route": "43", "ipv6-frag": "44", "rsvp": "46", "gre": "47", "esp": "50", "ah": "51", "icmpv6": "58",
	"ipv6-icmp": "58", "ipv6-nonxt": "59", "ipv6-opts": "60", "ospf": "89", "vrrp": "112", "pgm": "113",
	"sctp": "132", "udplite": "136",
}

// key is the form in which two rules that allow the same are equal
// (neutron/db/securitygroups_db.py, _rule_to_key).
func key(r cloud.SecurityRule) cloud.SecurityRule {
	r = Normal(r)
	r.ID, r.Description = "", ""
	if number, found := numbers[r.Protocol]; found {
		r.Protocol = number
	}
	if r.EtherType == ipv6 && r.Protocol == "1" {
		r.Protocol = "58" // Neutron turns ICMP into ICMPv6 there
	}
	if prefix, err := netip.ParsePrefix(r.RemoteIPPrefix); err == nil && prefix.Bits() == 0 {
		r.RemoteIPPrefix = ""
	}
	return r
}

package openstacksim

import (
	"cmp"
	"fmt"
	"slices"
)

// defaultHosts is how many hosts each zone has; see SetHosts.
const defaultHosts = 3

// noValidHost is nova/exception.py, NoValidHost, as the scheduler fills it in
// (nova/scheduler/manager.py, _ensure_sufficient_hosts).
const noValidHost = "No valid host was found. There are not enough hosts available."

// pickHost finds a host in the zone of a server: one that its group allows
// (nova/scheduler/filters/affinity_filter.py), of these the one that the group
// likes best if it is soft (nova/scheduler/weights/affinity.py), of these one
// with the fewest servers. Hosts are never full.
func (c *Cloud) pickHost(s *Server) (string, bool) {
	zone := c.zoneFor(s)
	if c.compute.noValidHost || zone == "" {
		return "", false
	}
	all := c.countByHost(func(other *Server) bool { return other != s })
	members := c.countByHost(func(other *Server) bool { return other != s && s.GroupID != "" && other.GroupID == s.GroupID })
	group, ok := c.compute.groups.get(s.GroupID)
	if !ok {
		group = &ServerGroup{}
	}
	var hosts []string
	for i := range c.compute.hosts {
		if host := fmt.Sprintf("compute-%s-%d", zone, i); group.allows(host, members) {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		return "", false
	}
	return slices.MinFunc(hosts, func(a, b string) int {
		return cmp.Or(group.prefers(members[a], members[b]), cmp.Compare(all[a], all[b]))
	}), true
}

// countByHost is how many of some servers each host has.
func (c *Cloud) countByHost(of func(*Server) bool) map[string]int {
	count := map[string]int{}
	for _, s := range c.compute.servers.rows {
		if s.Host != "" && of(s) {
			count[s.Host]++
		}
	}
	return count
}

// prefers compares two hosts by their members: less is better.
func (g *ServerGroup) prefers(a, b int) int {
	switch g.Policy {
	case "soft-affinity":
		return cmp.Compare(b, a)
	case "soft-anti-affinity":
		return cmp.Compare(a, b)
	}
	return 0
}

// zoneFor is the zone that a server asks for, else the first; empty if no host of
// it is up.
func (c *Cloud) zoneFor(s *Server) string {
	for _, zone := range c.compute.zones {
		if !c.compute.zoneDown[zone] && (s.WantedZone == "" || s.WantedZone == zone) {
			return zone
		}
	}
	return ""
}

// allows says whether a host may take one more member, of which some hosts have
// so many already.
func (g *ServerGroup) allows(host string, members map[string]int) bool {
	switch g.Policy {
	case "affinity":
		return len(members) == 0 || members[host] > 0
	case "anti-affinity":
		return members[host] < cmp.Or(g.MaxServerPerHost, 1)
	}
	return true
}

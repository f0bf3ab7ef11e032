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
	if c.compute.noValidHost {
		return "", false
	}
	total, ours := map[string]int{}, map[string]int{} // servers, and those of the group, by host
	for _, other := range c.compute.servers.rows {
		if other.Host == "" || other == s {
			continue
		}
		total[other.Host]++
		if s.GroupID != "" && other.GroupID == s.GroupID {
			ours[other.Host]++
		}
	}
	var hosts []string
	for i := range c.compute.hosts {
		hosts = append(hosts, fmt.Sprintf("compute-%s-%d", cmp.Or(s.WantedZone, "nova"), i))
	}
	group, _ := c.compute.groups.get(s.GroupID)
	hosts = slices.DeleteFunc(hosts, func(host string) bool { return group != nil && !group.allows(host, ours) })
	if len(hosts) == 0 {
		return "", false
	}
	return slices.MinFunc(hosts, func(a, b string) int {
		likes := 0
		if group != nil && group.Policy == "soft-affinity" {
			likes = cmp.Compare(ours[b], ours[a])
		}
		if group != nil && group.Policy == "soft-anti-affinity" {
			likes = cmp.Compare(ours[a], ours[b])
		}
		return cmp.Or(likes, cmp.Compare(total[a], total[b]))
	}), true
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

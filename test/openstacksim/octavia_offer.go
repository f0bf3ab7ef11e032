package openstacksim

// What Octavia offers to its users: quotas, providers, flavors, zones, numbers.

// balancedFlavor is the flavor "small" of the seed.
var balancedFlavor = map[string]any{"id": "4b7c7c4c-5f0b-4d8c-9d13-3c2f8a6f1c01", "name": "small", "description": "", "enabled": true,
	"flavor_profile_id": nil} // only admins see the profile

func (c *Cloud) balancingOffers() {
	s := c.balancing.service
	fixed := func(path string, body any) {
		c.on(s, "GET", path, func(*request) (any, error) { return body, nil })
	}
	fixed("/providers", wrap("providers", []any{
		map[string]string{"name": "amphora", "description": "The Octavia Amphora driver."},
		map[string]string{"name": "octavia", "description": "Deprecated alias of the Octavia Amphora driver."}}))
	fixed("/flavors", wrap("flavors", []any{balancedFlavor}))
	fixed("/flavors/"+balancedFlavor["id"].(string), wrap("flavor", balancedFlavor))
	zone := map[string]any{"name": "az1", "description": "", "enabled": true, "availability_zone_profile_id": nil}
	fixed("/availabilityzones", wrap("availability_zones", []any{zone}))
	fixed("/availabilityzones/az1", wrap("availability_zone", zone))
	c.on(s, "GET", "/loadbalancers/{id}/stats", func(q *request) (any, error) {
		_, err := c.findBalancer(q, q.id("id"))
		return noTraffic(), err
	})
	c.on(s, "GET", "/listeners/{id}/stats", func(q *request) (any, error) {
		if _, ok := c.balancing.listeners.of(q.project, q.id("id")); !ok {
			return nil, notBalanced("Listener", q.id("id"))
		}
		return noTraffic(), nil
	})
	c.on(s, "GET", "/quotas", func(q *request) (any, error) { return wrap("quotas", []any{}), nil })
	c.on(s, "GET", "/quotas/{project}", c.ownQuota(c.showBalancedQuota))
	c.on(s, "GET", "/quotas/{project}/default", c.ownQuota(c.showDefaultBalancedQuota))
	c.on(s, "PUT", "/quotas/{project}", c.ownQuota(c.setBalancedQuota))
	c.on(s, "DELETE", "/quotas/{project}", c.ownQuota(c.resetBalancedQuota))
}

// noTraffic is octavia/api/v2/types/load_balancer.py, StatisticsRootResponse, of
// something that no packet flows through.
func noTraffic() any {
	return wrap("stats", map[string]int{"bytes_in": 0, "bytes_out": 0, "active_connections": 0, "total_connections": 0, "request_errors": 0})
}

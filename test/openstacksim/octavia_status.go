package openstacksim

// showStatuses is GET /loadbalancers/{id}/status, the whole tree in one answer
// (octavia/api/v2/types/load_balancer.py, LoadBalancerStatusResponse, and its
// like beside it): pools are shown under the listeners whose default they are.
func (c *Cloud) showStatuses(q *request) (any, error) {
	l, err := c.findBalancer(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	listeners := []any{}
	for _, x := range c.listenersOf(l.ID) {
		pools := []any{}
		if p, ok := c.poolByID(x.DefaultPoolID); ok {
			pools = append(pools, c.poolStatus(p))
		}
		listeners = append(listeners, x.status("pools", pools))
	}
	return wrap("statuses", wrap("loadbalancer", l.status("listeners", listeners))), nil
}

func (c *Cloud) poolByID(id *string) (*Pool, bool) {
	if id == nil {
		return nil, false
	}
	return c.balancing.pools.get(*id)
}

func (c *Cloud) poolStatus(p *Pool) any {
	members := []any{}
	for _, m := range c.membersOf(p.ID) {
		s := m.status("address", m.Address)
		s["protocol_port"] = m.ProtocolPort
		members = append(members, s)
	}
	status := p.status("members", members)
	if h := c.monitorOf(p.ID); h != nil {
		status["health_monitor"] = h.status("type", h.Type)
	}
	return status
}

func (b *balanced) status(name string, value any) map[string]any {
	return map[string]any{"id": b.ID, "name": b.Name, "provisioning_status": b.ProvisioningStatus, "operating_status": b.OperatingStatus, name: value}
}

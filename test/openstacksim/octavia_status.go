package openstacksim

import "slices"

// showStatuses is GET /loadbalancers/{id}/status, the whole tree in one answer
// (octavia/api/v2/types/load_balancer.py, LoadBalancerStatusResponse, and its
// like beside it): pools are shown under the listeners that use them.
func (c *Cloud) showStatuses(q *request) (any, error) {
	l, err := c.findBalancer(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	listeners := []any{}
	for _, x := range c.listenersOf(l.ID) {
		pools := []any{}
		for _, p := range c.poolsUsedBy(x) {
			pools = append(pools, c.poolStatus(p))
		}
		listeners = append(listeners, x.status("pools", pools))
	}
	return wrap("statuses", wrap("loadbalancer", l.status("listeners", listeners))), nil
}

// poolsUsedBy is the property pools of octavia/common/data_models.py, Listener:
// the default pool and those that policies redirect to.
func (c *Cloud) poolsUsedBy(l *Listener) []*Pool {
	return c.balancing.pools.where(func(p *Pool) bool {
		return l.DefaultPoolID != nil && *l.DefaultPoolID == p.ID ||
			slices.ContainsFunc(c.policiesTo(p.ID), func(x *L7Policy) bool { return x.ListenerID == l.ID })
	})
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

package openstacksim

import (
	"cmp"
	"net/http"
)

// LoadBalancer is an Octavia load balancer.
type LoadBalancer struct {
	balanced
	Description  string  `json:"description"`
	VIPAddress   string  `json:"vip_address"`
	VIPPortID    string  `json:"vip_port_id"`
	VIPSubnetID  string  `json:"vip_subnet_id"`
	VIPNetworkID string  `json:"vip_network_id"`
	QoSPolicyID  *string `json:"vip_qos_policy_id"`
	Provider     string  `json:"provider"`
	FlavorID     *string `json:"flavor_id"`
	Zone         *string `json:"availability_zone"`
	MoreVIPs     []VIP   `json:"additional_vips"`

	ownsPort bool // Octavia made the VIP's port
}

// VIP is an address of a load balancer beside its first one, since 2.26.
type VIP struct {
	SubnetID string `json:"subnet_id"`
	Address  string `json:"ip_address"`
}

// view is octavia/api/v2/types/load_balancer.py, LoadBalancerResponse.
func (l *LoadBalancer) view(c *Cloud) any {
	return &struct {
		LoadBalancer
		Listeners []map[string]string `json:"listeners"`
		Pools     []map[string]string `json:"pools"`
	}{*l, ids(c.listenersOf(l.ID)), ids(c.poolsOf(l.ID))}
}

func (c *Cloud) listenersOf(balancer string) []*Listener {
	return c.balancing.listeners.where(func(l *Listener) bool { return l.balancer == balancer })
}

func (c *Cloud) poolsOf(balancer string) []*Pool {
	return c.balancing.pools.where(func(p *Pool) bool { return p.balancer == balancer })
}

func (c *Cloud) findBalancer(q *request, id string) (*LoadBalancer, error) {
	l, ok := c.balancing.balancers.of(q.project, id)
	if !ok {
		return nil, notBalanced("Load Balancer", id)
	}
	return l, nil
}

// mutable finds the load balancer of a change; while it is pending or broken
// nothing of it can be changed (octavia/db/repositories.py,
// test_and_set_lb_and_listeners_prov_status: MUTABLE_STATUSES is ACTIVE).
func (c *Cloud) mutable(q *request, id string) (*LoadBalancer, error) {
	l, err := c.findBalancer(q, id)
	if err != nil {
		return nil, err
	}
	if l.ProvisioningStatus != active {
		return nil, refuse(http.StatusConflict, "", "Load Balancer %s is immutable and cannot be updated.", id)
	}
	return l, nil
}

// pend puts the load balancer and the parts that a change is about into a
// pending status until the provider has carried it out; done, if any, then
// finishes it.
func (c *Cloud) pend(l *LoadBalancer, status string, parts []*balanced, done func()) {
	now := c.at.UTC().Format(octaviaTime)
	l.ProvisioningStatus, l.UpdatedAt = status, &now
	for _, p := range parts {
		if p.ProvisioningStatus == active || p.ProvisioningStatus == onError {
			p.ProvisioningStatus, p.UpdatedAt = pendingUpdate, &now
		}
	}
	c.later(c.delays.LoadBalancer, func() {
		if _, ok := c.balancing.balancers.get(l.ID); !ok {
			return
		}
		if c.balancing.fails {
			for _, p := range append(parts, &l.balanced) {
				p.set(onError, onError)
			}
			return
		}
		l.set(active, "ONLINE")
		for _, p := range parts {
			p.set(active, "ONLINE")
		}
		if done != nil {
			done()
		}
		c.checkHealth(l.ID)
	})
}

// whole is the load balancer with everything that hangs on it.
func (c *Cloud) whole(balancer string) []*balanced {
	var parts []*balanced
	for _, l := range c.listenersOf(balancer) {
		parts = append(parts, &l.balanced)
		for _, p := range c.policiesOf(l.ID) {
			parts = append(parts, c.policyParts(p)...)
		}
	}
	for _, p := range c.poolsOf(balancer) {
		parts = append(parts, c.poolParts(p)...)
	}
	return parts
}

func (c *Cloud) poolParts(p *Pool) []*balanced {
	parts := []*balanced{&p.balanced}
	for _, m := range c.membersOf(p.ID) {
		parts = append(parts, &m.balanced)
	}
	if h := c.monitorOf(p.ID); h != nil {
		parts = append(parts, &h.balanced)
	}
	return parts
}

// checkHealth is the health manager: members of a pool without a monitor are not
// checked, others are ONLINE unless a test says otherwise.
func (c *Cloud) checkHealth(balancer string) {
	for _, p := range c.poolsOf(balancer) {
		watched := c.monitorOf(p.ID) != nil
		for _, m := range c.membersOf(p.ID) {
			m.OperatingStatus = "NO_MONITOR"
			if watched {
				m.OperatingStatus = cmp.Or(c.balancing.health[m.Address], "ONLINE")
			}
		}
	}
}

func (c *Cloud) updateBalancer(q *request) (any, error) {
	l, err := c.mutable(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	changed := *l
	if _, err := q.decode("loadbalancer", &changed, "name", "description", "admin_state_up", "tags", "vip_qos_policy_id"); err != nil {
		return nil, err
	}
	*l = changed
	c.pend(l, pendingUpdate, nil, nil)
	return wrap("loadbalancer", l.view(c)), nil
}

// deleteBalancer is octavia/api/v2/controllers/load_balancer.py, delete: with
// children only if cascade, never while pending.
func (c *Cloud) deleteBalancer(q *request) (any, error) {
	l, err := c.findBalancer(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	if len(c.whole(l.ID)) > 0 && !isTrue(q.query.Get("cascade")) {
		return nil, invalidBalancer("Cannot delete Load Balancer %s - it has children", l.ID)
	}
	if l.ProvisioningStatus != active && l.ProvisioningStatus != onError {
		return nil, refuse(http.StatusConflict, "", "Load Balancer %s is immutable and cannot be updated.", l.ID)
	}
	parts := append(c.whole(l.ID), &l.balanced)
	for _, p := range parts {
		p.ProvisioningStatus = pendingRemoval
	}
	c.later(c.delays.LoadBalancerDelete, func() {
		if !c.balancing.fails {
			c.dropBalancer(l)
			return
		}
		for _, p := range parts {
			p.set(onError, onError)
		}
	})
	return nil, nil
}

// dropBalancer takes all of it away, with the VIP's port if Octavia made it
// (octavia/network/drivers/neutron/allowed_address_pairs.py, deallocate_vip).
func (c *Cloud) dropBalancer(l *LoadBalancer) {
	for _, x := range c.listenersOf(l.ID) {
		c.dropListener(x)
	}
	for _, p := range c.poolsOf(l.ID) {
		c.dropPool(p)
	}
	if l.ownsPort {
		c.dropPort(l.VIPPortID)
	}
	c.balancing.balancers.drop(l.ID)
}

// failOver is PUT /loadbalancers/{id}/failover; it also heals ERROR.
func (c *Cloud) failOver(q *request) (any, error) {
	l, err := c.findBalancer(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	if l.ProvisioningStatus != active && l.ProvisioningStatus != onError {
		return nil, refuse(http.StatusConflict, "", "Load Balancer %s is immutable and cannot be updated.", l.ID)
	}
	c.pend(l, pendingUpdate, c.whole(l.ID), nil)
	return reply{status: http.StatusAccepted}, nil
}

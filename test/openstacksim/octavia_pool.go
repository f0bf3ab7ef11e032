package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
)

// Pool is an Octavia pool.
type Pool struct {
	balanced
	Description string         `json:"description"`
	Protocol    string         `json:"protocol"`
	Algorithm   string         `json:"lb_algorithm"`
	Persistence map[string]any `json:"session_persistence"`
	TLSEnabled  bool           `json:"tls_enabled"`
}

// HealthMonitor is an Octavia health monitor.
type HealthMonitor struct {
	balanced
	Type           string  `json:"type"`
	Delay          int     `json:"delay"`   // seconds
	Timeout        int     `json:"timeout"` // seconds
	MaxRetries     int     `json:"max_retries"`
	MaxRetriesDown int     `json:"max_retries_down"`
	HTTPMethod     *string `json:"http_method"`
	URLPath        *string `json:"url_path"`
	ExpectedCodes  *string `json:"expected_codes"`

	pool string
}

// view is octavia/api/v2/types/pool.py, PoolResponse.
func (p *Pool) view(c *Cloud) any {
	shown := &struct {
		Pool
		Balancers []map[string]string `json:"loadbalancers"`
		Listeners []map[string]string `json:"listeners"`
		Members   []map[string]string `json:"members"`
		Monitor   *string             `json:"healthmonitor_id"`
	}{*p, []map[string]string{{"id": p.balancer}}, ids(c.listenersTo(p.ID)), ids(c.membersOf(p.ID)), nil}
	if h := c.monitorOf(p.ID); h != nil {
		shown.Monitor = &h.ID
	}
	return shown
}

// view is octavia/api/v2/types/health_monitor.py, HealthMonitorResponse.
func (h *HealthMonitor) view(*Cloud) any {
	return &struct {
		HealthMonitor
		Pools []map[string]string `json:"pools"`
	}{*h, []map[string]string{{"id": h.pool}}}
}

func (c *Cloud) listenersTo(pool string) []*Listener {
	return c.balancing.listeners.where(func(l *Listener) bool { return l.DefaultPoolID != nil && *l.DefaultPoolID == pool })
}

func (c *Cloud) monitorOf(pool string) *HealthMonitor {
	for _, h := range c.balancing.monitors.rows {
		if h.pool == pool {
			return h
		}
	}
	return nil
}

var poolAttributes = []string{"name", "description", "admin_state_up", "tags", "lb_algorithm", "session_persistence", "tls_enabled"}

// addPool makes a pool with its members and monitor
// (octavia/api/v2/controllers/pool.py, _graph_create).
func (c *Cloud) addPool(q *request, lb *LoadBalancer, want *poolRequest) (*Pool, error) {
	p := &Pool{balanced: c.newBalanced("pool", lb.ProjectID, lb.ID)}
	given, err := decodeInto(want.Attributes, p, append(slices.Clone(poolAttributes), "protocol", "loadbalancer_id", "listener_id", "project_id")...)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"protocol", "lb_algorithm"} {
		if !given.has(name) {
			return nil, invalidBalancer("Pool definition for '%s' missing required attribute: %s", p.Name, name)
		}
	}
	if !slices.Contains([]string{"ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT"}, p.Algorithm) {
		return nil, refuse(http.StatusBadRequest, "", "Invalid input for field/attribute lb_algorithm. Value: '%s'.", p.Algorithm)
	}
	if err := checkBalancedQuota(c, c.balancing.pools, "pool", lb.ProjectID); err != nil {
		return nil, err
	}
	c.balancing.pools.add(p)
	if err := c.fillPool(q, p, want); err != nil {
		c.dropPool(p)
		return nil, err
	}
	return p, nil
}

func (c *Cloud) fillPool(q *request, p *Pool, want *poolRequest) error {
	for _, raw := range want.Members {
		if _, err := c.addMember(q, p, raw); err != nil {
			return err
		}
	}
	if want.Monitor == nil {
		return nil
	}
	_, err := c.addMonitor(p, want.Monitor)
	return err
}

// createPool takes a load balancer or the listener that it is to be the default of.
func (c *Cloud) createPool(q *request) (any, error) {
	var on struct {
		Balancer string `json:"loadbalancer_id"`
		Listener string `json:"listener_id"`
	}
	var want poolRequest
	raw, err := q.inner("pool", &on)
	if err != nil || json.Unmarshal(raw, &want) != nil {
		return nil, invalidBalancer("Must provide a pool")
	}
	var listener *Listener
	if on.Listener != "" {
		l, ok := c.balancing.listeners.of(q.project, on.Listener)
		if !ok {
			return nil, notBalanced("Listener", on.Listener)
		}
		if l.DefaultPoolID != nil {
			return nil, refuse(http.StatusConflict, "", "This listener already has a default pool")
		}
		listener, on.Balancer = l, l.balancer
	}
	lb, err := c.mutable(q, on.Balancer)
	if err != nil {
		return nil, err
	}
	p, err := c.addPool(q, lb, &want)
	if err != nil {
		return nil, err
	}
	parts := c.poolParts(p)
	if listener != nil {
		listener.DefaultPoolID = &p.ID
		parts = append(parts, &listener.balanced)
	}
	answer := p.view(c)
	c.pend(lb, pendingUpdate, parts, nil)
	return wrap("pool", answer), nil
}

// changePool finds a pool that is to be changed, its load balancer and all that
// goes pending with it.
func (c *Cloud) changePool(q *request, id string) (*LoadBalancer, *Pool, []*balanced, error) {
	p, ok := c.balancing.pools.of(q.project, id)
	if !ok {
		return nil, nil, nil, notBalanced("Pool", id)
	}
	lb, err := c.mutable(q, p.balancer)
	parts := []*balanced{&p.balanced}
	for _, l := range c.listenersTo(p.ID) {
		parts = append(parts, &l.balanced)
	}
	return lb, p, parts, err
}

func (c *Cloud) updatePool(q *request) (any, error) {
	lb, p, parts, err := c.changePool(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	changed := *p
	if _, err := q.decode("pool", &changed, poolAttributes...); err != nil {
		return nil, err
	}
	*p = changed
	c.pend(lb, pendingUpdate, parts, nil)
	return wrap("pool", p.view(c)), nil
}

func (c *Cloud) deletePool(q *request) (any, error) {
	lb, p, parts, err := c.changePool(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	for _, policy := range c.policiesTo(p.ID) { // octavia/api/v2/controllers/pool.py, delete
		return nil, refuse(http.StatusConflict, "", "Pool %s is in use by L7 policy %s", p.ID, policy.ID)
	}
	p.ProvisioningStatus = pendingRemoval
	c.pend(lb, pendingUpdate, parts, func() { c.dropPool(p) })
	return nil, nil
}

func (c *Cloud) dropPool(p *Pool) {
	for _, m := range c.membersOf(p.ID) {
		c.balancing.members.drop(m.ID)
	}
	if h := c.monitorOf(p.ID); h != nil {
		c.balancing.monitors.drop(h.ID)
	}
	for _, l := range c.listenersTo(p.ID) {
		l.DefaultPoolID = nil
	}
	for _, policy := range c.policiesTo(p.ID) {
		policy.RedirectPoolID = nil
	}
	c.balancing.pools.drop(p.ID)
}

var monitorAttributes = []string{"name", "admin_state_up", "tags", "delay", "timeout", "max_retries", "max_retries_down", "http_method",
	"url_path", "expected_codes"}

// addMonitor is octavia/api/v2/controllers/health_monitor.py, _graph_create.
func (c *Cloud) addMonitor(p *Pool, raw json.RawMessage) (*HealthMonitor, error) {
	h := &HealthMonitor{balanced: c.newBalanced("healthmonitor", p.ProjectID, p.balancer), MaxRetriesDown: 3, pool: p.ID}
	if _, err := decodeInto(raw, h, append(slices.Clone(monitorAttributes), "type", "pool_id", "project_id")...); err != nil {
		return nil, err
	}
	if c.monitorOf(p.ID) != nil {
		return nil, refuse(http.StatusConflict, "", "This pool already has a health monitor")
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if err := checkBalancedQuota(c, c.balancing.monitors, "healthmonitor", p.ProjectID); err != nil {
		return nil, err
	}
	return c.balancing.monitors.add(h), nil
}

func (h *HealthMonitor) check() error {
	if h.Type == "" || h.Delay < 1 || h.Timeout < 1 || h.MaxRetries < 1 || h.MaxRetries > 10 {
		return refuse(http.StatusBadRequest, "", "Invalid input for field/attribute healthmonitor. type, delay, timeout and max_retries (1 to 10) are mandatory")
	}
	return nil
}

func (c *Cloud) createMonitor(q *request) (any, error) {
	var on struct {
		Pool string `json:"pool_id"`
	}
	raw, err := q.inner("healthmonitor", &on)
	if err != nil {
		return nil, err
	}
	lb, p, parts, err := c.changePool(q, on.Pool)
	if err != nil {
		return nil, err
	}
	h, err := c.addMonitor(p, raw)
	if err != nil {
		return nil, err
	}
	answer := h.view(c)
	c.pend(lb, pendingUpdate, append(parts, &h.balanced), nil)
	return wrap("healthmonitor", answer), nil
}

func (c *Cloud) changeMonitor(q *request) (*LoadBalancer, *HealthMonitor, []*balanced, error) {
	h, ok := c.balancing.monitors.of(q.project, q.id("id"))
	if !ok {
		return nil, nil, nil, notBalanced("Health Monitor", q.id("id"))
	}
	lb, _, parts, err := c.changePool(q, h.pool)
	return lb, h, parts, err
}

func (c *Cloud) updateMonitor(q *request) (any, error) {
	lb, h, parts, err := c.changeMonitor(q)
	if err != nil {
		return nil, err
	}
	changed := *h
	if _, err := q.decode("healthmonitor", &changed, monitorAttributes...); err != nil {
		return nil, err
	}
	if err := changed.check(); err != nil {
		return nil, err
	}
	*h = changed
	c.pend(lb, pendingUpdate, append(parts, &h.balanced), nil)
	return wrap("healthmonitor", h.view(c)), nil
}

func (c *Cloud) deleteMonitor(q *request) (any, error) {
	lb, h, parts, err := c.changeMonitor(q)
	if err != nil {
		return nil, err
	}
	h.ProvisioningStatus = pendingRemoval
	c.pend(lb, pendingUpdate, append(parts, &h.balanced), func() { c.balancing.monitors.drop(h.ID) })
	return nil, nil
}

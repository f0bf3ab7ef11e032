package openstacksim

import (
	"net/http"
	"slices"
	"strings"
)

// balancing is Octavia with a provider like amphora: pagination_max_limit is the
// page size, allow_filtering and allow_sorting are on.
type balancing struct {
	service   *service
	rules     *table[L7Rule, *L7Rule]
	policies  *table[L7Policy, *L7Policy]
	members   *table[Member, *Member]
	monitors  *table[HealthMonitor, *HealthMonitor]
	pools     *table[Pool, *Pool]
	listeners *table[Listener, *Listener]
	balancers *table[LoadBalancer, *LoadBalancer]
	fails     bool
	health    map[string]string // operating status of members by address
}

// balanced are the attributes that all of Octavia's resources have.
type balanced struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	ProjectID          string   `json:"project_id"`
	ProvisioningStatus string   `json:"provisioning_status"`
	OperatingStatus    string   `json:"operating_status"`
	AdminStateUp       bool     `json:"admin_state_up"`
	CreatedAt          string   `json:"created_at"`
	UpdatedAt          *string  `json:"updated_at"`
	Tags               []string `json:"tags"`

	balancer string // ID of the load balancer that it hangs on, empty for that itself
}

func (b *balanced) ident() string       { return b.ID }
func (b *balanced) owner() string       { return b.ProjectID }
func (b *balanced) label() string       { return b.Name }
func (b *balanced) common() *balanced   { return b }
func (b *balanced) set(prov, op string) { b.ProvisioningStatus, b.OperatingStatus = prov, op }

// balancedRow is a row of any of Octavia's tables.
type balancedRow interface {
	row
	common() *balanced
}

const (
	active, onError                              = "ACTIVE", "ERROR"
	pendingCreate, pendingUpdate, pendingRemoval = "PENDING_CREATE", "PENDING_UPDATE", "PENDING_DELETE"
)

func (c *Cloud) newBalanced(kind, project, balancer string) balanced {
	return balanced{ID: c.newID(kind), ProjectID: project, ProvisioningStatus: pendingCreate, OperatingStatus: "OFFLINE", AdminStateUp: true,
		CreatedAt: c.at.UTC().Format(octaviaTime), Tags: []string{}, balancer: balancer}
}

const octaviaTime = "2006-01-02T15:04:05"

func (c *Cloud) startBalancing() {
	s := &service{name: "octavia", kind: "load-balancer", root: "/load-balancer", base: "/load-balancer/v2.0/lbaas",
		also: "/load-balancer/v2/lbaas", render: octaviaError}
	b := &balancing{service: s, health: map[string]string{}}
	c.balancing = b
	c.identity.catalog = append(c.identity.catalog, s)
	b.rules = register[L7Rule](c, "l7rule")
	b.policies = register[L7Policy](c, "l7policy")
	b.members = register[Member](c, "member")
	b.monitors = register[HealthMonitor](c, "healthmonitor")
	b.pools = register[Pool](c, "pool")
	b.listeners = register[Listener](c, "listener")
	b.balancers = register[LoadBalancer](c, "loadbalancer")

	c.document(s, s.root, http.StatusOK, c.octaviaVersions)
	octaviaKind(c, b.balancers, "loadbalancer", "/loadbalancers", nil)
	octaviaKind(c, b.listeners, "listener", "/listeners", nil)
	octaviaKind(c, b.pools, "pool", "/pools", nil)
	octaviaKind(c, b.monitors, "healthmonitor", "/healthmonitors", nil)
	octaviaKind(c, b.members, "member", "/pools/{pool}/members", func(q *request, m *Member) bool { return m.pool == q.id("pool") })
	octaviaKind(c, b.policies, "l7policy", "/l7policies", nil)
	octaviaKind(c, b.rules, "rule", "/l7policies/{policy}/rules", func(q *request, r *L7Rule) bool { return r.policy == q.id("policy") })
	c.balancingRoutes()
	c.l7Routes()
	c.balancingOffers()
}

func (c *Cloud) balancingRoutes() {
	s := c.balancing.service
	c.on(s, "POST", "/loadbalancers", c.createBalancer)
	c.on(s, "PUT", "/loadbalancers/{id}", c.updateBalancer)
	c.on(s, "DELETE", "/loadbalancers/{id}", c.deleteBalancer)
	c.on(s, "GET", "/loadbalancers/{id}/status", c.showStatuses)
	c.on(s, "GET", "/loadbalancers/{id}/statuses", c.showStatuses)
	c.on(s, "PUT", "/loadbalancers/{id}/failover", c.failOver)
	c.on(s, "POST", "/listeners", c.createListener)
	c.on(s, "PUT", "/listeners/{id}", c.updateListener)
	c.on(s, "DELETE", "/listeners/{id}", c.deleteListener)
	c.on(s, "POST", "/pools", c.createPool)
	c.on(s, "PUT", "/pools/{id}", c.updatePool)
	c.on(s, "DELETE", "/pools/{id}", c.deletePool)
	c.on(s, "PUT", "/pools/{pool}/members", c.setMembers)
	c.on(s, "POST", "/pools/{pool}/members", c.createMember)
	c.on(s, "PUT", "/pools/{pool}/members/{id}", c.updateMember)
	c.on(s, "DELETE", "/pools/{pool}/members/{id}", c.deleteMember)
	c.on(s, "POST", "/healthmonitors", c.createMonitor)
	c.on(s, "PUT", "/healthmonitors/{id}", c.updateMonitor)
	c.on(s, "DELETE", "/healthmonitors/{id}", c.deleteMonitor)
}

// octaviaVersions lists every minor version (octavia/api/root_controller.py);
// 2.12 brought allowed_cidrs, 2.5 tags.
func (c *Cloud) octaviaVersions() any {
	list := []any{}
	for minor := range 27 {
		status := map[bool]string{true: "CURRENT", false: "SUPPORTED"}[minor == 26]
		list = append(list, map[string]any{"id": "v2." + text(&minor), "status": status, "updated": "2016-12-11T00:00:00Z",
			"links": []any{map[string]string{"rel": "self", "href": c.url + "/load-balancer/v2"}}})
	}
	return wrap("versions", list)
}

// octaviaError is how WSME writes octavia/common/exceptions.py.
func octaviaError(e *apiError) any {
	if e.status == http.StatusUnauthorized {
		return keystoneError(e)
	}
	side := "Client"
	if e.status >= http.StatusInternalServerError {
		side = "Server"
	}
	return map[string]any{"faultcode": side, "faultstring": e.message, "debuginfo": nil}
}

// octaviaKind makes the cloud list and show one kind of resource. Members hang
// under their pool and rules under their policy; under says which of them a
// request is about.
func octaviaKind[T any, R interface {
	rowOf[T]
	balancedRow
}](c *Cloud, t *table[T, R], one, path string, under func(*request, R) bool) {
	s, many := c.balancing.service, path[strings.LastIndex(path, "/")+1:]
	c.on(s, "GET", path, func(q *request) (any, error) {
		rows, invalid := selected(c, q, t, octaviaFilter[R])
		if len(invalid) > 0 {
			return nil, refuse(http.StatusBadRequest, "", "One or more arguments are either duplicate or invalid")
		}
		// The order is created_at, id (octavia/common/constants.py, DEFAULT_SORT_KEYS).
		rows = slices.DeleteFunc(rows, func(r R) bool { return under != nil && !under(q, r) })
		p, err := paged(c, q, rows)
		if err != nil {
			return nil, err
		}
		list := []any{}
		for _, r := range p.rows {
			list = append(list, pick(q, any(r).(viewer).view(c)))
		}
		return withLinks(many, list, p.links()), nil
	})
	c.on(s, "GET", path+"/{id}", func(q *request) (any, error) {
		r, ok := t.of(q.project, q.id("id"))
		if !ok || under != nil && !under(q, r) {
			return nil, notBalanced(octaviaName[one], q.id("id"))
		}
		return wrap(one, any(r).(viewer).view(c)), nil
	})
}

var octaviaName = map[string]string{"loadbalancer": "Load Balancer", "listener": "Listener", "pool": "Pool", "member": "Member", "healthmonitor": "Health Monitor",
	"l7policy": "L7 Policy", "rule": "L7 Rule"}

func notBalanced(name, id string) error {
	return refuse(http.StatusNotFound, "", "%s %s not found.", name, id)
}

func invalidBalancer(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "", "Validation failure: "+format, args...)
}

// octaviaFilter knows the filters that are not equality of a shown attribute
// (octavia/api/common/pagination.py): tags, and the resource that one hangs on.
func octaviaFilter[R balancedRow](r R, name, value string) (fits, known bool) {
	if fits, known := fitsTags(r.common().Tags, name, value); known {
		return fits, true
	}
	switch m := any(r).(type) {
	case *HealthMonitor:
		if name == "pool_id" {
			return m.pool == value, true
		}
	case *LoadBalancer:
		return false, false
	}
	return r.common().balancer == value, name == "loadbalancer_id"
}

func ids[T any, R rowOf[T]](rows []R) []map[string]string {
	list := []map[string]string{}
	for _, r := range rows {
		list = append(list, map[string]string{"id": r.ident()})
	}
	return list
}

package openstacksim

import (
	"net/http"
	"slices"
)

// network is Neutron: ML2 with the reference L3 plugin, native sorting and
// pagination, pagination_max_limit set to the page size.
type network struct {
	service  *service
	quotas   map[string]int // per project, by kind; absent: no limit
	floating *table[FloatingIP, *FloatingIP]
	trunks   *table[Trunk, *Trunk]
	ports    *table[Port, *Port]
	routers  *table[Router, *Router]
	rules    *table[SecurityGroupRule, *SecurityGroupRule]
	groups   *table[SecurityGroup, *SecurityGroup]
	subnets  *table[Subnet, *Subnet]
	pools    *table[SubnetPool, *SubnetPool]
	networks *table[Network, *Network]
}

// standard are the attributes that all of Neutron's resources have.
type standard struct {
	ID          string   `json:"id"`
	ProjectID   string   `json:"project_id"`
	TenantID    string   `json:"tenant_id"`
	Description string   `json:"description"`
	CreatedAt   string   `json:"created_at"`
	UpdatedAt   string   `json:"updated_at"`
	Revision    int      `json:"revision_number"`
	Tags        []string `json:"tags"`
}

func (s *standard) ident() string  { return s.ID }
func (s *standard) owner() string  { return s.ProjectID }
func (s *standard) std() *standard { return s }

// standardRow is a row of any of Neutron's tables.
type standardRow interface {
	row
	std() *standard
}

func (c *Cloud) newStandard(kind, project string) standard {
	return standard{ID: c.newID(kind), ProjectID: project, TenantID: project,
		CreatedAt: c.stamp(), UpdatedAt: c.stamp(), Revision: 1, Tags: []string{}}
}

// touch marks a resource as changed (neutron/services/revisions, timestamp).
func (c *Cloud) touch(r standardRow) {
	s := r.std()
	s.Revision++
	s.UpdatedAt = c.stamp()
}

func (c *Cloud) startNetwork() {
	s := &service{name: "neutron", kind: "network", root: "/networking", base: "/networking/v2.0", render: neutronError}
	n := &network{service: s, quotas: map[string]int{}}
	c.network = n
	c.identity.catalog = append(c.identity.catalog, s)
	n.floating = register[FloatingIP](c, "floatingip")
	n.trunks = register[Trunk](c, "trunk")
	n.ports = register[Port](c, "port")
	n.routers = register[Router](c, "router")
	n.rules = register[SecurityGroupRule](c, "security-group-rule")
	n.groups = register[SecurityGroup](c, "security-group")
	n.subnets = register[Subnet](c, "subnet")
	n.pools = register[SubnetPool](c, "subnetpool")
	n.networks = register[Network](c, "network")
	c.seedNetwork()

	// neutron/api/versions.py and neutron/pecan_wsgi/controllers/root.py
	version := func() any {
		return map[string]any{"id": "v2.0", "status": "CURRENT",
			"links": []any{map[string]any{"rel": "self", "href": c.url + s.base + "/"}}}
	}
	c.document(s, s.root, http.StatusOK, func() any { return wrap("versions", []any{version()}) })
	c.document(s, s.base, http.StatusOK, func() any { return wrap("resources", []any{}) })
	c.networkRoutes()
	c.on(s, "GET", "/extensions", c.listExtensions)
	c.on(s, "GET", "/extensions/{alias}", c.showExtension)
	c.networkQuotaRoutes()
	c.trunkRoutes()
}

// networkRoutes are the requests that change something; reading is the same
// for all kinds.
func (c *Cloud) networkRoutes() {
	n, s := c.network, c.network.service
	neutronKind(c, "networks", &neutronTable[Network, *Network]{
		table: n.networks, one: "network", create: c.createNetwork, update: c.updateNetwork, remove: c.deleteNetwork})
	neutronKind(c, "subnets", &neutronTable[Subnet, *Subnet]{
		table: n.subnets, one: "subnet", create: c.createSubnet, update: c.updateSubnet, remove: c.deleteSubnet})
	neutronKind(c, "subnetpools", &neutronTable[SubnetPool, *SubnetPool]{
		table: n.pools, one: "subnetpool", create: c.createSubnetPool, update: c.updateSubnetPool, remove: c.deleteSubnetPool})
	neutronKind(c, "ports", &neutronTable[Port, *Port]{
		table: n.ports, one: "port", create: c.createPort, update: c.updatePort, remove: c.deletePort})
	neutronKind(c, "routers", &neutronTable[Router, *Router]{
		table: n.routers, one: "router", create: c.createRouter, update: c.updateRouter, remove: c.deleteRouter})
	neutronKind(c, "floatingips", &neutronTable[FloatingIP, *FloatingIP]{
		table: n.floating, one: "floatingip", create: c.createFloatingIP, update: c.updateFloatingIP, remove: c.deleteFloatingIP})
	neutronKind(c, "security-groups", &neutronTable[SecurityGroup, *SecurityGroup]{
		table: n.groups, one: "security_group", create: c.createGroup, update: c.updateGroup, remove: c.deleteGroup})
	neutronKind(c, "security-group-rules", &neutronTable[SecurityGroupRule, *SecurityGroupRule]{
		table: n.rules, one: "security_group_rule", create: c.createRule, remove: c.deleteRule})
	c.on(s, "PUT", "/routers/{id}/add_router_interface", c.addRouterInterface)
	c.on(s, "PUT", "/routers/{id}/remove_router_interface", c.removeRouterInterface)
}

// neutronError is neutron/api/api_common.py, convert_exception_to_http_exc.
func neutronError(e *apiError) any {
	if e.status == http.StatusUnauthorized {
		return keystoneError(e) // the middleware answers, not Neutron
	}
	return wrap("NeutronError", map[string]any{"type": e.kind, "message": e.message, "detail": ""})
}

// extensionAliases are those of the reference plugins that clients ask for.
var extensionAliases = []string{
	"allowed-address-pairs", "availability_zone", "binding", "default-subnetpools", "dns-integration", "empty-string-filtering",
	"ext-gw-mode", "external-net", "extra_dhcp_opt", "extraroute", "filter-validation", "fip-port-details", "ip_allocation",
	"net-mtu", "net-mtu-writable", "network_availability_zone", "pagination", "port-security", "project-id", "provider", "quotas",
	"quota_details", "revision-if-match", "router", "router_availability_zone", "security-group", "sorting", "standard-attr-description",
	"standard-attr-revisions", "standard-attr-tag", "standard-attr-timestamp", "stateful-security-group", "subnet_allocation", "tag-ports-during-bulk-creation",
	"trunk", "trunk-details",
}

func extension(alias string) any {
	return map[string]any{"alias": alias, "name": alias, "description": "", "updated": "2013-01-01T00:00:00-00:00", "links": []any{}}
}

func (c *Cloud) listExtensions(*request) (any, error) {
	list := []any{}
	for _, alias := range extensionAliases {
		list = append(list, extension(alias))
	}
	return wrap("extensions", list), nil
}

func (c *Cloud) showExtension(q *request) (any, error) {
	alias := q.id("alias")
	if !slices.Contains(extensionAliases, alias) {
		return nil, refuse(http.StatusNotFound, "ExtensionNotFound", "Extension with alias %s does not exist", alias)
	}
	return wrap("extension", extension(alias)), nil
}

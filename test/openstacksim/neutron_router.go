package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// Router is a Neutron router.
type Router struct {
	standard
	Name         string   `json:"name"`
	Status       string   `json:"status"`
	AdminStateUp bool     `json:"admin_state_up"`
	Gateway      *Gateway `json:"external_gateway_info"`
	Routes       []any    `json:"routes"`
	HA           bool     `json:"ha"`
	Distributed  bool     `json:"distributed"`
	FlavorID     *string  `json:"flavor_id"`
	Zones        []string `json:"availability_zones"`
	ZoneHints    []string `json:"availability_zone_hints"`
}

// Gateway is the way of a router to an external network.
type Gateway struct {
	NetworkID  string    `json:"network_id"`
	EnableSNAT *bool     `json:"enable_snat,omitempty"`
	FixedIPs   []FixedIP `json:"external_fixed_ips"`
}

func (r *Router) label() string { return r.Name }

func (c *Cloud) createRouter(q *request, raw json.RawMessage) (*Router, error) {
	r := &Router{standard: c.newStandard("router", q.project), Status: "ACTIVE", AdminStateUp: true, Routes: []any{},
		Zones: []string{}, ZoneHints: []string{}}
	given, err := decodeInto(raw, r, "name", "description", "admin_state_up", "external_gateway_info", "availability_zone_hints",
		"flavor_id", "project_id", "tenant_id")
	if err != nil {
		return nil, err
	}
	if err := c.checkQuota("router", q.project); err != nil {
		return nil, err
	}
	if given.has("external_gateway_info") {
		if err := c.setGateway(q, r, r.Gateway); err != nil {
			return nil, err
		}
	}
	return c.network.routers.add(r), nil
}

func (c *Cloud) updateRouter(q *request, r *Router) error {
	changed := *r
	given, err := q.decode("router", &changed, "name", "description", "admin_state_up", "external_gateway_info", "routes")
	if err != nil {
		return err
	}
	if given.has("external_gateway_info") {
		if err := c.changeGateway(q, r, &changed); err != nil {
			return err
		}
	}
	*r = changed
	return nil
}

// changeGateway is neutron/db/l3_db.py, _update_router_gw_info: an unchanged
// network keeps its port, and a gateway that floating IPs need stays.
func (c *Cloud) changeGateway(q *request, r, changed *Router) error {
	if old := r.Gateway; old != nil && changed.Gateway != nil && changed.Gateway.NetworkID == old.NetworkID && len(changed.Gateway.FixedIPs) == 0 {
		changed.Gateway = &Gateway{old.NetworkID, cmp.Or(changed.Gateway.EnableSNAT, old.EnableSNAT), old.FixedIPs}
		return nil
	}
	for _, f := range c.network.floating.rows {
		if f.RouterID != nil && *f.RouterID == r.ID {
			return refuse(http.StatusConflict, "RouterExternalGatewayInUseByFloatingIp", "Gateway cannot be updated for router %s, "+
				"since a gateway to external network %s is required by one or more floating IPs.", r.ID, r.Gateway.NetworkID)
		}
	}
	return c.setGateway(q, changed, changed.Gateway)
}

// setGateway makes the port of the gateway, which the project cannot see.
func (c *Cloud) setGateway(q *request, r *Router, want *Gateway) error {
	var port *Port
	if want != nil {
		n, ok := c.network.networks.get(want.NetworkID)
		if !ok || !c.sees(q, n) {
			return refuse(http.StatusNotFound, "NetworkNotFound", "Network %s could not be found.", want.NetworkID)
		}
		if !n.External {
			return refuse(http.StatusBadRequest, "BadRequest", "Bad router request: Network %s is not an external network.", n.ID)
		}
		port = c.newPort("")
		port.NetworkID, port.DeviceOwner, port.DeviceID, port.Status = n.ID, ownerGateway, r.ID, "ACTIVE"
		var err error
		if port.FixedIPs, err = c.allocate(n, want.FixedIPs, len(want.FixedIPs) == 0, ""); err != nil {
			return err
		}
		yes := true
		r.Gateway = &Gateway{n.ID, cmp.Or(want.EnableSNAT, &yes), port.FixedIPs}
	}
	for _, old := range c.portsOf(r.ID, ownerGateway) {
		c.network.ports.drop(old.ID)
	}
	if port != nil {
		c.network.ports.add(port)
	}
	return nil
}

func (c *Cloud) portsOf(device, owner string) []*Port {
	return c.network.ports.where(func(p *Port) bool { return p.DeviceID == device && p.DeviceOwner == owner })
}

// deleteRouter is neutron/db/l3_db.py, _ensure_router_not_in_use.
func (c *Cloud) deleteRouter(q *request, r *Router) error {
	if len(c.portsOf(r.ID, ownerInterface)) > 0 {
		return refuse(http.StatusConflict, "RouterInUse", "Router %s still has ports", r.ID)
	}
	if err := c.setGateway(q, r, nil); err != nil {
		return err
	}
	c.network.routers.drop(r.ID)
	return nil
}

type routerInterface struct {
	SubnetID string `json:"subnet_id"`
	PortID   string `json:"port_id"`
}

// routerRequest reads the body of add_router_interface and its opposite.
func (c *Cloud) routerRequest(q *request) (*Router, routerInterface, error) {
	var want routerInterface
	r, ok := c.network.routers.of(q.project, q.id("id"))
	if !ok {
		return nil, want, refuse(http.StatusNotFound, "RouterNotFound", "Router %s could not be found", q.id("id"))
	}
	if err := json.Unmarshal(q.raw, &want); err != nil || (want.SubnetID == "") == (want.PortID == "") {
		return nil, want, refuse(http.StatusBadRequest, "BadRequest",
			"Bad router request: Either subnet_id or port_id must be specified.")
	}
	return r, want, nil
}

// addRouterInterface is neutron/db/l3_db.py, add_router_interface.
func (c *Cloud) addRouterInterface(q *request) (any, error) {
	r, want, err := c.routerRequest(q)
	if err != nil {
		return nil, err
	}
	port, err := c.interfacePort(q, r, want)
	if err != nil {
		return nil, err
	}
	port.DeviceOwner, port.DeviceID, port.Groups = ownerInterface, r.ID, []string{}
	c.wire(port)
	c.touch(r) // neutron/db/models/l3.py, RouterPort.revises_on_change
	return describeInterface(r, port), nil
}

// interfacePort is the port given, or a new one with the subnet's gateway address.
func (c *Cloud) interfacePort(q *request, r *Router, want routerInterface) (*Port, error) {
	if want.PortID != "" {
		p, ok := c.network.ports.of(q.project, want.PortID)
		if !ok {
			return nil, refuse(http.StatusNotFound, "PortNotFound", "Port %s could not be found.", want.PortID)
		}
		if p.DeviceID != "" {
			return nil, refuse(http.StatusConflict, "PortInUse", "Unable to complete operation on port %s for network %s. "+
				"Port already has an attached device %s.", p.ID, p.NetworkID, p.DeviceID)
		}
		return p, nil
	}
	s, ok := c.network.subnets.get(want.SubnetID)
	if !ok || !c.sees(q, s) {
		return nil, refuse(http.StatusNotFound, "SubnetNotFound", "Subnet %s could not be found.", want.SubnetID)
	}
	if s.GatewayIP == nil || *s.GatewayIP == "" {
		return nil, refuse(http.StatusBadRequest, "BadRequest",
			"Bad router request: Subnet for router interface must have a gateway IP.")
	}
	for _, p := range c.portsOf(r.ID, ownerInterface) {
		if p.on(s.ID) {
			return nil, refuse(http.StatusBadRequest, "BadRequest",
				"Bad router request: Router already has a port on subnet %s.", s.ID)
		}
	}
	n, _ := c.network.networks.get(s.NetworkID)
	address, err := c.allocate(n, []FixedIP{{s.ID, *s.GatewayIP}}, false, "")
	if err != nil {
		return nil, err
	}
	p := c.newPort(r.ProjectID)
	p.NetworkID, p.FixedIPs, p.PortSecurity = n.ID, address, false
	return c.network.ports.add(p), nil
}

func describeInterface(r *Router, p *Port) any {
	subnets := []string{}
	for _, ip := range p.FixedIPs {
		subnets = append(subnets, ip.SubnetID)
	}
	return map[string]any{"id": r.ID, "tenant_id": r.TenantID, "project_id": r.ProjectID, "port_id": p.ID,
		"network_id": p.NetworkID, "subnet_id": subnets[0], "subnet_ids": subnets}
}

// removeRouterInterface is neutron/db/l3_db.py, remove_router_interface.
func (c *Cloud) removeRouterInterface(q *request) (any, error) {
	r, want, err := c.routerRequest(q)
	if err != nil {
		return nil, err
	}
	for _, p := range c.portsOf(r.ID, ownerInterface) {
		if p.ID != want.PortID && (want.SubnetID == "" || !p.on(want.SubnetID)) {
			continue
		}
		if subnet := c.floatingOn(r, p); subnet != "" {
			return nil, refuse(http.StatusConflict, "RouterInterfaceInUseByFloatingIP", "Router interface for subnet %s on router %s "+
				"cannot be deleted, as it is required by one or more floating IPs.", subnet, r.ID)
		}
		c.network.ports.drop(p.ID)
		c.touch(r)
		return describeInterface(r, p), nil
	}
	if want.SubnetID != "" {
		return nil, refuse(http.StatusNotFound, "RouterInterfaceNotFoundForSubnet",
			"Router %s has no interface on subnet %s", r.ID, want.SubnetID)
	}
	return nil, refuse(http.StatusNotFound, "RouterInterfaceNotFound",
		"Router %s does not have an interface with id %s", r.ID, want.PortID)
}

// floatingOn is a subnet of the interface whose floating IPs need it.
func (c *Cloud) floatingOn(r *Router, iface *Port) string {
	for _, f := range c.network.floating.rows {
		if f.RouterID == nil || *f.RouterID != r.ID {
			continue
		}
		if p, ok := c.network.ports.get(*f.PortID); ok && p.on(iface.FixedIPs[0].SubnetID) {
			return iface.FixedIPs[0].SubnetID
		}
	}
	return ""
}

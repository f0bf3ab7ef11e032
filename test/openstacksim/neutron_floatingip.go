package openstacksim

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
)

// FloatingIP is a Neutron floating IP.
type FloatingIP struct {
	standard
	NetworkID string  `json:"floating_network_id"`
	Address   string  `json:"floating_ip_address"`
	FixedIP   *string `json:"fixed_ip_address"`
	PortID    *string `json:"port_id"`
	RouterID  *string `json:"router_id"`
	Status    string  `json:"status"`
	SubnetID  *string `json:"-"` // asked for at creation, never shown
}

func (f *FloatingIP) label() string { return f.Address }

func (f *FloatingIP) detach() { f.PortID, f.FixedIP, f.RouterID, f.Status = nil, nil, nil, "DOWN" }

// view adds port_details (extension fip-port-details, neutron/db/l3_db.py).
func (f *FloatingIP) view(c *Cloud) any {
	type details struct {
		Name        string `json:"name"`
		NetworkID   string `json:"network_id"`
		MACAddress  string `json:"mac_address"`
		AdminState  bool   `json:"admin_state_up"`
		Status      string `json:"status"`
		DeviceID    string `json:"device_id"`
		DeviceOwner string `json:"device_owner"`
	}
	shown := struct {
		FloatingIP
		Details *details `json:"port_details"`
	}{FloatingIP: *f}
	if f.PortID != nil {
		if p, ok := c.network.ports.get(*f.PortID); ok {
			shown.Details = &details{p.Name, p.NetworkID, p.MACAddress, p.AdminStateUp, p.Status, p.DeviceID, p.DeviceOwner}
		}
	}
	return shown
}

// createFloatingIP is neutron/db/l3_db.py, _create_floatingip. Neutron's default
// policy keeps the choice of floating_ip_address to admins; this cloud, as many,
// gives it to members.
func (c *Cloud) createFloatingIP(q *request, raw json.RawMessage) (*FloatingIP, error) {
	var want struct {
		Address  string `json:"floating_ip_address"`
		SubnetID string `json:"subnet_id"`
	}
	f := &FloatingIP{standard: c.newStandard("floatingip", q.project), Status: "DOWN"}
	if _, err := decodeInto(raw, f, "floating_network_id", "port_id", "fixed_ip_address", "floating_ip_address", "subnet_id",
		"description", "project_id", "tenant_id"); err != nil {
		return nil, err
	}
	_ = json.Unmarshal(raw, &want)
	n, ok := c.network.networks.get(f.NetworkID)
	if !ok || !c.sees(q, n) {
		return nil, refuse(http.StatusNotFound, "NetworkNotFound", "Network %s could not be found.", f.NetworkID)
	}
	if !n.External {
		return nil, refuse(http.StatusBadRequest, "BadRequest",
			"Bad floatingip request: Network %s is not a valid external network.", n.ID)
	}
	if err := c.checkQuota("floatingip", q.project); err != nil {
		return nil, err
	}
	if err := c.associate(q, f, f.PortID, f.FixedIP); err != nil {
		return nil, err
	}
	wanted := []FixedIP{{want.SubnetID, want.Address}}
	addresses, err := c.allocate(n, wanted, wanted[0] == FixedIP{}, "")
	if err != nil {
		return nil, err
	}
	p := c.newPort("")
	p.NetworkID, p.FixedIPs, p.DeviceOwner, p.DeviceID, p.Status = n.ID, addresses, ownerFloatingIP, f.ID, "N/A"
	c.network.ports.add(p)
	f.Address = addresses[0].IPAddress
	return c.network.floating.add(f), nil
}

func (c *Cloud) updateFloatingIP(q *request, f *FloatingIP) error {
	changed := *f
	given, err := q.decode("floatingip", &changed, "port_id", "fixed_ip_address", "description")
	if err != nil {
		return err
	}
	if given.has("port_id") {
		if err := c.associate(q, &changed, changed.PortID, wantFixed(given, &changed)); err != nil {
			return err
		}
	}
	*f = changed
	return nil
}

// wantFixed is the fixed address of an update; the one of the old port is none.
func wantFixed(given fields, f *FloatingIP) *string {
	if given.has("fixed_ip_address") {
		return f.FixedIP
	}
	return nil
}

// associate is neutron/db/l3_db.py, _internal_fip_assoc_data and
// _check_and_get_fip_assoc.
func (c *Cloud) associate(q *request, f *FloatingIP, portID, fixed *string) error {
	f.detach()
	if portID == nil || *portID == "" {
		if fixed != nil && *fixed != "" {
			return badFloatingIP("fixed_ip_address cannot be specified without a port_id")
		}
		return nil
	}
	p, ok := c.network.ports.of(q.project, *portID)
	if !ok {
		return refuse(http.StatusNotFound, "PortNotFound", "Port %s could not be found.", *portID)
	}
	ip, err := fixedIPv4(p, fixed)
	if err != nil {
		return err
	}
	if c.isFloated(p, ip, f.ID) {
		return refuse(http.StatusConflict, "FloatingIPPortAlreadyAssociated", "Cannot associate floating IP %s (%s) with port %s "+
			"using fixed IP %s, as that fixed IP already has a floating IP on external network %s.",
			f.Address, f.ID, p.ID, ip.IPAddress, f.NetworkID)
	}
	router, ok := c.routerBetween(ip.SubnetID, f.NetworkID)
	if !ok {
		return refuse(http.StatusNotFound, "ExternalGatewayForFloatingIPNotFound", "External network %s is not reachable from "+
			"subnet %s.  Therefore, cannot associate Port %s with a Floating IP.", f.NetworkID, ip.SubnetID, p.ID)
	}
	f.PortID, f.FixedIP, f.RouterID = &p.ID, &ip.IPAddress, &router
	c.wireFloating(f)
	return nil
}

// isFloated says whether another floating IP has this address of a port.
func (c *Cloud) isFloated(p *Port, ip FixedIP, except string) bool {
	return slices.ContainsFunc(c.network.floating.rows, func(f *FloatingIP) bool {
		return f.ID != except && f.PortID != nil && *f.PortID == p.ID && *f.FixedIP == ip.IPAddress
	})
}

func badFloatingIP(text string) error {
	return refuse(http.StatusBadRequest, "BadRequest", "Bad floatingip request: %s.", text)
}

func fixedIPv4(p *Port, want *string) (FixedIP, error) {
	var v4 []FixedIP
	for _, ip := range p.FixedIPs {
		if !netip.MustParseAddr(ip.IPAddress).Is4() {
			continue
		}
		if want != nil && ip.IPAddress == *want {
			return ip, nil
		}
		v4 = append(v4, ip)
	}
	switch {
	case want != nil:
		return FixedIP{}, badFloatingIP("Port " + p.ID + " does not have fixed ip " + *want)
	case len(v4) == 0:
		return FixedIP{}, badFloatingIP("Cannot add floating IP to port " + p.ID + " that has no fixed IPv4 addresses")
	case len(v4) > 1:
		return FixedIP{}, badFloatingIP("Port " + p.ID + " has multiple fixed IPv4 addresses.  Must provide a specific " +
			"IPv4 address when assigning a floating IP")
	}
	return v4[0], nil
}

// routerBetween finds the router that joins a subnet and an external network
// (neutron/db/l3_db.py, get_router_for_floatingip).
func (c *Cloud) routerBetween(subnetID, networkID string) (string, bool) {
	for _, p := range c.network.ports.rows {
		if p.DeviceOwner != ownerInterface || !p.on(subnetID) {
			continue
		}
		if r, ok := c.network.routers.get(p.DeviceID); ok && r.Gateway != nil && r.Gateway.NetworkID == networkID {
			return r.ID, true
		}
	}
	return "", false
}

func (c *Cloud) deleteFloatingIP(_ *request, f *FloatingIP) error {
	for _, p := range c.portsOf(f.ID, ownerFloatingIP) {
		c.network.ports.drop(p.ID)
	}
	c.network.floating.drop(f.ID)
	return nil
}

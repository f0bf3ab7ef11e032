package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
)

// attachment is nova/api/openstack/compute/attach_interfaces.py,
// _translate_interface_attachment_view.
func attachment(q *request, p *Port) map[string]any {
	shown := map[string]any{"port_id": p.ID, "net_id": p.NetworkID, "mac_addr": p.MACAddress, "port_state": p.Status, "fixed_ips": p.FixedIPs}
	if q.minor >= 70 {
		shown["tag"] = nil
	}
	return shown
}

// listInterfaces is GET /servers/{id}/os-interface: it asks Neutron.
func (c *Cloud) listInterfaces(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, p := range c.portsOfServer(s) {
		list = append(list, attachment(q, p))
	}
	return wrap("interfaceAttachments", list), nil
}

func (c *Cloud) showInterface(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	p, ok := c.network.ports.of(q.project, q.id("port"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Port id %s could not be found.", q.id("port"))
	}
	if p.DeviceID != s.ID {
		return nil, refuse(http.StatusNotFound, "", "Instance %s does not have a port with id %s", s.ID, p.ID)
	}
	return wrap("interfaceAttachment", attachment(q, p)), nil
}

// attachInterface is attach_interfaces.py, create: the port is bound when Nova
// answers, and ACTIVE when its agent is done.
func (c *Cloud) attachInterface(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	want, err := c.readAttachment(q)
	if err != nil {
		return nil, err
	}
	if err := s.allowed("attach_interface", "active", "paused", "stopped"); err != nil {
		return nil, err
	}
	p, ok := c.network.ports.get(want.Port)
	if !ok {
		if p, err = c.ownPort(s, want); err != nil {
			return nil, badServer("No fixed IP addresses available for network: %s", want.UUID) // nova/exception.py, NoMoreFixedIps
		}
	}
	s.PortIDs = append(slices.Clone(s.PortIDs), p.ID)
	c.attachPort(p, "compute:"+s.Zone, s.ID, "DOWN")
	if s.Status == "ACTIVE" {
		c.wire(p)
	}
	return reply{status: http.StatusOK, body: wrap("interfaceAttachment", attachment(q, p))}, nil
}

// readAttachment reads what is to be attached: a port, or an address in a network.
func (c *Cloud) readAttachment(q *request) (serverNetwork, error) {
	var body struct {
		Attachment struct {
			PortID   string    `json:"port_id"`
			NetID    string    `json:"net_id"`
			FixedIPs []FixedIP `json:"fixed_ips"`
		} `json:"interfaceAttachment"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return serverNetwork{}, badServer("Malformed request body")
	}
	want := serverNetwork{UUID: body.Attachment.NetID, Port: body.Attachment.PortID}
	if len(body.Attachment.FixedIPs) > 0 {
		want.FixedIP = body.Attachment.FixedIPs[0].IPAddress
	}
	switch {
	case want.UUID != "" && want.Port != "":
		return want, badServer("Must not input both network_id and port_id")
	case want.FixedIP != "" && want.UUID == "":
		return want, badServer("Must input network_id when request IP address")
	case want.Port == "":
		return c.attachedNetwork(q, want)
	}
	if _, ok := c.network.ports.of(q.project, want.Port); !ok {
		return want, refuse(http.StatusNotFound, "", "Port id %s could not be found.", want.Port)
	}
	return want, c.checkAttachment(q, want)
}

// attachedNetwork is the network that is named, or the only one of the project
// (nova/network/neutron.py, _validate_requested_network_ids).
func (c *Cloud) attachedNetwork(q *request, want serverNetwork) (serverNetwork, error) {
	if want.UUID == "" {
		own := c.network.networks.where(func(n *Network) bool { return n.ProjectID == q.project || n.Shared })
		if len(own) == 0 {
			return want, badServer("No specific network was requested and none are available for project '%s'.", q.project)
		}
		if len(own) > 1 {
			return want, badServer("More than one possible network found. Specify network ID(s) to select which one(s) to connect to.")
		}
		want.UUID = own[0].ID
	}
	if n, ok := c.network.networks.get(want.UUID); !ok || !c.sees(q, n) {
		return want, refuse(http.StatusNotFound, "", "Network %s could not be found.", want.UUID)
	}
	return want, c.checkAttachment(q, want)
}

// detachInterface is attach_interfaces.py, delete: a 202 whatever the port, and
// later the port is free, or gone if Nova made it (nova/network/neutron.py,
// deallocate_port_for_instance).
func (c *Cloud) detachInterface(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	if err := s.allowed("detach_interface", "active", "paused", "stopped"); err != nil {
		return nil, err
	}
	c.later(c.delays.ServerAction, func() {
		if p, ok := c.network.ports.get(q.id("port")); ok && p.DeviceID == s.ID {
			s.PortIDs = slices.DeleteFunc(slices.Clone(s.PortIDs), func(id string) bool { return id == p.ID })
			c.releasePort(s, p)
		}
	})
	return reply{status: http.StatusAccepted}, nil
}

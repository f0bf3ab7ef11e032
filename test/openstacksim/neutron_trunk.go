package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Trunk is a Neutron trunk: a port of a server that carries the networks of others.
type Trunk struct {
	standard
	Name         string    `json:"name"`
	PortID       string    `json:"port_id"`
	Status       string    `json:"status"`
	AdminStateUp bool      `json:"admin_state_up"`
	SubPorts     []SubPort `json:"sub_ports"`
}

// SubPort is a port in a trunk.
type SubPort struct {
	PortID           string `json:"port_id"`
	SegmentationType string `json:"segmentation_type"`
	SegmentationID   int    `json:"segmentation_id"`
}

func (t *Trunk) label() string { return t.Name }

// Trunks are the trunks with the name.
func (c *Cloud) Trunks(name string) []Trunk {
	return ask(c, func() []Trunk { return c.network.trunks.named(name) })
}

func (c *Cloud) trunkRoutes() {
	s := c.network.service
	neutronKind(c, "trunks", &neutronTable[Trunk, *Trunk]{
		table: c.network.trunks, one: "trunk", create: c.createTrunk, update: c.updateTrunk, remove: c.deleteTrunk})
	c.on(s, "GET", "/trunks/{id}/get_subports", c.listSubPorts)
	c.on(s, "PUT", "/trunks/{id}/add_subports", c.addSubPorts)
	c.on(s, "PUT", "/trunks/{id}/remove_subports", c.removeSubPorts)
}

// createTrunk is neutron/services/trunk/plugin.py, create_trunk. It is DOWN until
// an agent has its parent.
func (c *Cloud) createTrunk(q *request, raw json.RawMessage) (*Trunk, error) {
	t := &Trunk{standard: c.newStandard("trunk", q.project), Status: "DOWN", AdminStateUp: true}
	if _, err := decodeInto(raw, t, "name", "description", "admin_state_up", "port_id", "sub_ports", "project_id", "tenant_id"); err != nil {
		return nil, err
	}
	if err := c.checkQuota("trunk", q.project); err != nil {
		return nil, err
	}
	p, ok := c.network.ports.of(q.project, t.PortID)
	if !ok {
		return nil, refuse(http.StatusNotFound, "PortNotFound", "Port %s could not be found.", t.PortID)
	}
	if err := c.checkTrunked(p); err != nil {
		return nil, err
	}
	if p.bound() {
		return nil, parentInUse(p)
	}
	if err := c.checkSubPorts(q, &Trunk{PortID: p.ID}, t.SubPorts); err != nil {
		return nil, err
	}
	t.SubPorts = append([]SubPort{}, t.SubPorts...)
	return c.network.trunks.add(t), nil
}

// bound says whether a port is on a host: with Open vSwitch, such a port can
// neither become nor cease to be the parent of a trunk
// (neutron/services/trunk/rules.py, can_be_trunked_or_untrunked).
func (p *Port) bound() bool { return p.DeviceID != "" && strings.HasPrefix(p.DeviceOwner, "compute:") }

func parentInUse(p *Port) error {
	return refuse(http.StatusConflict, "ParentPortInUse", "Port %s is currently in use and is not eligible for use as a parent port.", p.ID)
}

func (c *Cloud) updateTrunk(q *request, t *Trunk) error {
	changed := *t
	if _, err := q.decode("trunk", &changed, "name", "description", "admin_state_up"); err != nil {
		return err
	}
	*t = changed
	return nil
}

func (c *Cloud) deleteTrunk(_ *request, t *Trunk) error {
	if err := t.manageable(); err != nil {
		return err
	}
	if p, ok := c.network.ports.get(t.PortID); ok && p.bound() {
		return refuse(http.StatusConflict, "TrunkInUse", "Trunk %s is currently in use.", t.ID)
	}
	c.network.trunks.drop(t.ID)
	return nil
}

// manageable is neutron/services/trunk/rules.py, trunk_can_be_managed.
func (t *Trunk) manageable() error {
	if !t.AdminStateUp {
		return refuse(http.StatusConflict, "TrunkDisabled", "Trunk %s is currently disabled.", t.ID)
	}
	return nil
}

// trunkRequest reads the body of add_subports and its opposite.
func (c *Cloud) trunkRequest(q *request) (*Trunk, []SubPort, error) {
	t, ok := c.network.trunks.of(q.project, q.id("id"))
	if !ok {
		return nil, nil, refuse(http.StatusNotFound, "TrunkNotFound", "Trunk %s could not be found.", q.id("id"))
	}
	var body struct {
		SubPorts []SubPort `json:"sub_ports"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input: %v", err)
	}
	return t, body.SubPorts, t.manageable()
}

func (c *Cloud) listSubPorts(q *request) (any, error) {
	t, ok := c.network.trunks.of(q.project, q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "TrunkNotFound", "Trunk %s could not be found.", q.id("id"))
	}
	return wrap("sub_ports", t.SubPorts), nil
}

// addSubPorts is plugin.py, add_subports: the trunk is DOWN until the agent is
// done again. The answer is the trunk without its name around it.
func (c *Cloud) addSubPorts(q *request) (any, error) {
	t, more, err := c.trunkRequest(q)
	if err != nil {
		return nil, err
	}
	if err := c.checkSubPorts(q, t, more); err != nil {
		return nil, err
	}
	return c.resetTrunk(t, append(slices.Clone(t.SubPorts), more...)), nil
}

// removeSubPorts is plugin.py, remove_subports.
func (c *Cloud) removeSubPorts(q *request) (any, error) {
	t, less, err := c.trunkRequest(q)
	if err != nil {
		return nil, err
	}
	left := append([]SubPort{}, t.SubPorts...)
	for _, s := range less {
		i := slices.IndexFunc(left, func(have SubPort) bool { return have.PortID == s.PortID })
		if i < 0 {
			return nil, refuse(http.StatusNotFound, "SubPortNotFound", "SubPort %s on trunk %s could not be found.", s.PortID, t.ID)
		}
		left = slices.Delete(left, i, i+1)
		if p, ok := c.network.ports.get(s.PortID); ok {
			p.Status = "DOWN"
		}
	}
	return c.resetTrunk(t, left), nil
}

func (c *Cloud) resetTrunk(t *Trunk, subPorts []SubPort) Trunk {
	t.SubPorts, t.Status = subPorts, "DOWN"
	c.touch(t)
	shown := *t
	c.onAgent(func() {
		if p, ok := c.network.ports.get(t.PortID); ok && p.bound() && p.Status == "ACTIVE" {
			c.setTrunk(p, "ACTIVE")
		}
	})
	return shown
}

// setTrunk sets the status of the trunk of a port and of what is in it: ACTIVE
// when the agent of its host has it (neutron/services/trunk/rpc/server.py,
// update_subport_bindings), DOWN when its parent is unbound (plugin.py,
// _trigger_trunk_status_change).
func (c *Cloud) setTrunk(parent *Port, status string) {
	for _, t := range c.network.trunks.where(func(t *Trunk) bool { return t.PortID == parent.ID && t.Status != status }) {
		t.Status = status
		c.touch(t)
		for _, s := range t.SubPorts {
			if p, ok := c.network.ports.get(s.PortID); ok {
				p.DeviceOwner, p.Status = "trunk:subport", status
				c.touch(p)
			}
		}
	}
}

package openstacksim

import (
	"slices"
	"time"
)

// vifTimeout is how long Nova waits for the ports of a server (nova/conf/compute.py,
// vif_plugging_timeout).
const vifTimeout = 300 * time.Second

// wire makes a bound port ACTIVE when the agent of its host has wired it
// (neutron/plugins/ml2/rpc.py, update_device_up), unless it belongs to another
// device by then.
func (c *Cloud) wire(p *Port) {
	device := p.DeviceID
	up := func() {
		if _, ok := c.network.ports.get(p.ID); ok && p.DeviceID == device {
			p.Status = "ACTIVE"
			c.touch(p)
			c.setTrunk(p, "ACTIVE")
		}
	}
	p.Status = "DOWN"
	c.onAgent(up)
}

// wireFloating makes a floating IP ACTIVE when the agent of its router has it
// (neutron/api/rpc/handlers/l3_rpc.py, update_floatingip_statuses). The row is
// looked up again, as this one may be the copy that an update works on.
func (c *Cloud) wireFloating(f *FloatingIP) {
	f.Status = "ACTIVE"
	if c.delays.PortUp == 0 {
		return
	}
	f.Status = "DOWN"
	c.later(c.delays.PortUp, func() {
		if now, ok := c.network.floating.get(f.ID); ok && now.PortID != nil {
			now.Status = "ACTIVE"
			c.touch(now)
		}
	})
}

// onAgent is for what an agent does: some time after Neutron has answered, or at
// once if the cloud has no delay for it.
func (c *Cloud) onAgent(do func()) {
	if c.delays.PortUp == 0 {
		do()
		return
	}
	c.later(c.delays.PortUp, do)
}

// plug wires all ports of a server and then tells whether it worked: Nova waits
// for them, but not for ever (nova/virt/libvirt/driver.py, _create_guest_with_network).
func (c *Cloud) plug(s *Server, then func(plugged bool)) {
	c.rewire(s)
	if len(c.portsOfServer(s)) == 0 || c.delays.PortUp == 0 {
		then(true)
		return
	}
	c.later(min(c.delays.PortUp, vifTimeout), func() {
		if c.alive(s) {
			then(c.delays.PortUp <= vifTimeout)
		}
	})
}

// rewire wires all ports of a server that has started.
func (c *Cloud) rewire(s *Server) {
	for _, p := range c.portsOfServer(s) {
		c.wire(p)
	}
}

func (c *Cloud) portsOfServer(s *Server) []*Port {
	return c.network.ports.where(func(p *Port) bool { return p.DeviceID == s.ID })
}

// releasePort lets a port of a server go: what Nova made goes, the rest is free.
func (c *Cloud) releasePort(s *Server, p *Port) {
	if slices.Contains(s.ownPorts, p.ID) {
		c.dropPort(p.ID)
		return
	}
	c.attachPort(p, "", "", "DOWN")
}

package openstacksim

import (
	"testing"
	"time"
)

func TestServersWaitForTheirPorts(t *testing.T) {
	for _, tc := range []struct {
		why      string
		up, then time.Duration
		server   string
		port     string
	}{
		{"the agent is at it", 20 * time.Second, 12 * time.Second, "BUILD", "DOWN"},
		{"the agent is done", 20 * time.Second, 30 * time.Second, "ACTIVE", "ACTIVE"},
		{"Nova has waited 5 minutes", time.Hour, 6 * time.Minute, "ERROR", "DOWN"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c := start(t, WithDelays(Delays{ServerBuild: 8 * time.Second, PortUp: tc.up}))
			network := c.create("network", body{"name": "n"})
			c.create("subnet", body{"network_id": network, "ip_version": 4, "cidr": "10.6.0.0/24"})
			c.server("m0", c.create("port", body{"network_id": network, "name": "m0-0"}))
			c.advance(tc.then)
			s, p := c.sim.Servers("m0")[0], c.sim.Ports("m0-0")[0]
			if s.Status != tc.server || p.Status != tc.port {
				t.Errorf("server %s, port %s, want %s, %s", s.Status, p.Status, tc.server, tc.port)
			}
			if s.Fault != nil && s.Fault.Message != "Build of instance "+s.ID+" aborted: Failed to allocate the network(s), not rescheduling." {
				t.Errorf("fault: %+v", s.Fault)
			}
		})
	}
}

func TestRoutersWaitForTheirAgent(t *testing.T) {
	c := start(t, WithDelays(Delays{PortUp: 5 * time.Second}))
	network, _, router := c.network()
	port := c.create("port", body{"network_id": network})
	c.create("floatingip", body{"floating_network_id": c.sim.Networks("public")[0].ID, "port_id": port})
	for _, want := range []string{"DOWN", "ACTIVE"} {
		if f := c.sim.FloatingIPs("")[0]; f.Status != want {
			t.Errorf("floating IP: %s, want %s", f.Status, want)
		}
		for _, p := range c.sim.PortsOf(router) {
			if p.DeviceOwner == ownerInterface && p.Status != want {
				t.Errorf("interface: %s, want %s", p.Status, want)
			}
		}
		c.advance(10 * time.Second)
	}
}

package openstacksim

import (
	"strings"
	"testing"
	"time"
)

// TestBuildsTakeDifferentTimes: else all servers of a test of scale would be
// ACTIVE at once, and in step with who polls them.
func TestBuildsTakeDifferentTimes(t *testing.T) {
	c := start(t, WithDelays(Delays{ServerBuild: 8 * time.Second, ServerSpread: 8 * time.Second}))
	network, _, _ := c.network()
	for range 8 {
		c.server("m", c.create("port", body{"network_id": network}))
	}
	c.advance(8*time.Second - time.Millisecond)
	for _, s := range c.sim.Servers("") {
		if s.Status != "BUILD" {
			t.Errorf("server %s is %s before the shortest build", s.ID, s.Status)
		}
	}
	c.advance(8 * time.Second)
	ends := map[time.Time]bool{}
	for _, s := range c.sim.Servers("") {
		if s.Status != "ACTIVE" {
			t.Errorf("server %s is %s after the longest build", s.ID, s.Status)
		}
		ends[s.Launched] = true
	}
	if len(ends) != 8 {
		t.Errorf("%d different ends of 8 builds", len(ends))
	}
}

func TestAnotherExternalNetwork(t *testing.T) {
	c := start(t)
	id := c.sim.AddExternalNetwork("wide", "198.18.0.0/16", AllocationPool{"198.18.0.2", "198.18.255.254"})
	c.create("floatingip", body{"floating_network_id": id})
	if got := c.sim.FloatingIPs("")[0].Address; !strings.HasPrefix(got, "198.18.") {
		t.Errorf("floating IP %s", got)
	}
	c.sim.DeleteFloatingIP(c.sim.FloatingIPs("")[0].ID)
	c.sim.WantNothingLeft(t)
}

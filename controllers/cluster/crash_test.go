package cluster

import (
	"fmt"
	"testing"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

// cuts are the ways in which a request is lost: before or after it took effect.
var cuts = map[string]func(*openstacksim.Cloud, int) *openstacksim.Fault{
	"before": (*openstacksim.Cloud).CutBefore,
	"after":  (*openstacksim.Cloud).CutAfter,
}

// TestCrashes cuts each write of a cluster's life, forgets all that is in
// memory, and wants the same end, nothing doubled and nothing left.
func TestCrashes(t *testing.T) {
	for _, edits := range [][]specEdit{nil, {noBalancer}} {
		writes, patches := sweep(t, edits, "", 0)
		for n := 1; n <= patches; n++ {
			t.Run(fmt.Sprintf("balancer %t, cut patch %d", edits == nil, n), func(t *testing.T) {
				sweep(t, edits, "patch", n)
			})
		}
		for when := range cuts {
			for n := 1; n <= writes; n++ {
				t.Run(fmt.Sprintf("balancer %t, cut %s write %d", edits == nil, when, n), func(t *testing.T) {
					sweep(t, edits, when, n)
				})
			}
		}
	}
}

// sweep is one life with a cut at the n-th write to OpenStack or patch of the
// object; it returns how many there are.
func sweep(t *testing.T, edits []specEdit, when string, n int) (writes, patches int) {
	t.Helper()
	e := newEnv(t, edits...)
	if cut, found := cuts[when]; found {
		cut(e.sim, n)
	} else {
		e.cutPatch = n
	}
	e.settleWithCrashes()
	e.wantProvisioned()
	e.wantOneOfEach()
	e.delete()
	e.settleWithCrashes()
	e.wantGone()
	e.sim.WantNothingLeft(t)
	return e.sim.Writes(), e.patches
}

// settleWithCrashes forgets everything after each pass that failed, as a
// process that was killed in it.
func (e *env) settleWithCrashes() {
	e.t.Helper()
	for range 60 {
		if e.pass() {
			return
		}
		e.restart()
	}
	e.t.Fatalf("still busy after 60 passes: %s", e.conditions())
}

func (e *env) wantOneOfEach() {
	e.t.Helper()
	want := map[string]int{
		"networks": 2, "subnets": 1, "routers": 1, "groups": 3, "floating IPs": 1, "load balancers": 0, // with the seed's: public, default
	}
	if e.infra().Spec.APIServer.ManagedLoadBalancer != nil {
		want["load balancers"] = 1
	}
	got := map[string]int{
		"networks": len(e.sim.Networks("")), "subnets": len(e.sim.Subnets("k8s-clusterapi-cluster-ns-c")), "routers": len(e.sim.Routers("")),
		"groups": len(e.sim.SecurityGroups("")), "floating IPs": len(e.sim.FloatingIPs("")), "load balancers": len(e.sim.LoadBalancers("")),
	}
	for kind, n := range want {
		if got[kind] != n {
			e.t.Errorf("%d %s, want %d", got[kind], kind, n)
		}
	}
}

// TestDeleteInEveryState deletes after the first pass, the second, and so on.
func TestDeleteInEveryState(t *testing.T) {
	for n := range 6 {
		t.Run(fmt.Sprintf("after %d passes", n), func(t *testing.T) {
			e := newEnv(t)
			e.passes(n)
			e.deleteCleanly()
		})
	}
}

// TestStaleLists makes a cluster while lists do not show yet what was made and
// the memory of it is lost: doubles are made, and must not stay.
func TestStaleLists(t *testing.T) {
	for _, edits := range [][]specEdit{nil, {noBalancer}} {
		e := newEnv(t, edits...)
		e.pass() // finalizer and mark
		e.sim.FreezeLists()
		e.sim.CutAfter(1)
		e.passes(2)
		e.restart()
		e.pass()
		e.sim.ThawLists()
		e.settle()
		e.wantProvisioned()
		e.wantOneOfEach()
		e.deleteCleanly()
	}
}

// TestDrift puts back what somebody changed behind our back.
func TestDrift(t *testing.T) {
	e := newEnv(t)
	e.settle()
	group := e.infra().Status.ControlPlaneSecurityGroup.ID
	want := len(e.sim.Rules(group))
	e.sim.DeleteRule(e.sim.Rules(group)[3].ID)
	e.sim.Clock.Advance(minute) // lists are shared for some seconds
	e.settle()
	if got := len(e.sim.Rules(group)); got != want {
		t.Errorf("%d rules after one was deleted, want %d again", got, want)
	}

	ip := e.sim.FloatingIPs("")[0]
	if _, err := e.neutron().AttachFloatingIP(t.Context(), ip.ID, ""); err != nil {
		t.Fatal(err)
	}
	e.sim.Clock.Advance(minute)
	e.settle()
	if got := e.sim.FloatingIPs("")[0]; got.PortID == nil || *got.PortID != *ip.PortID {
		t.Errorf("the floating IP is on port %v, want %s again", got.PortID, *ip.PortID)
	}

	e.sim.DeleteLoadBalancer(e.infra().Status.APIServerManagedLoadBalancer.ID)
	e.sim.Clock.Advance(minute)
	e.settle()
	e.wantProvisioned()
	e.wantOneOfEach()
	if got := e.infra().Spec.ControlPlaneEndpoint.Host; got != ip.Address {
		t.Errorf("endpoint %s, want it to stay %s", got, ip.Address)
	}
	e.deleteCleanly()
}

func TestChanges(t *testing.T) {
	e := newEnv(t)
	e.settle()
	e.edit(func(c *infrav1.OpenStackCluster) {
		c.Spec.ManagedSubnets[0].DNSNameservers = []string{"10.0.0.54", "10.0.0.55"}
		lb := c.Spec.APIServer.ManagedLoadBalancer
		lb.AllowedCIDRs = []string{"192.168.7.0/24"}
		lb.AdditionalPorts = []int64{9443}
		lb.Monitor = &infrav1.APIServerLoadBalancerMonitor{Delay: 20}
		c.Spec.ManagedSecurityGroups.WorkerNodesSecurityGroupRules = []infrav1.SecurityGroupRuleSpec{
			{Name: "dns", Direction: infrav1.Ingress, Protocol: "udp", PortRangeMin: ptr(53), PortRangeMax: ptr(53),
				RemoteManagedGroups: []infrav1.ManagedSecurityGroupName{infrav1.WorkerGroup, infrav1.ControlPlaneGroup}},
			{Name: "v6", Direction: infrav1.Ingress, Protocol: "tcp", RemoteIPPrefix: "fd00::/8"},
		}
	})
	before := len(e.sim.Rules(e.infra().Status.WorkerSecurityGroup.ID))
	e.sim.Clock.Advance(minute)
	e.settle()
	e.wantProvisioned()
	if got := len(e.sim.Rules(e.infra().Status.WorkerSecurityGroup.ID)); got != before+3 {
		t.Errorf("%d rules of workers, want %d and 3 more", got, before)
	}
	if got := e.sim.Subnets("k8s-clusterapi-cluster-ns-c")[0].DNSNameservers; len(got) != 2 {
		t.Errorf("DNS servers %v, want both new ones", got)
	}
	listeners := e.sim.Listeners("")
	if len(listeners) != 2 || len(e.sim.HealthMonitors("")) != 2 {
		t.Fatalf("%d listeners and %d monitors, want 2 of each", len(listeners), len(e.sim.HealthMonitors("")))
	}
	// The user's, the subnet's, and the router's address.
	if got := listeners[0].AllowedCIDRs; len(got) != 3 {
		t.Errorf("allowed CIDRs %v, want three", got)
	}
	e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.APIServer.ManagedLoadBalancer.AdditionalPorts = nil })
	e.settle()
	if l, p := len(e.sim.Listeners("")), len(e.sim.Pools("")); l != 1 || p != 1 {
		t.Errorf("%d listeners and %d pools, want one again", l, p)
	}
	e.deleteCleanly()
}

func ptr(n int64) *int64 { return &n }

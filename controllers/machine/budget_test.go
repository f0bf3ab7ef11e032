package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

func TestWorkerCreateBudget(t *testing.T) {
	e := newEnv(t, worker)
	if _, err := e.reconciler.Identities.Open(t.Context(), testNamespace, infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"}); err != nil {
		t.Fatal(err)
	}
	e.sim.ResetCalls()
	e.until(func() bool { return conditions.IsTrue(e.machine(), infrav1.Ready) })
	e.wantReason(infrav1.Ready, infrav1.Available)
	// Two lists, port, server, and the two lists of the poll that sees it
	// ACTIVE. Beside that is what a session asks once for all machines: the
	// versions of services, flavors and images.
	count := 0
	for _, call := range e.sim.Calls() {
		if strings.HasPrefix(call.Path, "/servers") || strings.HasPrefix(call.Path, "/ports") {
			count++
		}
	}
	if count > 6 {
		t.Fatalf("%d requests for one worker, want at most 6:\n%v", count, e.sim.Calls())
	}
}

func TestQuietPassBudget(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.sim.Clock.Advance(10 * time.Minute)
	e.sim.ResetCalls()
	if !e.quiet() {
		t.Fatal("a quiet pass wrote something")
	}
	if calls := e.sim.Calls(); len(calls) > 2 {
		t.Fatalf("a quiet pass made %d requests, want one list of servers and one of ports: %v", len(calls), calls)
	}
}

// shared are the requests that do not grow with the number of machines: finding the
// services, the lists of the snapshot, what the catalog keeps for all.
var shared = []string{
	"octavia GET /load-balancer", "neutron GET /networking", "glance GET /image",
	"nova GET /servers/detail", "neutron GET /ports", "octavia GET /loadbalancers",
	"nova GET /flavors/detail", "glance GET /images",
}

// TestOwnRequests holds what a machine costs beside what is shared.
func TestOwnRequests(t *testing.T) {
	for name, c := range map[string]struct {
		role                          change
		create, first, quiet, deleted int
	}{
		"worker":        {worker, 2, 0, 0, 3},
		"control plane": {controlPlane, 7, 2, 0, 10},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, c.role)
			e.onePort()
			e.sim.ResetCalls()
			e.until(func() bool { return conditions.IsTrue(e.machine(), infrav1.Ready) })
			e.wantOwn("create", c.create)
			for _, most := range []int{c.first, c.quiet} {
				e.sim.Clock.Advance(10 * time.Minute)
				e.settle()
				e.wantOwn("a quiet look", most)
			}
			e.delete()
			e.until(func() bool { return e.machine() == nil })
			e.wantOwn("delete", c.deleted)
		})
	}
}

// until reconciles when the queue would, until it is done.
func (e *env) until(done func() bool) {
	e.Helper()
	for range 20 {
		if done() {
			return
		}
		result, err := e.reconcile()
		if err != nil {
			e.Fatal(err)
		}
		e.sim.Clock.Advance(max(result.RequeueAfter, time.Second))
	}
	e.Fatal("not done after 20 passes")
}

// onePort leaves the load balancer one listener, as most clusters have it, and opens
// the session that all machines share.
func (e *env) onePort() {
	e.Helper()
	access, err := e.reconciler.Identities.Open(e.Context(), testNamespace, infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"})
	if err != nil {
		e.Fatal(err)
	}
	for _, balancer := range e.sim.LoadBalancers("lb") {
		octavia, err := access.Session.LoadBalancing()
		if err != nil {
			e.Fatal(err)
		}
		listeners, err := octavia.Listeners(e.Context(), balancer.ID)
		if err != nil {
			e.Fatal(err)
		}
		for _, listener := range listeners[1:] {
			if err := octavia.DeleteListener(e.Context(), listener.ID); err != nil {
				e.Fatal(err)
			}
			e.sim.Clock.Advance(time.Minute)
		}
	}
}

// wantOwn checks the machine's own requests since the last time.
func (e *env) wantOwn(what string, most int) {
	e.Helper()
	var own []string
	for _, call := range e.sim.Calls() {
		if text := call.String(); !slices.Contains(shared, text) {
			own = append(own, text)
		}
	}
	e.Logf("%s: %d requests of its own, %d all told", what, len(own), len(e.sim.Calls()))
	if len(own) > most {
		e.Errorf("%s: want at most %d:\n%s", what, most, strings.Join(own, "\n"))
	}
	e.sim.ResetCalls()
}

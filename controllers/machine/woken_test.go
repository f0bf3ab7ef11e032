package machine

import (
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

// calls is a queue that keeps who was put into it.
type calls struct{ woken []reconcile.Request }

func (c *calls) Add(item reconcile.Request) { c.woken = append(c.woken, item) }

// watch lets the manager look after servers for a while and tells whom it woke.
func (e *env) watch(d time.Duration) []reconcile.Request {
	e.Helper()
	woken := &calls{}
	e.reconciler.queue = woken
	access, err := e.reconciler.Identities.Open(e.Context(), testNamespace, infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"})
	if err != nil {
		e.Fatal(err)
	}
	for end := e.sim.Clock.Now().Add(d); e.sim.Clock.Now().Before(end) && len(woken.woken) == 0; {
		if err := access.Observer.Watch.Look(e.Context()); err != nil {
			e.Fatal(err)
		}
		e.sim.Clock.Advance(200 * time.Millisecond)
	}
	return woken.woken
}

// passes reconciles so many times and returns the last result.
func (e *env) passes(n int) (result ctrl.Result) {
	e.Helper()
	for range n {
		var err error
		if result, err = e.reconcile(); err != nil {
			e.Fatal(err)
		}
	}
	return result
}

// TestMachineIsWokenByItsServer: nobody waits for the slow poll, neither when the
// server was built nor when it is gone.
func TestMachineIsWokenByItsServer(t *testing.T) {
	e := newEnv(t, worker)
	if after := e.passes(4).RequeueAfter; e.machine().Status.InstanceState != cloud.ServerBuild || after != serverPoll {
		t.Fatalf("the server is %s, looked at again after %s; want BUILD and %s", e.machine().Status.InstanceState, after, serverPoll)
	}
	if got := e.watch(serverPoll); len(got) != 1 || got[0].Name != "m0" {
		t.Fatalf("woken: %v, want m0 once", got)
	}
	e.passes(1)
	if status := e.machine().Status.InstanceState; status != cloud.ServerActive {
		t.Errorf("when woken the server is %s, want ACTIVE", status)
	}
	e.delete()
	e.passes(3)
	if got := e.watch(serverPoll); len(got) != 1 {
		t.Fatalf("woken: %v, want m0 once", got)
	}
	e.passes(3)
	e.wantServers(0)
	if e.machine() != nil {
		t.Error("the machine is still there")
	}
}

package machine

import (
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
	for range 10 {
		if m := e.machine(); conditions.IsTrue(m, infrav1.Ready) {
			break
		}
		result, err := e.reconcile()
		if err != nil {
			t.Fatal(err)
		}
		e.sim.Clock.Advance(result.RequeueAfter)
	}
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

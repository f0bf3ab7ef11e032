package step_test

import (
	"context"
	"testing"

	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/step"
)

// TestReadyTellsWhatADeletionWaitsFor: the steps are removed from bottom to
// top, so the last one is what the others wait for.
func TestReadyTellsWhatADeletionWaitsFor(t *testing.T) {
	steps := []step.Step[int]{
		{Condition: infrav1.PortsReady, Remove: func(context.Context, int) step.Result {
			return step.WaitEvent(infrav1.WaitingForServer, "the ports go after the server")
		}},
		{Condition: infrav1.ServerReady, Remove: func(context.Context, int) step.Result {
			return step.Wait(infrav1.Deleting, "server s is being deleted", 1)
		}},
	}
	machine := &infrav1.OpenStackMachine{}
	if outcome := step.RunRemoval(t.Context(), machine, steps, 0, "all"); outcome.Done() {
		t.Fatal("done, although both steps wait")
	}
	for _, condition := range []string{infrav1.Ready, infrav1.Deleting} {
		if got := conditions.GetMessage(machine, condition); got != "server s is being deleted" {
			t.Errorf("%s says %q, want what the server waits for", condition, got)
		}
	}
	if conditions.IsTrue(machine, infrav1.Ready) {
		t.Error("Ready while it is deleted")
	}
}

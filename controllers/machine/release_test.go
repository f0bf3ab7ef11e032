package machine

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/cluster-api/util/conditions"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

// TestReleaseIsToldOf: an API server takes no condition without a reason. One
// would cost the event that tells what was left.
func TestReleaseIsToldOf(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.dropSecret()
	e.restart()
	e.delete()
	e.annotate(infrav1.ReleaseAnnotation, "true")
	e.reconciler.Client = interceptor.NewClient(e.client.(client.WithWatch), interceptor.Funcs{SubResourcePatch: refuseNoReason})
	if _, err := e.reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(e.machine())}); err != nil {
		t.Fatal(err)
	}
	select {
	case event := <-e.reconciler.Events.(*events.FakeRecorder).Events:
		if !strings.Contains(event, "ResourcesReleased") {
			t.Fatalf("event %q, want ResourcesReleased", event)
		}
	default:
		t.Fatal("no event tells what was left")
	}
}

// TestRefusedRemovalTellsTheWayOut: a role that was taken away lets us look but
// not delete. The user decides whether what is left is left.
func TestRefusedRemovalTellsTheWayOut(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.sim.FailAll(openstacksim.Match{Service: "nova", Method: "DELETE"}, http.StatusForbidden, `{"forbidden": {"message": "Policy doesn't allow it"}}`)
	e.delete()
	e.settleOnce()
	e.wantReason(infrav1.ServerReady, infrav1.PermissionDenied)
	if m := conditions.GetMessage(e.machine(), infrav1.Deleting); !strings.Contains(m, infrav1.ReleaseAnnotation) || !strings.Contains(m, testMark) {
		t.Fatalf("the message names neither the way out nor what is left: %q", m)
	}
	e.annotate(infrav1.ReleaseAnnotation, "true")
	e.settle()
	if e.machine() != nil {
		t.Fatal("the machine was not let go")
	}
	e.wantServers(1)
}

//nolint:revive // the fake client says which parameters it takes
func refuseNoReason(ctx context.Context, c client.Client, sub string, object client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	if m, ok := object.(*infrav1.OpenStackMachine); ok {
		for _, condition := range m.Status.Conditions {
			if condition.Reason == "" {
				return errors.New("status.conditions[].reason: should be at least 1 chars long")
			}
		}
	}
	return c.SubResource(sub).Patch(ctx, object, patch, opts...)
}

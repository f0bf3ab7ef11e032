package machine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// TestReleaseIsToldOf: an API server takes no condition without a reason. One
// would cost the event that tells what was left.
func TestReleaseIsToldOf(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.dropSecret()
	e.restart()
	e.delete()
	m := e.machine()
	before := m.DeepCopy()
	m.Annotations[infrav1.ReleaseAnnotation] = "true"
	if err := e.client.Patch(t.Context(), m, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.reconciler.Client = interceptor.NewClient(e.client.(client.WithWatch), interceptor.Funcs{SubResourcePatch: refuseNoReason})
	if _, err := e.reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)}); err != nil {
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

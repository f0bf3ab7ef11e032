package machine

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// TestDeletionOfACopyLeavesTheServer: a machine that was copied under another
// name, or restored from a backup into another namespace.
func TestDeletionOfACopyLeavesTheServer(t *testing.T) {
	for _, name := range []client.ObjectKey{{Namespace: testNamespace, Name: "copy"}, {Namespace: "another", Name: "m0"}} {
		t.Run(name.String(), func(t *testing.T) {
			e := newEnv(t, worker)
			e.settle()
			twin := e.machine()
			twin.ObjectMeta = metav1.ObjectMeta{
				Namespace: name.Namespace, Name: name.Name, Labels: twin.Labels, Annotations: twin.Annotations, Finalizers: twin.Finalizers,
				CreationTimestamp: metav1.NewTime(twin.CreationTimestamp.Add(time.Second)),
			}
			twin.Spec.IdentityRef = &infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"}
			credentials := e.secret("cloud-config", infrav1.CloudsYAMLKey, e.sim.CloudsYAML("sim"))
			if credentials.Namespace = name.Namespace; name.Namespace != testNamespace {
				if err := e.client.Create(t.Context(), credentials); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.client.Create(t.Context(), twin); err != nil {
				t.Fatal(err)
			}
			if err := e.client.Delete(t.Context(), twin); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if _, err := e.reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: name}); err != nil {
					t.Log(err)
				}
				e.sim.Clock.Advance(time.Minute)
			}
			e.wantServers(1)
			if err := e.client.Get(t.Context(), name, twin); err != nil || conditions.GetReason(twin, infrav1.Ready) != infrav1.InvalidSpec {
				t.Errorf("the copy is not told what is wrong: %v, %+v", err, twin.GetConditions())
			}
			e.delete()
			e.settle()
			e.sim.WantNothingLeft(t)
		})
	}
}

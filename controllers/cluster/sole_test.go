package cluster

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// TestCopyWithTheMarkIsRefused: who copies an object to make another cluster of
// it copies its annotations, too. What carries the mark stays the first one's.
func TestCopyWithTheMarkIsRefused(t *testing.T) {
	e := newEnv(t)
	e.settle()
	name := client.ObjectKey{Namespace: "ns2", Name: key.Name} // as a backup is restored beside the original
	twin := e.infra()
	twin.ObjectMeta = metav1.ObjectMeta{
		Namespace: name.Namespace, Name: name.Name, Finalizers: twin.Finalizers, Annotations: twin.Annotations,
		CreationTimestamp: metav1.NewTime(twin.CreationTimestamp.Add(time.Second)), OwnerReferences: twin.OwnerReferences,
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: "creds"},
		Data: map[string][]byte{infrav1.CloudsYAMLKey: e.sim.CloudsYAML("capok")}}
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, UID: "uid"}}
	for _, object := range []client.Object{secret, cluster, twin} {
		if err := e.client.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	e.passesOf(name, 5)
	if err := e.client.Get(t.Context(), name, twin); err != nil {
		t.Fatal(err)
	}
	if got := conditions.GetReason(twin, infrav1.Ready); got != infrav1.InvalidSpec {
		t.Errorf("the copy is Ready with reason %q, want %q", got, infrav1.InvalidSpec)
	}
	twin.Annotations[infrav1.ReleaseAnnotation] = "true"
	if err := e.client.Update(t.Context(), twin); err != nil {
		t.Fatal(err)
	}
	if err := e.client.Delete(t.Context(), twin); err != nil {
		t.Fatal(err)
	}
	e.passesOf(name, 5)
	if err := e.client.Get(t.Context(), name, twin); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the copy cannot be deleted: %v", err)
	}
	if len(e.sim.LoadBalancers("")) != 1 || len(e.sim.Networks("")) != 2 {
		t.Error("the deletion of a copy took what the first cluster uses")
	}
	e.settle()
	e.wantProvisioned()
	e.deleteCleanly()
}

// passesOf reconciles another object some times.
func (e *env) passesOf(name client.ObjectKey, n int) {
	e.t.Helper()
	for range n {
		if _, err := e.r.Reconcile(e.t.Context(), ctrl.Request{NamespacedName: name}); err != nil {
			e.t.Logf("pass of %s: %v", name, err)
		}
		e.sim.Clock.Advance(10 * time.Second)
	}
}

package machine

import (
	"net/http"
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

// annotate changes the machine's annotations; an empty value removes one.
func (e *env) annotate(key, value string) {
	e.Helper()
	m := e.machine()
	before := m.DeepCopy()
	if m.Annotations[key] = value; value == "" {
		delete(m.Annotations, key)
	}
	if err := e.client.Patch(e.Context(), m, client.MergeFrom(before)); err != nil {
		e.Fatal(err)
	}
}

// TestLostMarkIsTakenFromTheCluster: the machine has a copy of it.
func TestLostMarkIsTakenFromTheCluster(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.annotate(infrav1.MarkAnnotation, "")
	e.delete()
	e.settle()
	if e.machine() != nil {
		t.Fatal("the machine still has its finalizer")
	}
	e.sim.WantNothingLeft(t)
}

// TestMarkLostEverywhereIsTold: nothing can be found by it, which is not the
// same as nothing being there. The user can let the machine go.
func TestMarkLostEverywhereIsTold(t *testing.T) {
	e := newEnv(t, func(m *infrav1.OpenStackMachine, _ *clusterv1.Machine, _ *infrav1.OpenStackCluster) {
		m.Spec.IdentityRef = &infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"}
	})
	e.settle()
	infra := &infrav1.OpenStackCluster{}
	if err := e.client.Get(t.Context(), client.ObjectKey{Namespace: testNamespace, Name: "c"}, infra); err != nil {
		t.Fatal(err)
	}
	if err := e.client.Delete(t.Context(), infra); err != nil {
		t.Fatal(err)
	}
	e.annotate(infrav1.MarkAnnotation, "")
	e.delete()
	e.settleOnce()
	e.wantReason(infrav1.Ready, infrav1.InvalidSpec)
	e.annotate(infrav1.ReleaseAnnotation, "true")
	e.settle()
	if e.machine() != nil {
		t.Fatal("the machine was not let go")
	}
	e.wantServers(1)
}

// TestCredentialsOfAnotherProjectAreRefused: nothing of the machine is there,
// and a health check would replace it.
func TestCredentialsOfAnotherProjectAreRefused(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.sim.AddProject("another", "somebody", "secret")
	e.dropSecret()
	other := e.secret("cloud-config", "clouds.yaml", e.sim.CloudsYAMLFor("sim", "another", "somebody", "secret"))
	if err := e.client.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	for range 2 { // while it lives, and while it is deleted
		e.settleOnce()
		e.wantReason(infrav1.CredentialsValid, infrav1.InvalidSpec)
		e.wantServers(1)
		if e.machine().DeletionTimestamp.IsZero() {
			e.delete()
		}
	}
	e.dropSecret()
	e.putSecret()
	e.settle()
	e.sim.WantNothingLeft(t)
}

// TestReleaseOfWhatNeverEnds: something is stuck in OpenStack without an error.
func TestReleaseOfWhatNeverEnds(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.sim.FailAll(openstacksim.Match{Service: "nova", Method: "DELETE"}, http.StatusConflict, `{"conflictingRequest": {"message": "stuck"}}`)
	e.delete()
	e.annotate(infrav1.ReleaseAnnotation, "true")
	_ = e.quiet()
	if e.machine() == nil {
		t.Fatal("let go at once, although it might still end")
	}
	e.sim.Clock.Advance(11 * time.Minute)
	e.settle()
	if e.machine() != nil {
		t.Fatal("the machine was not let go")
	}
}

// TestControlPlaneGoesWithoutOctavia: the cluster asked for a load balancer of
// a cloud that has none.
func TestControlPlaneGoesWithoutOctavia(t *testing.T) {
	e := newEnvOn(t, openstacksim.New(openstacksim.WithoutService("octavia")), worker)
	e.settle()
	m, infra := e.machine(), &infrav1.OpenStackCluster{}
	m.Labels[clusterv1.MachineControlPlaneLabel] = ""
	if err := e.client.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if err := e.client.Get(t.Context(), client.ObjectKey{Namespace: testNamespace, Name: "c"}, infra); err != nil {
		t.Fatal(err)
	}
	infra.Spec.APIServer = &infrav1.APIServer{ManagedLoadBalancer: &infrav1.APIServerLoadBalancer{}}
	if err := e.client.Update(t.Context(), infra); err != nil {
		t.Fatal(err)
	}
	e.delete()
	e.settle()
	e.sim.WantNothingLeft(t)
}

package identity

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/capok/capok/api/infrastructure/v1alpha1"
	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/test/openstacksim"
)

// fixture is a Secret "creds" in two namespaces and the cloud that it opens.
type fixture struct {
	*testing.T
	*Provider
	sim    *openstacksim.Cloud
	client client.Client
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, sim: openstacksim.New()}
	f.sim.Start(t)
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	f.client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(f.secret("a"), f.secret("b")).Build()
	f.Provider = NewProvider(f.client, f.sim.Clock, cloud.Limits{})
	return f
}

func (f *fixture) secret(namespace string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "creds"},
		Data: map[string][]byte{infrav1.CloudsYAMLKey: f.sim.CloudsYAML("sim")}}
}

var ref = infrav1.IdentityRef{Name: "creds", CloudName: "sim"}

func (f *fixture) open(namespace string) *Access {
	f.Helper()
	access, err := f.Open(f.Context(), namespace, ref)
	if err != nil {
		f.Fatal(err)
	}
	return access
}

// logins counts the tokens that were asked for.
func (f *fixture) logins() (n int) {
	for _, call := range f.sim.Calls() {
		if strings.Contains(call.String(), "POST") && strings.Contains(call.String(), "/auth/tokens") {
			n++
		}
	}
	return n
}

func TestOneSessionForTheSameCredentials(t *testing.T) {
	f := newFixture(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { f.open([]string{"a", "b"}[i%2]) })
	}
	all.Wait()
	if got := f.logins(); got != 1 {
		t.Errorf("logins: %d, want 1 for eight machines in two namespaces", got)
	}
	old := f.open("a")
	changed := f.secret("a")
	changed.Data[infrav1.CloudsYAMLKey] = append(changed.Data[infrav1.CloudsYAMLKey], '\n')
	if err := f.client.Update(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if f.open("a") == old {
		t.Error("a changed Secret is not read again")
	}
	if f.open("b") != old {
		t.Error("another namespace's Secret did not change")
	}
	f.sim.Clock.Advance(unusedFor + time.Second)
	if f.open("b") == old {
		t.Error("a session that nobody used is kept")
	}
}

func TestCredentialsThatAreMissing(t *testing.T) {
	f := newFixture(t)
	empty := f.secret("a")
	empty.Data = nil
	if err := f.client.Update(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	for namespace, says := range map[string]string{"a": "has no key clouds.yaml", "c": "there is no Secret c/creds"} {
		_, err := f.Open(t.Context(), namespace, ref)
		if cloud.KindOf(err) != cloud.NoCredentials || !strings.Contains(err.Error(), says) {
			t.Errorf("namespace %s: %v, want %q", namespace, err, says)
		}
	}
}

// TestFailedLoginSpeaksForOthers: the next attempt is made a little later, and
// nothing of the failure is kept then.
func TestFailedLoginSpeaksForOthers(t *testing.T) {
	f := newFixture(t)
	f.sim.FailAll(openstacksim.Match{Service: "keystone", Method: "POST"}, http.StatusServiceUnavailable, "")
	for range 3 {
		if _, err := f.Open(t.Context(), "a", ref); cloud.KindOf(err) != cloud.Unavailable {
			t.Fatalf("error %v", err)
		}
	}
	if got := f.logins(); got != 1 {
		t.Errorf("logins: %d, want 1", got)
	}
	f.sim.ClearFaults()
	f.sim.Clock.Advance(time.Minute)
	f.open("a")
}

func TestForOnlyWhatCanBeFound(t *testing.T) {
	const finalizer = "f"
	access := newFixture(t).open("a")
	project := access.Session.ProjectID
	for _, c := range []struct {
		why           string
		mark, project string
		finalizers    []string
		refused       bool
	}{
		{"nothing was made yet", "", "", nil, false},
		{"something was", "cx-a", project, []string{finalizer}, false},
		{"by a manager that noted no project", "cx-a", "", []string{finalizer}, false},
		{"in another project", "cx-a", "other", []string{finalizer}, true},
		{"with a mark that was lost", "", project, []string{finalizer}, true},
	} {
		object := &infrav1.OpenStackCluster{ObjectMeta: metav1.ObjectMeta{Finalizers: c.finalizers,
			Annotations: map[string]string{infrav1.MarkAnnotation: c.mark, infrav1.ProjectAnnotation: c.project}}}
		err := access.For(object, finalizer)
		if (err != nil) != c.refused || err == nil && object.Annotations[infrav1.ProjectAnnotation] != project {
			t.Errorf("%s: error %v, annotations %v", c.why, err, object.Annotations)
		}
	}
}

// TestPassBeginsLater: a pass that has begun comes to its end whatever it asks, and the
// next begins when that is within the limit again.
func TestPassBeginsLater(t *testing.T) {
	f := newFixture(t)
	f.Provider = NewProvider(f.client, f.sim.Clock, cloud.Limits{QPS: 1, Burst: 10})
	compute, err := f.open("a").Session.Compute()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := compute.ServersTagged(t.Context(), "m"); err != nil {
			t.Fatalf("held in its midst: %v", err)
		}
	}
	_, err = f.Open(t.Context(), "a", ref)
	if cloud.KindOf(err) != cloud.Throttled {
		t.Fatalf("error %v, want Throttled", err)
	}
	before := len(f.sim.Calls())
	f.sim.Clock.Advance(cloud.RetryAfter(err))
	f.open("a")
	if asked := len(f.sim.Calls()) - before; asked != 0 {
		t.Errorf("%d requests to begin, want 0", asked)
	}
}

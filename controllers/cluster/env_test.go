package cluster

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/step"
	"github.com/capok/capok/test/openstacksim"
)

// env is one OpenStackCluster named c in the namespace ns, its Kubernetes and
// its OpenStack.
type env struct {
	t      *testing.T
	sim    *openstacksim.Cloud
	client client.Client
	events *events.FakeRecorder
	r      *Reconciler

	patches  int // sent so far
	cutPatch int // the one that is lost; 0: none
}

var errCut = errors.New("the connection to the API server was cut")

var key = client.ObjectKey{Namespace: "ns", Name: "c"}

// newEnv starts an OpenStack and tells of a cluster with a managed network,
// managed security groups and a load balancer, changed by the edits.
func newEnv(t *testing.T, edits ...func(*infrav1.OpenStackClusterSpec)) *env {
	t.Helper()
	sim := openstacksim.New()
	sim.Start(t)
	return newEnvOn(t, sim, edits...)
}

func newEnvOn(t *testing.T, sim *openstacksim.Cloud, edits ...func(*infrav1.OpenStackClusterSpec)) *env {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme, infrav1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "uid"}}
	infra := &infrav1.OpenStackCluster{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{clusterv1.ClusterNameLabel: key.Name},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: key.Name, UID: "uid"}},
		},
		Spec: infrav1.OpenStackClusterSpec{
			IdentityRef:           infrav1.IdentityRef{Name: "creds", CloudName: "capok"},
			ManagedSubnets:        []infrav1.SubnetSpec{{CIDR: "10.6.0.0/24", DNSNameservers: []string{"10.0.0.53"}}},
			ManagedSecurityGroups: &infrav1.ManagedSecurityGroups{},
			APIServer:             &infrav1.APIServer{ManagedLoadBalancer: &infrav1.APIServerLoadBalancer{}},
		},
	}
	for _, edit := range edits {
		edit(&infra.Spec)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: "creds"},
		Data:       map[string][]byte{infrav1.CloudsYAMLKey: sim.CloudsYAML("capok")},
	}
	e := &env{t: t, sim: sim, events: events.NewFakeRecorder(1000)}
	e.client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster, infra, secret).WithStatusSubresource(infra).
		WithInterceptorFuncs(e.cutPatches()).Build()
	e.restart()
	return e
}

// cutPatches loses the answer of one patch: it took effect.
func (e *env) cutPatches() interceptor.Funcs {
	cut := func(err error) error {
		if e.patches++; e.patches == e.cutPatch {
			return errors.Join(err, errCut)
		}
		return err
	}
	return interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return cut(c.Patch(ctx, o, patch, opts...))
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if e.patches+1 == e.cutPatch { // this one does not take effect
				return cut(nil)
			}
			return cut(c.SubResource(sub).Patch(ctx, o, patch, opts...))
		},
	}
}

// restart gives the reconciler a fresh memory, as a new process has it.
func (e *env) restart() {
	e.r = &Reconciler{Client: e.client, Identities: identity.NewProvider(e.client, e.sim.Clock, cloud.Limits{}), Events: e.events, Clock: e.sim.Clock}
}

// pass is one reconcile; the clock moves on by what it asked for.
func (e *env) pass() (quiet bool) {
	e.t.Helper()
	before := e.infra()
	result, err := e.r.Reconcile(context.Background(), ctrl.Request{NamespacedName: key})
	after := e.infra()
	switch {
	case err != nil:
		e.t.Logf("pass: %v", err)
		e.sim.Clock.Advance(time.Second)
		return false
	case result.RequeueAfter > 0 && result.RequeueAfter < step.Steady/2:
		e.sim.Clock.Advance(result.RequeueAfter)
		return false
	}
	// What the watch would tell us: everything but a change of the status.
	return before == nil || after == nil || before.Generation == after.Generation &&
		before.Annotations[infrav1.MarkAnnotation] == after.Annotations[infrav1.MarkAnnotation]
}

// settle reconciles until there is nothing more to do.
func (e *env) settle() {
	e.t.Helper()
	for range 60 {
		if e.pass() {
			return
		}
	}
	e.t.Fatalf("still busy after 60 passes: %s", e.conditions())
}

// passes reconciles some times, for what never gets quiet by itself.
func (e *env) passes(n int) {
	e.t.Helper()
	for range n {
		e.pass()
	}
}

// infra is the OpenStackCluster as it is stored; nil: gone.
func (e *env) infra() *infrav1.OpenStackCluster {
	e.t.Helper()
	infra := &infrav1.OpenStackCluster{}
	err := e.client.Get(context.Background(), key, infra)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		e.t.Fatal(err)
	}
	return infra
}

func (e *env) edit(change func(*infrav1.OpenStackCluster)) {
	e.t.Helper()
	infra := e.infra()
	change(infra)
	if err := e.client.Update(context.Background(), infra); err != nil {
		e.t.Fatal(err)
	}
}

// credentials replaces the content of the Secret.
func (e *env) credentials(cloudsYAML []byte) {
	e.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: "creds"}, Data: map[string][]byte{infrav1.CloudsYAMLKey: cloudsYAML}}
	if err := e.client.Update(context.Background(), secret); err != nil {
		e.t.Fatal(err)
	}
}

func (e *env) delete() {
	e.t.Helper()
	if err := e.client.Delete(context.Background(), e.infra()); err != nil {
		e.t.Fatal(err)
	}
}

func (e *env) wantGone() {
	e.t.Helper()
	if e.infra() != nil {
		e.t.Fatalf("the object is still there: %s", e.conditions())
	}
}

func (e *env) wantCondition(name, reason, contains string) {
	e.t.Helper()
	c := conditions.Get(e.infra(), name)
	if c == nil || c.Reason != reason || !strings.Contains(c.Message, contains) {
		e.t.Errorf("condition %s is %+v, want reason %s and %q in the message", name, c, reason, contains)
	}
}

func (e *env) wantProvisioned() {
	e.t.Helper()
	infra := e.infra()
	if p := infra.Status.Initialization.Provisioned; p == nil || !*p || !conditions.IsTrue(infra, infrav1.Ready) {
		e.t.Fatalf("not provisioned and ready: %s", e.conditions())
	}
}

func (e *env) conditions() string {
	infra := e.infra()
	if infra == nil {
		return "gone"
	}
	var all []string
	for _, c := range infra.Status.Conditions {
		all = append(all, c.Type+"="+string(c.Status)+" "+c.Reason+" "+c.Message)
	}
	return "\n" + strings.Join(all, "\n")
}

// calls counts the requests since ResetCalls, but for logging in.
func (e *env) calls() (n int, list string) {
	var all []string
	for _, call := range e.sim.Calls() {
		if call.Service != "keystone" {
			all = append(all, call.String())
		}
	}
	return len(all), strings.Join(all, "\n")
}

// neutron is a client of the test's own, for what users bring along.
func (e *env) neutron() *cloud.Networking {
	e.t.Helper()
	session, err := cloud.Open(e.t.Context(), cloud.Credentials{CloudsYAML: e.sim.CloudsYAML("test"), Cloud: "test"})
	if err != nil {
		e.t.Fatal(err)
	}
	neutron, err := session.Networking()
	if err != nil {
		e.t.Fatal(err)
	}
	return neutron
}

// bring makes a network with a subnet that the user has already, and takes
// both into the seed.
func (e *env) bring(name, cidr string) (cloud.Network, cloud.Subnet) {
	e.t.Helper()
	neutron := e.neutron()
	network, err := neutron.CreateNetwork(e.t.Context(), cloud.NetworkSpec{Name: name})
	if err != nil {
		e.t.Fatal(err)
	}
	subnet, err := neutron.CreateSubnet(e.t.Context(), cloud.SubnetSpec{Name: name, NetworkID: network.ID, CIDR: netip.MustParsePrefix(cidr)})
	if err != nil {
		e.t.Fatal(err)
	}
	e.sim.Seed()
	return network, subnet
}

// bringRouter makes a router with a way to the outside.
func (e *env) bringRouter() cloud.Router {
	e.t.Helper()
	router, err := e.neutron().CreateRouter(e.t.Context(), cloud.RouterSpec{Name: "theirs", ExternalNetwork: e.sim.Networks("public")[0].ID})
	if err != nil {
		e.t.Fatal(err)
	}
	e.sim.Seed()
	return router
}

// deleteCleanly deletes the cluster and wants nothing left but what was
// brought along.
func (e *env) deleteCleanly() {
	e.t.Helper()
	e.delete()
	e.settle()
	e.wantGone()
	e.sim.WantNothingLeft(e.t)
}

package machine

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/setup"
	"github.com/capok/capok/test/openstacksim"
)

const (
	testNamespace = "default"
	testMark      = "cx-testmark00"
)

// env is one machine of a provisioned cluster on a simulated cloud.
type env struct {
	*testing.T
	sim        *openstacksim.Cloud
	client     client.Client
	reconciler *Reconciler
	network    cloud.Network
	subnet     cloud.Subnet
}

type change func(*infrav1.OpenStackMachine, *clusterv1.Machine, *infrav1.OpenStackCluster)

func newEnv(t *testing.T, changes ...change) *env {
	t.Helper()
	return newEnvOn(t, openstacksim.New(), changes...)
}

func newEnvOn(t *testing.T, sim *openstacksim.Cloud, changes ...change) *env {
	t.Helper()
	e := &env{T: t, sim: sim}
	e.sim.Start(t)
	e.makeNetwork()
	machine, owner, infra := e.objects()
	for _, c := range changes {
		c(machine, owner, infra)
	}
	if _, controlPlane := machine.Labels[clusterv1.MachineControlPlaneLabel]; controlPlane {
		e.makeBalancer()
	}
	e.sim.Seed()
	provisioned := true
	cluster := &clusterv1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: "c", UID: "u-cluster"},
		Spec:       clusterv1.ClusterSpec{InfrastructureRef: clusterv1.ContractVersionedObjectReference{Name: "c"}},
		Status:     clusterv1.ClusterStatus{Initialization: clusterv1.ClusterInitializationStatus{InfrastructureProvisioned: &provisioned}},
	}
	scheme, err := setup.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	e.client = fake.NewClientBuilder().WithScheme(scheme).
		WithStatusSubresource(&infrav1.OpenStackMachine{}, &infrav1.OpenStackCluster{}).
		WithObjects(cluster, infra, owner, machine, e.secret("cloud-config", infrav1.CloudsYAMLKey, e.sim.CloudsYAML("sim")),
			e.secret("bootstrap", "value", []byte("#cloud-config\n"))).Build()
	e.restart()
	return e
}

// restart is what a new manager starts with: nothing but what is written down.
func (e *env) restart() {
	e.reconciler = &Reconciler{
		Client: e.client, Identities: identity.NewProvider(e.client, e.sim.Clock, cloud.Limits{}),
		Events: events.NewFakeRecorder(1000), Clock: e.sim.Clock,
	}
}

func (e *env) secret(name, key string, value []byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: name}, Data: map[string][]byte{key: value}}
}

func (e *env) objects() (*infrav1.OpenStackMachine, *clusterv1.Machine, *infrav1.OpenStackCluster) {
	bootstrap := "bootstrap"
	infra := &infrav1.OpenStackCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: "c", Annotations: map[string]string{infrav1.MarkAnnotation: testMark}},
		Spec:       infrav1.OpenStackClusterSpec{IdentityRef: infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"}},
		Status: infrav1.OpenStackClusterStatus{Network: &infrav1.NetworkStatusWithSubnets{
			NetworkStatus: infrav1.NetworkStatus{ID: e.network.ID}, Subnets: []infrav1.SubnetStatus{{ID: e.subnet.ID}},
		}},
	}
	owner := &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: "m0", UID: "u-machine"},
		Spec:       clusterv1.MachineSpec{ClusterName: "c", Bootstrap: clusterv1.Bootstrap{DataSecretName: &bootstrap}},
	}
	machine := &infrav1.OpenStackMachine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: testNamespace, Name: "m0", Labels: map[string]string{clusterv1.ClusterNameLabel: "c"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: "m0", UID: "u-machine"}},
		},
		Spec: infrav1.OpenStackMachineSpec{
			Flavor: infrav1.FlavorParam{Filter: &infrav1.FlavorFilter{Name: "m1.small"}},
			Image:  infrav1.ImageParam{Filter: &infrav1.ImageFilter{Name: "node"}},
		},
	}
	return machine, owner, infra
}

// session is a client of the test's own.
func (e *env) session() *cloud.Session {
	e.Helper()
	session, err := cloud.Open(e.Context(), cloud.Credentials{CloudsYAML: e.sim.CloudsYAML("sim"), Cloud: "sim"})
	if err != nil {
		e.Fatal(err)
	}
	return session
}

// makeNetwork makes what the cluster controller would have made.
func (e *env) makeNetwork() {
	e.Helper()
	neutron, err := e.session().Networking()
	if err != nil {
		e.Fatal(err)
	}
	if e.network, err = neutron.CreateNetwork(e.Context(), cloud.NetworkSpec{Name: "n", Mark: testMark}); err != nil {
		e.Fatal(err)
	}
	e.subnet, err = neutron.CreateSubnet(e.Context(), cloud.SubnetSpec{NetworkID: e.network.ID, CIDR: prefix("10.6.0.0/24"), Mark: testMark})
	if err != nil {
		e.Fatal(err)
	}
}

// makeBalancer makes the load balancer of the API with two ports.
func (e *env) makeBalancer() {
	e.Helper()
	balancing, err := e.session().LoadBalancing()
	if err != nil {
		e.Fatal(err)
	}
	spec := cloud.BalancerSpec{Name: "lb", Tags: []string{testMark, naming.APIBalancerTag(testMark)}, VIPSubnet: e.subnet.ID}
	for _, port := range []int{6443, 8132} {
		name := naming.APIListener(testNamespace, "c", port)
		spec.Listeners = append(spec.Listeners, cloud.ListenerSpec{Name: name, Protocol: "TCP", Port: port,
			Pool: cloud.PoolSpec{Name: name, Protocol: "TCP", Algorithm: "ROUND_ROBIN"}})
	}
	if _, err := balancing.CreateBalancer(e.Context(), spec); err != nil {
		e.Fatal(err)
	}
	e.sim.Clock.Advance(time.Minute)
}

func (e *env) reconcile() (ctrl.Result, error) {
	return e.reconciler.Reconcile(e.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: testNamespace, Name: "m0"}})
}

// settle reconciles until the machine is quiet, as a queue would. It fails
// the test if that does not come about.
func (e *env) settle() {
	e.Helper()
	for range 80 {
		result, err := e.reconcile()
		switch {
		case err != nil:
			e.sim.Clock.Advance(time.Second) // back-off
		case result.RequeueAfter > 0 && result.RequeueAfter < 5*time.Minute:
			e.sim.Clock.Advance(result.RequeueAfter)
		case e.quiet():
			return
		}
	}
	e.Fatalf("not quiet after 80 passes; conditions: %+v", e.machine().GetConditions())
}

// quiet tells whether a pass changes nothing that a watch would tell of.
func (e *env) quiet() bool {
	before := e.machine()
	_, err := e.reconcile()
	after := e.machine()
	return err == nil && (before == nil) == (after == nil) && (after == nil || before.ResourceVersion == after.ResourceVersion)
}

// machine is nil once it is gone.
func (e *env) machine() *infrav1.OpenStackMachine {
	e.Helper()
	machine := &infrav1.OpenStackMachine{}
	err := e.client.Get(context.Background(), client.ObjectKey{Namespace: testNamespace, Name: "m0"}, machine)
	if client.IgnoreNotFound(err) != nil {
		e.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return machine
}

func (e *env) delete() {
	e.Helper()
	if err := e.client.Delete(e.Context(), e.machine()); err != nil {
		e.Fatal(err)
	}
}

func (e *env) wantReason(condition, reason string) {
	e.Helper()
	if got := conditions.GetReason(e.machine(), condition); got != reason {
		e.Fatalf("%s has reason %q, want %q: %s", condition, got, reason, conditions.GetMessage(e.machine(), condition))
	}
}

func (e *env) wantServers(n int) []openstacksim.Server {
	e.Helper()
	servers := e.sim.Servers("m0")
	if len(servers) != n {
		e.Fatalf("servers named m0: %d, want %d", len(servers), n)
	}
	return servers
}

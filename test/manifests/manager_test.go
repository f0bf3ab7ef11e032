package manifests

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/setup"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/openstacksim"
)

const system = "capok-system"

// cloudOfManager is a simulated OpenStack in real time, and a manager that works on it
// with no other rights than the release gives it.
type cloudOfManager struct {
	*testing.T
	kube    client.Client
	sim     *openstacksim.Cloud
	metrics string // host and port
	logs    string // folder
}

func startManager(t *testing.T) *cloudOfManager {
	t.Helper()
	scheme, err := setup.Scheme()
	must(t, err)
	must(t, rbacv1.AddToScheme(scheme))
	must(t, authenticationv1.AddToScheme(scheme))
	kube, err := client.New(admin, client.Options{Scheme: scheme})
	must(t, err)
	m := &cloudOfManager{T: t, kube: kube, metrics: freeAddress(t), logs: t.TempDir()}
	m.sim = openstacksim.New(openstacksim.WithClock(openstacksim.NewRunningClock()), openstacksim.WithDelays(openstacksim.Delays{}))
	m.sim.Start(t)

	binary := filepath.Join(t.TempDir(), "manager")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/manager")
	build.Dir = place.Repo()
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	m.run(append(os.Environ(), "KUBECONFIG="+m.kubeconfig("capok-manager")), binary, "--health-addr=0", "--diagnostics-address="+m.metrics, "--webhook-port=0")
	return m
}

// run starts a program that ends with the test.
func (m *cloudOfManager) run(env []string, binary string, args ...string) {
	m.Helper()
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, binary, args...)
	log, err := os.Create(filepath.Join(m.logs, filepath.Base(binary)+".log"))
	must(m.T, err)
	command.Env, command.Stdout, command.Stderr = env, log, log
	must(m.T, command.Start())
	m.Cleanup(func() {
		stop()
		_ = command.Wait()
		if text, _ := os.ReadFile(log.Name()); m.Failed() {
			m.Logf("%s:\n%s", binary, text)
		}
		_ = log.Close()
	})
}

// token is that of a service account, which is made if it is not there.
func (m *cloudOfManager) token(account string) string {
	m.Helper()
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: account}}
	must(m.T, client.IgnoreAlreadyExists(m.kube.Create(m.Context(), sa)))
	request := &authenticationv1.TokenRequest{}
	must(m.T, m.kube.SubResource("token").Create(m.Context(), sa, request))
	return request.Status.Token
}

func (m *cloudOfManager) kubeconfig(account string) string {
	m.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: admin.Host, CertificateAuthorityData: admin.CAData}
	config.AuthInfos["test"] = &clientcmdapi.AuthInfo{Token: m.token(account)}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test", Namespace: system}
	config.CurrentContext = "test"
	path := filepath.Join(m.TempDir(), account+".kubeconfig")
	must(m.T, clientcmd.WriteToFile(*config, path))
	return path
}

// makeCluster makes what Cluster API and its users make of a cluster.
func (m *cloudOfManager) makeCluster(name string, change func(*infrav1.OpenStackClusterSpec)) {
	m.Helper()
	meta := metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name, Labels: map[string]string{clusterv1.ClusterNameLabel: name}}
	secret := &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{infrav1.CloudsYAMLKey: m.sim.CloudsYAML("sim")}}
	cluster := &clusterv1.Cluster{ObjectMeta: meta}
	cluster.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: infrav1.GroupVersion.Group, Kind: "OpenStackCluster", Name: name}
	must(m.T, m.kube.Create(m.Context(), secret))
	must(m.T, m.kube.Create(m.Context(), cluster))
	infra := &infrav1.OpenStackCluster{ObjectMeta: meta}
	infra.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: name, UID: cluster.UID}}
	infra.Spec = infrav1.OpenStackClusterSpec{
		IdentityRef:           infrav1.IdentityRef{Name: name, CloudName: "sim"},
		ManagedSubnets:        []infrav1.SubnetSpec{{CIDR: "10.6.0.0/24"}},
		ManagedSecurityGroups: &infrav1.ManagedSecurityGroups{},
	}
	change(&infra.Spec)
	must(m.T, m.kube.Create(m.Context(), infra))
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

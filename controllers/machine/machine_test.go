package machine

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

func worker(*infrav1.OpenStackMachine, *clusterv1.Machine, *infrav1.OpenStackCluster) {}

func controlPlane(m *infrav1.OpenStackMachine, owner *clusterv1.Machine, infra *infrav1.OpenStackCluster) {
	m.Labels[clusterv1.MachineControlPlaneLabel] = ""
	owner.Labels = map[string]string{clusterv1.MachineControlPlaneLabel: ""}
	infra.Spec.APIServer = &infrav1.APIServer{ManagedLoadBalancer: &infrav1.APIServerLoadBalancer{}}
}

func rootVolume(m *infrav1.OpenStackMachine, _ *clusterv1.Machine, _ *infrav1.OpenStackCluster) {
	m.Spec.RootVolume = &infrav1.RootVolume{SizeGiB: 20}
}

func tagged(m *infrav1.OpenStackMachine, _ *clusterv1.Machine, infra *infrav1.OpenStackCluster) {
	m.Spec.Tags, infra.Spec.Tags = []string{"team-a"}, []string{"prod"}
	m.Spec.Ports = []infrav1.PortOpts{{}, {NameSuffix: "storage", AllowedAddressPairs: []infrav1.AddressPair{{IPAddress: "10.9.0.0/16"}}}}
}

var shapes = map[string][]change{
	"worker":                {worker},
	"control plane":         {controlPlane},
	"root volume":           {rootVolume},
	"tags and two ports":    {tagged},
	"control plane on disk": {controlPlane, rootVolume, tagged},
}

// TestMachineLife creates and deletes every shape of machine, once undisturbed
// and once for every write whose answer is lost, before or after it took
// effect, with a new manager afterwards.
func TestMachineLife(t *testing.T) {
	points := 0
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			writes := life(t, shape, nil)
			for n := 1; n <= writes; n++ {
				t.Run(fmt.Sprintf("cut before write %d", n), func(t *testing.T) {
					life(t, shape, func(sim *openstacksim.Cloud) { sim.CutBefore(n) })
				})
				t.Run(fmt.Sprintf("cut after write %d", n), func(t *testing.T) {
					life(t, shape, func(sim *openstacksim.Cloud) { sim.CutAfter(n) })
				})
			}
			points += 2 * writes
		})
	}
	t.Logf("crash points: %d", points)
}

func life(t *testing.T, shape []change, disturb func(*openstacksim.Cloud)) (writes int) {
	e := newEnv(t, shape...)
	e.sim.ResetCalls()
	if disturb != nil {
		disturb(e.sim)
	}
	e.settle()
	server := e.wantServers(1)[0]
	e.wantReason(infrav1.Ready, infrav1.Available)
	m := e.machine()
	if m.Spec.ProviderID != "openstack:///"+server.ID {
		t.Fatalf("providerID %q, want that of server %s", m.Spec.ProviderID, server.ID)
	}
	if len(m.Status.Addresses) == 0 || m.Status.Initialization.Provisioned == nil {
		t.Fatalf("the status is not filled: %+v", m.Status)
	}
	if got, want := len(e.sim.PortsOf(server.ID)), len(m.Spec.Ports); got != max(want, 1) {
		t.Fatalf("ports of the server: %d, want %d", got, max(want, 1))
	}
	for _, pool := range e.sim.Pools("") {
		if got := len(e.sim.Members(pool.ID)); got != 1 {
			t.Fatalf("members of pool %s: %d, want 1", pool.Name, got)
		}
	}
	e.restart()
	e.delete()
	e.settle()
	if e.machine() != nil {
		t.Fatal("the machine still has its finalizer")
	}
	e.sim.WantNothingLeft(t)
	return e.sim.Writes()
}

func TestNothingIsAskedBeforeItIsTime(t *testing.T) {
	e := newEnv(t, func(_ *infrav1.OpenStackMachine, owner *clusterv1.Machine, _ *infrav1.OpenStackCluster) {
		owner.Spec.Bootstrap.DataSecretName = nil
	})
	e.sim.ResetCalls()
	e.settle()
	e.wantReason(infrav1.ServerReady, infrav1.WaitingForBootstrapData)
	if calls := e.sim.Calls(); len(calls) != 0 {
		t.Fatalf("OpenStack was asked before there was anything to ask: %v", calls)
	}
}

func TestServerDeletedOutsideIsReportedNotReplaced(t *testing.T) {
	for name, shape := range map[string]change{"worker": worker, "root volume": rootVolume} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, shape)
			e.settle()
			e.sim.DeleteServer(e.wantServers(1)[0].ID)
			e.sim.Clock.Advance(10 * time.Minute)
			e.settle()
			e.wantServers(0)
			e.wantReason(infrav1.ServerReady, infrav1.DeletedExternally)
			if volumes := e.sim.Volumes(""); len(volumes) > 0 {
				t.Errorf("volumes of a server that is never made again: %+v", volumes)
			}
			e.delete()
			e.settle()
			e.sim.WantNothingLeft(t)
		})
	}
}

func TestListThatHidesAServerMakesNoSecond(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.sim.CellDown(e.wantServers(1)[0].ID)
	e.sim.Clock.Advance(10 * time.Minute)
	e.settleOnce()
	e.wantServers(1)
	if c := conditions.Get(e.machine(), infrav1.ServerReady); c.Status == "False" {
		t.Fatalf("a cell that is down made the machine unhealthy: %+v", c)
	}
	e.sim.CellUp()
	e.settle()
	e.wantReason(infrav1.Ready, infrav1.Available)
}

// settleOnce runs one pass, for states that stay as long as the cloud is ill.
func (e *env) settleOnce() {
	e.Helper()
	_ = e.quiet()
	e.sim.Clock.Advance(time.Minute)
	_ = e.quiet()
}

func TestFailuresTellTheWayOutAndHeal(t *testing.T) {
	cases := []struct {
		name, why         string
		shape             change
		ill, heal         func(*env)
		condition, reason string
		says              string
	}{
		{
			name: "unknown flavor", why: "flavors are made by operators, often after the manifest",
			shape: func(m *infrav1.OpenStackMachine, _ *clusterv1.Machine, _ *infrav1.OpenStackCluster) {
				m.Spec.Flavor.Filter.Name = "gpu"
			},
			heal:      func(e *env) { e.sim.AddFlavor(openstacksim.Flavor{Name: "gpu", VCPUs: 1, RAM: 512}) },
			condition: infrav1.ServerReady, reason: infrav1.NotFound, says: `spec.flavor: there is no flavor named "gpu"`,
		},
		{
			name: "unknown image", why: "the image may be uploaded later",
			shape: func(m *infrav1.OpenStackMachine, _ *clusterv1.Machine, _ *infrav1.OpenStackCluster) {
				m.Spec.Image.Filter.Name = "new"
			},
			heal:      func(e *env) { e.sim.AddImage(openstacksim.Image{Name: "new"}) },
			condition: infrav1.ServerReady, reason: infrav1.NotFound, says: `spec.image: there is no image named "new"`,
		},
		{
			name: "quota", why: "an operator raises it",
			ill:       func(e *env) { e.sim.SetQuota("instances", 0) },
			heal:      func(e *env) { e.sim.SetQuota("instances", -1) },
			condition: infrav1.ServerReady, reason: infrav1.QuotaExceeded, says: "Quota exceeded",
		},
		{
			name: "no valid host", why: "hosts come and go",
			ill:       func(e *env) { e.sim.NoValidHost(true) },
			heal:      func(e *env) { e.sim.NoValidHost(false) },
			condition: infrav1.ServerReady, reason: infrav1.NoCapacity, says: "No valid host",
		},
		{
			name: "wrong password", why: "somebody mends the Secret or the account",
			ill:       func(e *env) { e.sim.SetPassword(openstacksim.User, "another") },
			heal:      func(e *env) { e.sim.SetPassword(openstacksim.User, openstacksim.Password) },
			condition: infrav1.CredentialsValid, reason: infrav1.CredentialsRejected, says: "401",
		},
		{
			name: "missing Secret", why: "it is created after the machine",
			ill: func(e *env) { e.dropSecret() }, heal: func(e *env) { e.putSecret() },
			condition: infrav1.CredentialsValid, reason: infrav1.CredentialsMissing, says: "there is no Secret default/cloud-config",
		},
		{
			name: "Nova is down", why: "it comes back",
			ill: func(e *env) {
				e.sim.FailAll(openstacksim.Match{Service: "nova"}, http.StatusServiceUnavailable, "down")
			},
			heal:      func(e *env) { e.sim.ClearFaults() },
			condition: infrav1.CredentialsValid, reason: infrav1.OpenStackUnavailable, says: "503",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			shape := c.shape
			if shape == nil {
				shape = worker
			}
			e := newEnv(t, shape)
			if c.ill != nil {
				c.ill(e)
			}
			for range 8 { // a server without a host is built again and again
				e.settleOnce()
				if m := e.machine(); m != nil && conditions.GetReason(m, c.condition) == c.reason {
					break
				}
			}
			e.wantReason(c.condition, c.reason)
			if m := conditions.GetMessage(e.machine(), infrav1.Ready); !strings.Contains(m, c.says) {
				t.Fatalf("Ready says %q, want %q in it", m, c.says)
			}
			c.heal(e)
			e.sim.Clock.Advance(10 * time.Minute)
			e.settle()
			e.wantReason(infrav1.Ready, infrav1.Available)
			e.wantServers(1)
			e.delete()
			e.settle()
			e.sim.WantNothingLeft(t)
		})
	}
}

func (e *env) dropSecret() {
	if err := e.client.Delete(e.Context(), &corev1.Secret{ObjectMeta: e.secret("cloud-config", "", nil).ObjectMeta}); err != nil {
		e.Fatal(err)
	}
}

func (e *env) putSecret() {
	if err := e.client.Create(e.Context(), e.secret("cloud-config", "clouds.yaml", e.sim.CloudsYAML("sim"))); err != nil {
		e.Fatal(err)
	}
}

func TestDeleteWithoutCredentials(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	e.dropSecret()
	e.restart()
	e.delete()
	e.settleOnce()
	e.wantReason(infrav1.CredentialsValid, infrav1.CredentialsMissing)
	if m := conditions.GetMessage(e.machine(), infrav1.Ready); !strings.Contains(m, infrav1.ReleaseAnnotation) {
		t.Fatalf("the message names no way out: %q", m)
	}
	e.annotate(infrav1.ReleaseAnnotation, "true")
	e.settle()
	if e.machine() != nil {
		t.Fatal("the machine was not let go")
	}
	e.wantServers(1)
}

package machine

import (
	"slices"
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

// TestPortsOfOneNameAreRefused: a suffix can be what another port's number
// gives. One of the two would be made, and the server would lack the other.
func TestPortsOfOneNameAreRefused(t *testing.T) {
	e := newEnv(t, func(m *infrav1.OpenStackMachine, _ *clusterv1.Machine, _ *infrav1.OpenStackCluster) {
		m.Spec.Ports = []infrav1.PortOpts{{NameSuffix: "1"}, {}}
	})
	e.settleOnce()
	e.settleOnce()
	e.wantReason(infrav1.PortsReady, infrav1.InvalidSpec)
	e.wantServers(0)
	e.delete()
	e.settle()
	e.sim.WantNothingLeft(t)
}

// TestValueSpecThatClashesIsRefused: it cannot heal by itself.
func TestValueSpecThatClashesIsRefused(t *testing.T) {
	e := newEnv(t, func(m *infrav1.OpenStackMachine, _ *clusterv1.Machine, _ *infrav1.OpenStackCluster) {
		m.Spec.Ports = []infrav1.PortOpts{{ValueSpecs: []infrav1.ValueSpec{{Name: "a", Key: "name", Value: "b"}}}}
	})
	e.settleOnce()
	e.settleOnce()
	e.wantReason(infrav1.PortsReady, infrav1.InvalidSpec)
}

// TestPortOfAnotherMachineIsNotTaken: suffix "b-0" of machine "a" and port 0 of
// machine "a-b" have the same name. Here m0 finds a port of its name that
// another machine's server uses: it is neither used nor deleted.
func TestPortOfAnotherMachineIsNotTaken(t *testing.T) {
	e := newEnv(t, worker)
	neutron, err := e.session().Networking()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := neutron.CreatePort(t.Context(), cloud.PortSpec{Name: "m0-0", Mark: testMark, NetworkID: e.network.ID})
	if err != nil {
		t.Fatal(err)
	}
	compute, err := e.session().Compute()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compute.CreateServer(t.Context(), cloud.ServerSpec{
		Name: "m", Tags: []string{testMark, testMark + "-m"}, FlavorID: e.sim.Flavors("m1.small")[0].ID, ImageID: e.sim.Images("node")[0].ID, PortIDs: []string{theirs.ID},
	}); err != nil {
		t.Fatal(err)
	}
	e.sim.Clock.Advance(time.Minute)
	e.sim.Seed()
	e.settle()
	own := e.wantServers(1)[0]
	if ports := e.sim.PortsOf(own.ID); len(ports) != 1 || ports[0].ID == theirs.ID {
		t.Fatalf("ports of m0: %+v, want one of its own", ports)
	}
	e.delete()
	e.settle()
	e.sim.WantNothingLeft(t)
}

// TestManagedGroupReachesPortsThatAreThere: a cluster can get managed groups
// later, and its API is closed to machines that lack them.
func TestManagedGroupReachesPortsThatAreThere(t *testing.T) {
	e := newEnv(t, worker)
	e.settle()
	neutron, err := e.session().Networking()
	if err != nil {
		t.Fatal(err)
	}
	group, err := neutron.CreateSecurityGroup(t.Context(), "workers", testMark)
	if err != nil {
		t.Fatal(err)
	}
	infra := &infrav1.OpenStackCluster{}
	if err := e.client.Get(t.Context(), client.ObjectKey{Namespace: testNamespace, Name: "c"}, infra); err != nil {
		t.Fatal(err)
	}
	infra.Spec.ManagedSecurityGroups = &infrav1.ManagedSecurityGroups{}
	if err := e.client.Update(t.Context(), infra); err != nil {
		t.Fatal(err)
	}
	infra.Status.WorkerSecurityGroup = &infrav1.SecurityGroupStatus{ID: group.ID}
	if err := e.client.Status().Update(t.Context(), infra); err != nil {
		t.Fatal(err)
	}
	e.settle()
	port := e.sim.PortsOf(e.wantServers(1)[0].ID)[0]
	if !slices.Contains(port.Groups, group.ID) || len(port.Groups) != 2 {
		t.Fatalf("groups of the port: %v, want the default one and %s", port.Groups, group.ID)
	}
}

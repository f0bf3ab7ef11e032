package machine

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

func TestFloatingIPThatTheUserNamedIsAttached(t *testing.T) {
	e := newEnv(t, func(m *infrav1.OpenStackMachine, owner *clusterv1.Machine, infra *infrav1.OpenStackCluster) {
		m.Labels[clusterv1.MachineControlPlaneLabel] = ""
		owner.Labels = map[string]string{clusterv1.MachineControlPlaneLabel: ""}
		infra.Spec.APIServer = &infrav1.APIServer{FloatingIP: "172.24.4.77"}
		infra.Spec.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: "172.24.4.77", Port: 6443}
	})
	neutron, err := e.session().Networking()
	if err != nil {
		t.Fatal(err)
	}
	external := e.sim.Networks("public")[0]
	e.connect(neutron, external.ID)
	named, err := neutron.CreateFloatingIP(t.Context(), cloud.FloatingIPSpec{NetworkID: external.ID, IP: "172.24.4.77"})
	if err != nil {
		t.Fatal(err)
	}
	e.sim.Seed()
	e.settle()
	e.wantReason(infrav1.APIMemberReady, infrav1.Available)
	if got := e.sim.FloatingIPs("172.24.4.77")[0].PortID; got == nil {
		t.Fatalf("floating IP %s leads nowhere", named.ID)
	}
	e.delete()
	e.settle()
	e.sim.WantNothingLeft(t)
}

// connect puts a router between the network and the external one.
func (e *env) connect(neutron *cloud.Networking, external string) {
	e.Helper()
	router, err := neutron.CreateRouter(e.Context(), cloud.RouterSpec{Name: "r", ExternalNetwork: external})
	if err != nil {
		e.Fatal(err)
	}
	if err := neutron.AddRouterInterface(e.Context(), router.ID, e.subnet.ID); err != nil {
		e.Fatal(err)
	}
}

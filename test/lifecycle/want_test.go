package lifecycle

import (
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/step"
)

// steady is a time after which everything was looked at once more.
const steady = step.Steady + step.Steady/2

// later lets so much time pass that all is looked at without a cause.
func (w *world) later(d time.Duration) {
	w.Helper()
	w.cloud.Clock.Advance(d)
	w.settle()
}

// wantReason works until a condition of a machine has a reason.
func (w *world) wantReason(machine, condition, reason string) {
	w.Helper()
	m := &infrav1.OpenStackMachine{}
	so := func() bool { return w.get(m, machine) && conditions.GetReason(m, condition) == reason }
	w.until(so)
	if !so() {
		w.Fatalf("%s of %s has reason %q, want %q:\n%s", condition, machine, conditions.GetReason(m, condition), reason, w.describe())
	}
}

// wantServers names all servers that are in the cloud.
func (w *world) wantServers(names ...string) {
	w.Helper()
	var got []string
	for _, s := range w.cloud.Servers("") {
		got = append(got, s.Name+" "+s.Status)
	}
	var want []string
	for _, name := range names {
		want = append(want, name+" ACTIVE")
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		w.Fatalf("servers %v, want %v", got, want)
	}
}

// wantMembers names all machines that are behind the load balancer.
func (w *world) wantMembers(machines ...string) {
	w.Helper()
	var got, want []string
	for _, pool := range w.cloud.Pools("") {
		for _, member := range w.cloud.Members(pool.ID) {
			got = append(got, member.Address)
		}
	}
	for _, name := range machines {
		want = append(want, w.cloud.Ports(name + "-0")[0].FixedIPs[0].IPAddress)
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		w.Errorf("members %v, want %v", got, want)
	}
}

// wantEndpointAt names the machine that the floating IP leads to.
func (w *world) wantEndpointAt(machine string) {
	w.Helper()
	ip, port := w.cloud.FloatingIPs("")[0], w.cloud.Ports(machine + "-0")[0]
	if ip.PortID == nil || *ip.PortID != port.ID {
		w.Errorf("the floating IP is on port %v, want that of %s", ip.PortID, machine)
	}
}

// wantExternalAddress wants a machine's status to tell its floating IP.
func (w *world) wantExternalAddress(machine string) {
	w.Helper()
	m := &infrav1.OpenStackMachine{}
	w.get(m, machine)
	want := clusterv1.MachineAddress{Type: clusterv1.MachineExternalIP, Address: w.cloud.FloatingIPs("")[0].Address}
	if !slices.Contains(m.Status.Addresses, want) {
		w.Errorf("addresses of %s are %v, want %v among them", machine, m.Status.Addresses, want)
	}
}

func (w *world) serverIDs() []string {
	var ids []string
	for _, s := range w.cloud.Servers("") {
		ids = append(ids, s.ID)
	}
	return ids
}

func (w *world) infra() *infrav1.OpenStackCluster {
	w.Helper()
	infra := &infrav1.OpenStackCluster{}
	if !w.get(infra, clusterName) {
		w.Fatal("the OpenStackCluster is gone")
	}
	return infra
}

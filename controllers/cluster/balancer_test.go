package cluster

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

const minute = time.Minute

// TestBalancerThatCannotBeMade is made anew until Octavia can.
func TestBalancerThatCannotBeMade(t *testing.T) {
	e := newEnv(t)
	e.sim.FailLoadBalancers(true)
	e.passes(4)
	e.wantCondition(infrav1.APIEndpointReady, infrav1.LoadBalancerFault, "could not make")
	e.sim.FailLoadBalancers(false)
	e.settle()
	e.wantProvisioned()
	e.wantOneOfEach()
	e.deleteCleanly()
}

// TestBalancerThatBreaks is left to people, and can be deleted.
func TestBalancerThatBreaks(t *testing.T) {
	e := newEnv(t)
	e.settle()
	id := e.infra().Status.APIServerManagedLoadBalancer.ID
	e.sim.SetLoadBalancerStatus(id, "ERROR")
	e.sim.Clock.Advance(minute)
	e.passes(2)
	e.wantCondition(infrav1.Ready, infrav1.LoadBalancerFault, id)
	if p := e.infra().Status.Initialization.Provisioned; p == nil || !*p {
		t.Error("provisioned was taken back")
	}
	e.deleteCleanly()
}

// TestDeletionWaits for machines, and names ports that are in the way.
func TestDeletionWaits(t *testing.T) {
	e := newEnv(t)
	e.settle()
	machine := &infrav1.OpenStackMachine{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: "m0", Labels: map[string]string{clusterv1.ClusterNameLabel: key.Name},
	}}
	if err := e.client.Create(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
	port, err := e.neutron().CreatePort(t.Context(), cloud.PortSpec{NetworkID: e.infra().Status.Network.ID})
	if err != nil {
		t.Fatal(err)
	}
	e.delete()
	e.settle()
	e.wantCondition(infrav1.Deleting, infrav1.Deleting, "OpenStackMachines m0")
	if len(e.sim.LoadBalancers("")) != 1 {
		t.Error("the load balancer went before the machines")
	}
	if err := e.client.Delete(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
	e.passes(12)
	e.wantCondition(infrav1.Deleting, infrav1.Deleting, port.ID)
	if err := e.neutron().DeletePort(t.Context(), port.ID); err != nil {
		t.Fatal(err)
	}
	e.settle()
	e.wantGone()
	e.sim.WantNothingLeft(t)
}

// TestPausedAndForeign objects are not touched.
func TestPausedAndForeign(t *testing.T) {
	e := newEnv(t)
	e.edit(func(c *infrav1.OpenStackCluster) {
		c.Annotations = map[string]string{clusterv1.PausedAnnotation: ""}
	})
	e.settle()
	e.wantCondition(infrav1.Paused, clusterv1.PausedReason, "")
	e.edit(func(c *infrav1.OpenStackCluster) {
		c.Annotations = map[string]string{clusterv1.ManagedByAnnotation: "somebody"}
	})
	e.settle()
	if n, list := e.calls(); n > 0 || len(e.infra().Finalizers) > 0 {
		t.Errorf("%d calls, finalizers %v: want none\n%s", n, e.infra().Finalizers, list)
	}
	e.edit(func(c *infrav1.OpenStackCluster) { c.Annotations = nil })
	e.settle()
	e.wantProvisioned()
}

package machine

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/identity"
)

func TestWhatWakesAMachine(t *testing.T) {
	e := newEnv(t, controlPlane)
	named := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{clusterv1.ClusterNameLabel: name}}
	}
	infra := func(namespace, name string) *infrav1.OpenStackCluster {
		return &infrav1.OpenStackCluster{ObjectMeta: named(namespace, name)}
	}
	owned := infra(testNamespace, "other") // by the Cluster, whatever its own name and labels are
	owned.OwnerReferences = []metav1.OwnerReference{{Kind: "Cluster", Name: "c"}}
	secret := func(namespace, name string) identity.Change {
		return identity.Change{Namespace: namespace, Secret: name}
	}
	sibling := func(cluster string, labels ...string) *infrav1.OpenStackMachine {
		m := &infrav1.OpenStackMachine{ObjectMeta: named(testNamespace, cluster)}
		for _, label := range labels {
			m.Labels[label] = ""
		}
		return m
	}
	e.labelCluster()
	for _, c := range []struct {
		why  string
		got  int
		want int
	}{
		{"its cluster", len(e.reconciler.ofOpenStackCluster(t.Context(), infra(testNamespace, "c"))), 1},
		{"its cluster by its owner", len(e.reconciler.ofOpenStackCluster(t.Context(), owned)), 1},
		{"another cluster", len(e.reconciler.ofOpenStackCluster(t.Context(), infra(testNamespace, "other"))), 0},
		{"a cluster of this name elsewhere", len(e.reconciler.ofOpenStackCluster(t.Context(), infra("other", "c"))), 0},
		{"the end of a control-plane machine of its cluster", len(e.reconciler.siblings(t.Context(), sibling("c", clusterv1.MachineControlPlaneLabel))), 1},
		{"the end of one of another", len(e.reconciler.siblings(t.Context(), sibling("other", clusterv1.MachineControlPlaneLabel))), 0},
		{"the end of a worker", len(e.reconciler.siblings(t.Context(), sibling("c"))), 0},
		{"its cluster's credentials", len(e.reconciler.concerned(t.Context(), secret(testNamespace, "cloud-config"))), 1},
		{"somebody's Secret", len(e.reconciler.concerned(t.Context(), secret(testNamespace, "other"))), 0},
		{"a Secret of another tenant", len(e.reconciler.concerned(t.Context(), secret("other", "cloud-config"))), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: wakes %d machines, want %d", c.why, c.got, c.want)
		}
	}
}

// labelCluster gives the OpenStackCluster the label that Cluster API gives it.
func (e *env) labelCluster() {
	e.Helper()
	infra := &infrav1.OpenStackCluster{}
	if err := e.client.Get(e.Context(), client.ObjectKey{Namespace: testNamespace, Name: "c"}, infra); err != nil {
		e.Fatal(err)
	}
	infra.Labels = map[string]string{clusterv1.ClusterNameLabel: "c"}
	if err := e.client.Update(e.Context(), infra); err != nil {
		e.Fatal(err)
	}
}

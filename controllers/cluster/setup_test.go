package cluster

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/identity"
)

func TestWhatWakesACluster(t *testing.T) {
	e := newEnv(t)
	machine := func(namespace, cluster string) *infrav1.OpenStackMachine {
		return &infrav1.OpenStackMachine{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Labels: map[string]string{clusterv1.ClusterNameLabel: cluster}}}
	}
	secret := func(namespace, name string) identity.Change {
		return identity.Change{Namespace: namespace, Secret: name}
	}
	// A deletion that was begun at the OpenStackCluster outlives its Cluster.
	if err := e.client.Delete(t.Context(), &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why  string
		got  int
		want int
	}{
		{"its machine went", len(e.r.infraOfMachine(t.Context(), machine(key.Namespace, key.Name))), 1},
		{"a machine of another cluster", len(e.r.infraOfMachine(t.Context(), machine(key.Namespace, "other"))), 0},
		{"a machine of a cluster of this name elsewhere", len(e.r.infraOfMachine(t.Context(), machine("other", key.Name))), 0},
		{"a machine of no cluster", len(e.r.infraOfMachine(t.Context(), machine(key.Namespace, ""))), 0},
		{"its credentials", len(e.r.infrasConcerned(t.Context(), secret(key.Namespace, "creds"))), 1},
		{"somebody's Secret", len(e.r.infrasConcerned(t.Context(), secret(key.Namespace, "other"))), 0},
		{"a Secret of another tenant", len(e.r.infrasConcerned(t.Context(), secret("other", "creds"))), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: wakes %d clusters, want %d", c.why, c.got, c.want)
		}
	}
}

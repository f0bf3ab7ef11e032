package naming

import (
	"regexp"
	"strings"
	"testing"
)

var fitsTag = regexp.MustCompile(`^[^/,]{1,60}$`)

func TestNamesFitAndStayApart(t *testing.T) {
	mark, long := NewMark(), strings.Repeat("a", 250)
	for _, c := range []struct {
		why, one, other string
		limit           int
	}{
		{"machines of long names", MachineTag(mark, long+"1"), MachineTag(mark, long+"2"), maxTag},
		{"machines of clusters with equal names", MachineTag(mark, "m"), MachineTag(NewMark(), "m"), maxTag},
		{"ports", Port(long+"1", "", 0), Port(long+"1", "", 1), maxName},
		{"clusters of several namespaces", Cluster("a", long), Cluster("b", long), maxName},
		{"groups of both roles", SecurityGroup(long, long, "controlplane"), SecurityGroup(long, long, "worker"), maxName},
		{"members of both ports", APIMember(long, long, 1, "m"), APIMember(long, long, 2, "m"), maxName},
	} {
		if c.one == c.other || len(c.one) > c.limit || len(c.other) > c.limit {
			t.Errorf("%s: %q and %q, limit %d", c.why, c.one, c.other, c.limit)
		}
	}
	for _, tag := range []string{mark, MachineTag(mark, long), APIBalancerTag(mark)} {
		if !fitsTag.MatchString(tag) {
			t.Errorf("Nova refuses the tag %q", tag)
		}
	}
}

// TestNamesThatPeopleKnow: they are those of clusters that were made before.
func TestNamesThatPeopleKnow(t *testing.T) {
	for got, want := range map[string]string{
		Cluster("ns", "c"):                         "k8s-clusterapi-cluster-ns-c",
		SecurityGroup("ns", "c", "worker"):         "k8s-cluster-ns-c-secgroup-worker",
		APIBalancer("ns", "c"):                     "k8s-clusterapi-cluster-ns-c-kubeapi",
		APIListener("ns", "c", 6443):               "k8s-clusterapi-cluster-ns-c-kubeapi-6443",
		Port("m", "", 1) + " " + Port("m", "x", 1): "m-1 m-x",
		RootVolume("m"):                            "m-root",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

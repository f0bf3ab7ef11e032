package cluster

import (
	"testing"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// TestLostMarkIsToldNotReplaced: with another mark all would be made again, and
// what is there never seen.
func TestLostMarkIsToldNotReplaced(t *testing.T) {
	e := newEnv(t)
	e.settle()
	mark := e.infra().Annotations[infrav1.MarkAnnotation]
	e.edit(func(c *infrav1.OpenStackCluster) { delete(c.Annotations, infrav1.MarkAnnotation) })
	e.passes(3)
	e.wantCondition(infrav1.Ready, infrav1.InvalidSpec, infrav1.MarkAnnotation)
	if n := len(e.sim.Networks("")); n != 2 {
		t.Errorf("networks: %d, want the cluster's and the public one", n)
	}
	e.edit(func(c *infrav1.OpenStackCluster) { c.Annotations[infrav1.MarkAnnotation] = mark })
	e.settle()
	e.wantProvisioned()
	e.deleteCleanly()
}

// TestCredentialsOfAnotherProjectAreRefused: nothing of the cluster is there,
// so all would be made again, or a deletion would be done at once.
func TestCredentialsOfAnotherProjectAreRefused(t *testing.T) {
	e := newEnv(t, noBalancer)
	e.settle()
	e.sim.AddProject("another", "somebody", "secret")
	e.credentials(e.sim.CloudsYAMLFor("capok", "another", "somebody", "secret"))
	e.passes(3)
	e.wantCondition(infrav1.CredentialsValid, infrav1.InvalidSpec, "another project")
	e.delete()
	e.passes(3)
	e.wantCondition(infrav1.CredentialsValid, infrav1.InvalidSpec, infrav1.ReleaseAnnotation)
	e.credentials(e.sim.CloudsYAML("capok"))
	e.settle()
	e.wantGone()
	e.sim.WantNothingLeft(t)
}

package machine

import (
	"testing"
	"time"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/test/openstacksim"
)

// TestListOfOthersDuringACreateMakesNoSecondPort: machines share their lists.
// One that another machine began while our port was being made does not show
// it, although it is younger than our request.
func TestListOfOthersDuringACreateMakesNoSecondPort(t *testing.T) {
	e := newEnv(t, worker)
	access, err := e.reconciler.Identities.Open(t.Context(), testNamespace, infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"})
	if err != nil {
		t.Fatal(err)
	}
	created := 0
	e.sim.Hook(openstacksim.Match{Service: "neutron", Method: "POST", Path: "^/ports$"}, func(openstacksim.Call) {
		created++
		e.sim.Clock.Advance(10 * time.Second) // too long for the list that is kept
		if _, err := access.Observer.See(t.Context(), snapshot.Query{Mark: testMark, Kinds: []snapshot.Kind{snapshot.Ports}, Writer: "m1"}); err != nil {
			t.Error(err)
		}
		e.sim.Clock.Advance(time.Second)
	})
	for range 4 { // the status that a pass writes wakes the next one at once
		_ = e.quiet()
	}
	if created != 1 {
		t.Fatalf("ports created: %d, want 1", created)
	}
}

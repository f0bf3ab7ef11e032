package step_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/internal/step"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// life is a machine whose ports and server come to these results, whether they
// are ensured or removed.
func life(machine *infrav1.OpenStackMachine, ports, server step.Result) step.Life[int] {
	say := func(result step.Result) func(context.Context, int) step.Result {
		return func(context.Context, int) step.Result { return result }
	}
	machine.Finalizers = []string{infrav1.MachineFinalizer}
	return step.Life[int]{
		Object: machine, Finalizer: infrav1.MachineFinalizer, Left: "port p", Journal: &step.Journal{}, Now: now,
		Steps: []step.Step[int]{
			{Condition: infrav1.PortsReady, Ensure: say(ports), Remove: say(ports)},
			{Condition: infrav1.ServerReady, Ensure: say(server), Remove: say(server)},
		},
	}
}

// deletedSince is a machine that was deleted that long ago.
func deletedSince(age time.Duration) *infrav1.OpenStackMachine {
	when := metav1.NewTime(now.Add(-age))
	return &infrav1.OpenStackMachine{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &when}}
}

// releasable is one that the user lets go.
func releasable(age time.Duration) *infrav1.OpenStackMachine {
	machine := deletedSince(age)
	machine.Annotations = map[string]string{infrav1.ReleaseAnnotation: "true"}
	return machine
}

var (
	busy        = step.Fail(cloud.Problemf(cloud.Busy, "in use"))
	quota       = step.Fail(cloud.Problemf(cloud.QuotaExceeded, "no instances left"))
	forbidden   = step.Fail(cloud.Problemf(cloud.Forbidden, "the role may not"))
	throttled   = step.Fail(cloud.Problemf(cloud.Throttled, "later"))
	unreachable = step.Fail(errors.New("connection refused"))
	slow        = step.Wait(infrav1.Creating, "being built", time.Minute)
	quick       = step.Wait(infrav1.Creating, "being built", time.Second)
	woken       = step.WaitEvent(infrav1.WaitingForNetwork, "no network yet")
)

func TestWhenTheQueueLooksAgain(t *testing.T) {
	cases := map[string]struct {
		ports, server step.Result
		least, most   time.Duration
		retried       bool
		why           string
	}{
		"well":                 {step.Done(), step.NotNeeded(), 8 * time.Minute, 12 * time.Minute, false, "somebody may change the cloud"},
		"woken by a watch":     {step.Done(), woken, 8 * time.Minute, 12 * time.Minute, false, "no timer beside the watch"},
		"two waits":            {slow, quick, time.Second, time.Second, false, "the one that is due first"},
		"in use":               {busy, slow, 5 * time.Second, 5 * time.Second, false, "what changes is over soon"},
		"quota":                {quota, step.Done(), 2 * time.Minute, 2 * time.Minute, false, "people raise it; no storm until then"},
		"quota and a wait":     {quota, quick, time.Second, time.Second, false, "one step's patience does not hold up another"},
		"refused":              {forbidden, step.Done(), 8 * time.Minute, 12 * time.Minute, false, "the Secret's change wakes us; clouds heal"},
		"our own limit":        {throttled, slow, 0, time.Minute, false, "no error: it is its turn soon"},
		"unreachable":          {unreachable, step.Done(), 0, 0, true, "unknown errors are retried with back-off"},
		"unreachable and wait": {unreachable, quick, 0, 0, true, "the back-off grows although another step polls"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := life(&infrav1.OpenStackMachine{}, c.ports, c.server).Run(t.Context(), 0).Requeue()
			if (err != nil) != c.retried {
				t.Errorf("error %v, want one: %v (%s)", err, c.retried, c.why)
			}
			if result.RequeueAfter < c.least || result.RequeueAfter > c.most {
				t.Errorf("looks again after %s, want %s to %s (%s)", result.RequeueAfter, c.least, c.most, c.why)
			}
		})
	}
}

func TestReadyIsTheFirstStepThatIsNotDone(t *testing.T) {
	machine := &infrav1.OpenStackMachine{}
	life(machine, step.Done(), slow).Run(t.Context(), 0)
	if got, want := conditions.GetMessage(machine, infrav1.Ready), "ServerReady: being built"; got != want {
		t.Errorf("Ready says %q, want %q", got, want)
	}
	life(machine, step.Done(), step.Done()).Run(t.Context(), 0)
	if !conditions.IsTrue(machine, infrav1.Ready) {
		t.Error("not Ready although every step is done")
	}
}

// TestNotToKnowIsNoSickness: a health check replaces machines whose condition is
// False; an OpenStack that does not answer says nothing about them.
func TestNotToKnowIsNoSickness(t *testing.T) {
	machine := &infrav1.OpenStackMachine{}
	life(machine, step.Done(), step.Done()).Run(t.Context(), 0)
	life(machine, step.Done(), step.Done()).Block(errors.New("connection refused"))
	for condition, want := range map[string]metav1.ConditionStatus{
		infrav1.CredentialsValid: metav1.ConditionUnknown,
		infrav1.Ready:            metav1.ConditionUnknown,
		infrav1.ServerReady:      metav1.ConditionTrue, // what was known before
	} {
		if got := conditions.Get(machine, condition).Status; got != want {
			t.Errorf("%s is %s, want %s", condition, got, want)
		}
	}
}

// TestOurOwnLimitIsNoNews: a manager that is busy must not make healthy clusters
// look as if nothing were known of them.
func TestOurOwnLimitIsNoNews(t *testing.T) {
	machine := &infrav1.OpenStackMachine{}
	life(machine, throttled, step.Done()).Run(t.Context(), 0)
	if c := conditions.Get(machine, infrav1.PortsReady); c.Status != metav1.ConditionUnknown || c.Reason != infrav1.Throttled {
		t.Errorf("before the first look: %s, %s; want Unknown, Throttled", c.Status, c.Reason)
	}
	life(machine, step.Done(), step.Done()).Run(t.Context(), 0)
	life(machine, throttled, step.Done()).Run(t.Context(), 0)
	life(machine, step.Done(), step.Done()).Block(cloud.Problemf(cloud.Throttled, "later"))
	if !conditions.IsTrue(machine, infrav1.Ready) || !conditions.IsTrue(machine, infrav1.PortsReady) {
		t.Error("not Ready any more, although nothing changed")
	}
}

// TestReadyTellsWhatADeletionWaitsFor: the steps are removed from bottom to
// top, so the last one is what the others wait for.
func TestReadyTellsWhatADeletionWaitsFor(t *testing.T) {
	machine := deletedSince(time.Second)
	waits := step.Wait(infrav1.Deleting, "server s is being deleted", time.Second)
	if life(machine, woken, waits).Run(t.Context(), 0).Done() {
		t.Fatal("done, although both steps wait")
	}
	for _, condition := range []string{infrav1.Ready, infrav1.Deleting} {
		if got := conditions.GetMessage(machine, condition); got != "server s is being deleted" {
			t.Errorf("%s says %q, want what the server waits for", condition, got)
		}
	}
	if conditions.IsTrue(machine, infrav1.Ready) {
		t.Error("Ready while it is deleted")
	}
}

func TestWhenAnObjectIsLetGo(t *testing.T) {
	cases := map[string]struct {
		machine *infrav1.OpenStackMachine
		server  step.Result
		gone    bool
		why     string
	}{
		"all is removed":              {deletedSince(time.Second), step.Done(), true, "nothing is left"},
		"an error that stays":         {deletedSince(time.Hour), forbidden, false, "the user did not allow to leave anything"},
		"allowed, an error stays":     {releasable(time.Second), forbidden, true, "only the user can end it"},
		"allowed, a passing error":    {releasable(time.Minute), unreachable, false, "it heals by itself"},
		"allowed, still at work":      {releasable(time.Minute), slow, false, "it comes to an end"},
		"allowed, without end":        {releasable(time.Hour), slow, true, "stuck in OpenStack without an error"},
		"allowed, but never deleted":  {&infrav1.OpenStackMachine{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{infrav1.ReleaseAnnotation: "true"}}}, forbidden, false, "it lives"},
		"allowed, quota in the way":   {releasable(time.Minute), quota, false, "quota can be raised"},
		"allowed, unknown for a long": {releasable(time.Hour), unreachable, true, "the cloud may be gone for good"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			life(c.machine, step.Done(), c.server).Run(t.Context(), 0)
			if gone := len(c.machine.Finalizers) == 0; gone != c.gone {
				t.Errorf("let go: %v, want %v (%s)", gone, c.gone, c.why)
			}
		})
	}
}

// TestTheWayOutIsTold: who deletes an object with broken credentials reads what
// is left and how to go on.
func TestTheWayOutIsTold(t *testing.T) {
	for name, conclude := range map[string]func(step.Life[int]) step.Outcome{
		"while the steps run":     func(l step.Life[int]) step.Outcome { return l.Run(t.Context(), 0) },
		"before anybody can look": func(l step.Life[int]) step.Outcome { return l.Block(cloud.Problemf(cloud.Forbidden, "no role")) },
	} {
		machine := deletedSince(time.Second)
		conclude(life(machine, step.Done(), forbidden))
		got := conditions.GetMessage(machine, infrav1.Ready)
		for _, want := range []string{"still in OpenStack: port p", infrav1.ReleaseAnnotation} {
			if !strings.Contains(got, want) {
				t.Errorf("%s Ready says %q, want %q in it", name, got, want)
			}
		}
	}
}

package machine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cluster-api/util/conditions"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

// fleet is many machines of one cluster, and when each is looked at next.
type fleet struct {
	*env
	due     map[string]time.Time
	watched time.Time // when servers were looked after last
}

// Add has a machine looked at now: the fleet is the queue of its controller.
func (f *fleet) Add(item ctrl.Request) { f.due[item.Name] = f.sim.Clock.Now() }

// watch looks after servers until then as often as the manager does, but not once
// somebody was woken.
func (f *fleet) watch(until time.Time) {
	f.Helper()
	access, err := f.reconciler.Identities.Open(f.Context(), testNamespace, infrav1.IdentityRef{Name: "cloud-config", CloudName: "sim"})
	if err != nil {
		f.Fatal(err)
	}
	const tick = 200 * time.Millisecond
	for {
		if wait := min(tick-f.sim.Clock.Since(f.watched), until.Sub(f.sim.Clock.Now())); wait > 0 {
			f.sim.Clock.Advance(wait)
		}
		if f.sim.Clock.Since(f.watched) < tick {
			return
		}
		f.watched = f.sim.Clock.Now()
		if err := access.Observer.Watch.Look(f.Context()); err != nil {
			f.Fatal(err)
		}
		if next := f.due[f.next()]; next.Before(until) || !f.sim.Clock.Now().Before(until) {
			return
		}
	}
}

// passTime is how long a pass takes in this fleet: one worker, a quick cloud.
const passTime = 50 * time.Millisecond

func newFleet(t *testing.T, n int) *fleet {
	sim := openstacksim.New(openstacksim.WithPageSize(1000)) // a page more is no list more
	f := &fleet{env: newEnvOn(t, sim, worker), due: map[string]time.Time{}}
	f.reconciler.queue = f
	for i := range n {
		machine, owner, _ := f.objects()
		machine.Name, owner.Name = fmt.Sprintf("w%d", i), fmt.Sprintf("w%d", i)
		owner.UID = types.UID(fmt.Sprintf("u-w%d", i))
		machine.OwnerReferences[0].Name, machine.OwnerReferences[0].UID = owner.Name, owner.UID
		for _, o := range []client.Object{owner, machine} {
			if err := f.client.Create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		f.due[machine.Name] = f.sim.Clock.Now()
	}
	return f
}

// run looks at the machines in the order in which they are due until the condition
// is true of all of them, and tells how long that took in the cloud.
func (f *fleet) run(done func(*infrav1.OpenStackMachine) bool) time.Duration {
	f.Helper()
	began := f.sim.Clock.Now()
	for left := len(f.due); left > 0; {
		f.watch(f.due[f.next()])
		name := f.next()
		key := client.ObjectKey{Namespace: testNamespace, Name: name}
		result, err := f.reconciler.Reconcile(f.Context(), ctrl.Request{NamespacedName: key})
		if err != nil {
			result.RequeueAfter = time.Second
		}
		f.sim.Clock.Advance(passTime)
		f.due[name] = f.sim.Clock.Now().Add(max(result.RequeueAfter, time.Millisecond))
		machine := &infrav1.OpenStackMachine{}
		if err := f.client.Get(f.Context(), key, machine); client.IgnoreNotFound(err) != nil {
			f.Fatal(err)
		} else if err != nil {
			machine = nil
		}
		if done(machine) {
			delete(f.due, name)
			left--
		}
		if f.sim.Clock.Since(began) > time.Hour {
			f.Fatalf("%d machines are not there yet after an hour", left)
		}
	}
	return f.sim.Clock.Since(began)
}

func (f *fleet) next() string {
	var first string
	for name, at := range f.due {
		if first == "" || at.Before(f.due[first]) {
			first = name
		}
	}
	return first
}

// TestHundredMachines: machines that are born together share what they ask, and
// ask no more often than a list a second.
func TestHundredMachines(t *testing.T) {
	const machines = 100
	f := newFleet(t, machines)
	f.sim.ResetCalls()
	var late []time.Duration // from ACTIVE to provisioned
	took := f.run(func(m *infrav1.OpenStackMachine) bool {
		ready := conditions.IsTrue(m, infrav1.Ready)
		if ready {
			late = append(late, f.sim.Clock.Since(f.sim.Servers(m.Name)[0].Updated))
		}
		return ready
	})
	if latest := slices.Max(late); latest > 2*time.Second {
		t.Errorf("a machine was provisioned %s after its server was ACTIVE, want 2s", latest)
	}
	calls := map[string]int{}
	for _, call := range f.sim.Calls() {
		calls[call.Method+" "+call.Path]++
	}
	t.Logf("%d machines in %s, each within %s of its server: %v", machines, took, slices.Max(late), calls)
	most := map[string]float64{
		"POST /servers": 1.2 * machines, "POST /ports": 1.2 * machines,
		"GET /servers/detail": took.Seconds(), "GET /ports": took.Seconds(),
	}
	for call, n := range calls {
		if limit, set := most[call]; set && float64(n) > limit {
			t.Errorf("%s: %d times, want at most %.0f", call, n, limit)
		}
	}
}

package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/step"
	"github.com/capok/capok/test/openstacksim"
)

// world is where a story plays: a namespace, a cloud, and our manager. Time is
// the cloud's clock; the world moves it to when the next look is due.
type world struct {
	*testing.T
	api        *api
	cloud      *openstacksim.Cloud
	namespace  string
	namespaces []string // those of before a move too
	floating   bool     // the API has a floating IP instead of a load balancer
	process    *process
	troubles   []trouble

	from    map[side]int       // writes before the story's own part
	to      map[side]int       // writes up to its end
	reasons map[string]bool    // that conditions had on the way
	writes  int                // of the manager to Kubernetes
	due     map[task]time.Time // when objects are looked at next
	awake   bool               // something was written that wakes all
	deleted bool               // trouble deleted the cluster
	told    bool               // something was written that wakes Cluster API
	seen    []string           // what there was at each moment of rest
	passes  []string           // of the manager, and what they came to
}

// task is an object that the manager looks at.
type task struct{ kind, name string }

// quiet is how far ahead nothing may be due at a moment of rest: less than the
// steady look, which would hide that nobody was woken.
const quiet = step.Steady / 2

// limit is how many passes a story may take from one rest to the next.
const limit = 400

func newWorld(t *testing.T, on *api, s story, troubles []trouble) *world {
	t.Helper()
	w := &world{T: t, api: on, cloud: openstacksim.New(openstacksim.WithSeed(s.name)), floating: s.floating, troubles: troubles}
	w.due, w.reasons = map[task]time.Time{}, map[string]bool{}
	w.cloud.Start(t)
	w.namespace = w.newNamespace()
	w.start()
	for _, t := range troubles {
		w.prepare(t)
	}
	return w
}

func (w *world) wakeAll() { w.awake = true }

// wrote notes a write of the manager, for those who watch the object.
func (w *world) wrote(object client.Object, status bool) {
	w.note(object)
	machine, isMachine := object.(*infrav1.OpenStackMachine)
	w.told = true
	switch {
	case !isMachine || !machine.DeletionTimestamp.IsZero():
		w.awake = true
	case !status:
		w.due[task{"OpenStackMachine", machine.Name}] = w.cloud.Clock.Now()
	}
}

// note remembers the reasons of all conditions that are not True.
func (w *world) note(object client.Object) {
	with, ok := object.(interface{ GetConditions() []metav1.Condition })
	if !ok {
		return
	}
	for _, c := range with.GetConditions() {
		if c.Status != metav1.ConditionTrue && c.Type != infrav1.Ready {
			w.reasons[c.Reason] = true
		}
	}
}

// settle lets manager and Cluster API work until both have nothing to do, and
// notes what there is when the cloud has carried out what it was told.
func (w *world) settle() {
	w.Helper()
	w.rest()
	w.seen = append(w.seen, w.describe())
}

// rest is settle for a moment that depends on when the trouble came.
func (w *world) rest() {
	w.Helper()
	if !w.until(func() bool { return false }) {
		w.Fatalf("no rest after %d passes; the last ones:\n%s\n%s", limit, strings.Join(w.passes[len(w.passes)-6:], "\n"), w.describe())
	}
	w.cloud.Clock.Advance(quiet / 2)
}

// until lets manager and Cluster API work until something is so, or there is
// nothing to do. False: neither came about.
func (w *world) until(so func() bool) bool {
	w.Helper()
	for range limit {
		w.tell()
		next := w.next()
		ahead := w.due[next].Sub(w.cloud.Clock.Now())
		if next == (task{}) || ahead > quiet || so() {
			return true
		}
		w.cloud.Clock.Advance(max(ahead, 0))
		w.look(next)
	}
	return false
}

// tell lets Cluster API work and wakes who is to be woken.
func (w *world) tell() {
	for w.awake || w.told {
		if w.awake {
			w.rescan()
		}
		w.awake, w.told = false, false
		w.core()
	}
}

// rescan makes all that there is due now.
func (w *world) rescan() {
	clusters, machines := &infrav1.OpenStackClusterList{}, &infrav1.OpenStackMachineList{}
	w.list(clusters)
	w.list(machines)
	clear(w.due)
	for i := range clusters.Items {
		w.due[task{"OpenStackCluster", clusters.Items[i].Name}] = w.cloud.Clock.Now()
	}
	for i := range machines.Items {
		w.due[task{"OpenStackMachine", machines.Items[i].Name}] = w.cloud.Clock.Now()
	}
}

// next is what is due first, always in the same order; the zero task: nothing.
func (w *world) next() task {
	var first task
	for t := range w.due {
		if first == (task{}) || cmp.Or(w.due[t].Compare(w.due[first]), strings.Compare(t.kind, first.kind), strings.Compare(t.name, first.name)) < 0 {
			first = t
		}
	}
	return first
}

// look is one pass over an object; it makes it due again as a queue would.
func (w *world) look(t task) {
	delete(w.due, t)
	process := w.process
	result, err := process.reconcile(t, w.namespace)
	w.passes = append(w.passes, fmt.Sprintf("%s %s %s: %v, again in %s", w.cloud.Clock.Now().Format(time.TimeOnly), t.kind, t.name, err, result.RequeueAfter))
	if process.killed() {
		w.start()
		w.wakeAll()
		return
	}
	at := w.cloud.Clock.Now()
	switch {
	case err != nil:
		at = at.Add(time.Second)
	case result.RequeueAfter >= step.Steady-step.Steady/5:
		at = at.Add(step.Steady) // without its spread: a story is the same every time
	case result.RequeueAfter > 0:
		at = at.Add(result.RequeueAfter)
	default:
		return
	}
	if woken, found := w.due[t]; !found || at.Before(woken) {
		w.due[t] = at
	}
}

// wantNothingLeft is how every story ends: no object is held by a finalizer,
// and the cloud is as it was before.
func (w *world) wantNothingLeft() {
	w.Helper()
	var left []string
	for t := range w.due {
		left = append(left, t.kind+" "+t.name)
	}
	slices.Sort(left)
	for _, object := range left {
		w.Errorf("%s is still there:\n%s", object, w.describe())
	}
	w.cloud.WantNothingLeft(w)
}

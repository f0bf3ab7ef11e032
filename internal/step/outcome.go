package step

import (
	"errors"
	"math/rand/v2"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/capok/capok/cloud"
)

// When the queue looks again.
const (
	// Steady is how often an object that is well is looked at, because
	// somebody may have changed the cloud; give or take a fifth.
	Steady = 10 * time.Minute
	// busyPoll is for what is in use or changing.
	busyPoll = 5 * time.Second
	// slowRetry is for quota, capacity and names that fit nothing yet, which
	// people heal in OpenStack.
	slowRetry = 2 * time.Minute
)

// Outcome is what the steps of a pass came to.
type Outcome struct {
	gone      bool // the object was let go
	notDone   bool
	after     time.Duration // the shortest that a step asked for; 0: none did
	notBefore time.Duration // the longest that OpenStack asked us to stay away; 0: it did not
	retry     []error       // errors that the queue should retry with back-off
	failed    error         // one that waiting alone does not end
}

// Done tells that every step was done.
func (o Outcome) Done() bool { return !o.notDone }

func (o *Outcome) add(r Result) {
	if !r.done() {
		o.notDone = true
	}
	o.sooner(r.after)
	kind := cloud.KindOf(r.err)
	if stays(r.err) {
		o.failed = r.err
	}
	switch kind {
	case cloud.None:
	case cloud.Busy:
		o.sooner(busyPoll)
	case cloud.QuotaExceeded, cloud.NoCapacity, cloud.Missing, cloud.Ambiguous, cloud.Invalid:
		o.sooner(slowRetry)
	case cloud.Throttled:
		o.notBefore = max(o.notBefore, cloud.RetryAfter(r.err))
	case cloud.Unavailable, cloud.Gone:
		o.notBefore = max(o.notBefore, cloud.RetryAfter(r.err))
		o.retry = append(o.retry, r.err)
	default:
		// Refused: a change of the spec or of the Secret wakes us, and the
		// steady look, because clouds heal.
	}
}

func (o *Outcome) sooner(after time.Duration) {
	if after > 0 && (o.after == 0 || after < o.after) {
		o.after = after
	}
}

// Requeue is what Reconcile returns. Once OpenStack asked us to stay away, no
// step's poll and no retry comes sooner.
func (o Outcome) Requeue() (ctrl.Result, error) {
	if o.gone {
		return ctrl.Result{}, nil
	}
	if o.notBefore > 0 {
		return ctrl.Result{RequeueAfter: max(o.notBefore, o.after)}, nil
	}
	if len(o.retry) > 0 {
		return ctrl.Result{}, errors.Join(o.retry...)
	}
	if o.after > 0 {
		return ctrl.Result{RequeueAfter: o.after}, nil
	}
	spread := time.Duration(rand.Int64N(int64(Steady / 5 * 2)))
	return ctrl.Result{RequeueAfter: Steady - Steady/5 + spread}, nil
}

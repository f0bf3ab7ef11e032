package snapshot

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/capok/capok/cloud"
)

// When a project is asked what became of its servers: when the youngest that somebody
// waits for has aged by a twelfth, so that a quick build is seen within a second and a
// slow one costs no more looks than it must.
const (
	quickest  = 3 * time.Second // no server is built or deleted sooner
	paceParts = 12
	minPace   = time.Second
	maxPace   = 10 * time.Second
	// clockSkew is how much later than ours a clock of Nova's may be.
	clockSkew = time.Minute
	// patience is how long a server is watched. Who waits longer polls.
	patience = 15 * time.Minute
)

// Watch tells those who wait for a server of one project when its status changed. It
// asks for what changed in the whole project: one request, however many wait, and none
// while nobody does. A change that it misses (clocks that differ by more than a minute)
// is seen by who polls besides, slowly.
type Watch struct {
	changed func(ctx context.Context, since time.Time) ([]cloud.Server, error)
	clock   clock.PassiveClock

	mu     sync.Mutex
	wanted map[string]wanted // by ID of the server
	seen   map[string]sight  // what changed a short while ago, by ID
	asked  time.Time         // when the last answer was asked for
	retry  time.Time         // not before, after a failure
	asking bool
}

type wanted struct {
	status string // that it had
	since  time.Time
	wake   func()
}

type sight struct {
	server cloud.Server
	at     time.Time
}

func newWatch(session *cloud.Session, clock clock.PassiveClock) *Watch {
	return &Watch{
		changed: func(ctx context.Context, since time.Time) ([]cloud.Server, error) {
			compute, err := session.Compute()
			if err != nil {
				return nil, err
			}
			return compute.ServersChanged(ctx, since)
		},
		clock: clock, wanted: map[string]wanted{}, seen: map[string]sight{},
	}
}

// Await has wake called once, by another goroutine, when the server has another status
// than the one it is given with. To await it again changes nothing; what is not called
// within a quarter of an hour is forgotten.
func (w *Watch) Await(server cloud.Server, wake func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.clock.Now()
	if known, found := w.wanted[server.ID]; found && known.status == server.Status {
		since = known.since
	}
	w.wanted[server.ID] = wanted{status: server.Status, since: since, wake: wake}
}

// Look asks OpenStack if it is time to, and wakes those whose servers changed.
func (w *Watch) Look(ctx context.Context) error {
	since, due := w.begin()
	if !due {
		return nil
	}
	began := w.clock.Now()
	changed, err := w.changed(ctx, since)
	for _, wake := range w.end(began, changed, err) {
		wake()
	}
	return err
}

// begin tells whether it is time to ask, and for what.
func (w *Watch) begin() (since time.Time, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	var oldest, youngest time.Time
	for id, one := range w.wanted {
		if now.Sub(one.since) > patience {
			delete(w.wanted, id)
			continue
		}
		if oldest.IsZero() || one.since.Before(oldest) {
			oldest = one.since
		}
		if one.since.After(youngest) {
			youngest = one.since
		}
	}
	pace := min(max(now.Sub(youngest)/paceParts, minPace), maxPace)
	if w.asking || oldest.IsZero() || now.Sub(oldest) < quickest || now.Sub(w.asked) < pace || now.Before(w.retry) {
		return since, false
	}
	w.asking = true
	if w.asked.After(oldest) {
		oldest = w.asked // what changed before that was told
	}
	return oldest.Add(-clockSkew), true
}

// end notes the answer and returns who is to be woken.
func (w *Watch) end(began time.Time, changed []cloud.Server, err error) (wake []func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking = false
	if err != nil {
		w.retry = w.clock.Now().Add(maxPace)
		if cloud.KindOf(err) == cloud.Unauthorized {
			clear(w.wanted) // to try a password again and again can lock its user out
		}
		return nil
	}
	w.asked = began
	for id, old := range w.seen {
		if began.Sub(old.at) > maxAge {
			delete(w.seen, id)
		}
	}
	for _, server := range changed {
		if one, found := w.wanted[server.ID]; found && server.Status != one.status {
			w.seen[server.ID] = sight{server, began}
			delete(w.wanted, server.ID)
			wake = append(wake, one.wake)
		}
	}
	return wake
}

// correct puts what was seen since a list was begun into a snapshot of that list, so
// that who was woken need not ask for it anew.
func (w *Watch) correct(s *Snapshot, mark string, begun time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, one := range w.seen {
		if !one.server.HasTag(mark) || one.at.Before(begun) {
			continue
		}
		s.Servers = slices.DeleteFunc(slices.Clone(s.Servers), func(v cloud.Server) bool { return v.ID == id })
		if one.server.Status != cloud.ServerDeleted {
			s.Servers = append(s.Servers, one.server)
		}
	}
}

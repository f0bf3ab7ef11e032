package snapshot

import (
	"context"
	"errors"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/capok/capok/cloud"
)

// watched is a watch of a project whose servers are those of the test.
type watched struct {
	*Watch
	*testing.T
	clock   *clocktesting.FakeClock
	changed []cloud.Server // what the cloud tells
	since   time.Time      // what it was asked for last
	asked   int
	woken   int
	fails   error
}

func newWatched(t *testing.T) *watched {
	w := &watched{T: t, clock: clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	w.Watch = newWatch(nil, w.clock)
	w.Watch.changed = func(_ context.Context, since time.Time) ([]cloud.Server, error) {
		w.asked, w.since = w.asked+1, since
		return w.changed, w.fails
	}
	return w
}

func (w *watched) await(id, status string) {
	w.Await(cloud.Server{ID: id, Status: status}, func() { w.woken++ })
}

// looks looks every 200 milliseconds, as identity.Provider does, and tells how often
// that asked OpenStack.
func (w *watched) looks(d time.Duration) int {
	before := w.asked
	for end := w.clock.Now().Add(d); w.clock.Now().Before(end); {
		if err := w.Look(w.Context()); err != nil && !errors.Is(err, w.fails) {
			w.Fatal(err)
		}
		w.clock.Step(200 * time.Millisecond)
	}
	return w.asked - before
}

func (w *watched) want(what string, got, low, high int) {
	w.Helper()
	if got < low || got > high {
		w.Errorf("%s: %d, want %d to %d", what, got, low, high)
	}
}

func TestWatchAsksAsOftenAsItMust(t *testing.T) {
	w := newWatched(t)
	w.want("requests while nobody waits", w.looks(time.Hour), 0, 0)
	w.await("a", cloud.ServerBuild)
	w.want("requests before any server can be built", w.looks(quickest-time.Second), 0, 0)
	w.want("requests in the ten seconds after", w.looks(10*time.Second), 9, 11)
	w.looks(48 * time.Second)
	w.want("requests in ten seconds when it is a minute old", w.looks(10*time.Second), 2, 2)
	w.await("b", cloud.ServerBuild)
	w.want("requests in ten seconds when another one is young", w.looks(10*time.Second), 9, 11)
	w.want("woken, although nothing changed", w.woken, 0, 0)
	w.looks(patience)
	w.want("requests after everybody's patience", w.looks(time.Hour), 0, 0)
}

func TestWatchWakesWhoseServerChanged(t *testing.T) {
	for why, c := range map[string]struct {
		was, is string
		woken   int
	}{
		"it was built":              {cloud.ServerBuild, cloud.ServerActive, 1},
		"it failed":                 {cloud.ServerBuild, cloud.ServerError, 1},
		"it is gone":                {cloud.ServerActive, cloud.ServerDeleted, 1},
		"it is still being built":   {cloud.ServerBuild, cloud.ServerBuild, 0},
		"it is still being deleted": {cloud.ServerActive, cloud.ServerActive, 0},
	} {
		t.Run(why, func(t *testing.T) {
			w := newWatched(t)
			w.await("a", c.was)
			w.changed = []cloud.Server{{ID: "stranger", Status: c.is}, {ID: "a", Status: c.is}}
			w.looks(time.Minute)
			w.want("woken", w.woken, c.woken, c.woken)
		})
	}
}

// TestWatchAsksForAllThatCanHaveChanged: by a clock that may be another than ours.
func TestWatchAsksForAllThatCanHaveChanged(t *testing.T) {
	w := newWatched(t)
	w.await("old", cloud.ServerBuild)
	began := w.clock.Now()
	w.looks(5 * time.Second)
	if want := began.Add(time.Second - clockSkew); w.since.Before(began.Add(-clockSkew)) || !w.since.After(want) {
		t.Errorf("asked for changes since %s, want since the look before, after %s", w.since, want)
	}
	w.clock.Step(patience) // nobody waits any more
	w.await("young", cloud.ServerBuild)
	began = w.clock.Now()
	w.clock.Step(quickest)
	w.looks(time.Second)
	if !w.since.Equal(began.Add(-clockSkew)) {
		t.Errorf("asked for changes since %s, want a minute before %s: nobody waits for what was earlier", w.since, began)
	}
}

func TestWatchThatFails(t *testing.T) {
	w := newWatched(t)
	w.fails = errors.New("no answer")
	w.await("a", cloud.ServerBuild)
	w.want("requests to a cloud that does not answer", w.looks(30*time.Second), 2, 4)
	w.fails, w.changed = nil, []cloud.Server{{ID: "a", Status: cloud.ServerActive}}
	w.looks(maxPace)
	w.want("woken when it answers", w.woken, 1, 1)
	w.fails = cloud.Problemf(cloud.Unauthorized, "no such user")
	w.await("b", cloud.ServerBuild)
	w.want("tries of credentials that are refused", w.looks(time.Minute), 1, 1)
}

// TestWhoIsWokenNeedNotAsk: the list is corrected by what the watch saw after it.
func TestWhoIsWokenNeedNotAsk(t *testing.T) {
	for why, c := range map[string]struct{ status, want string }{
		"built": {cloud.ServerActive, cloud.ServerActive},
		"gone":  {cloud.ServerDeleted, ""},
	} {
		t.Run(why, func(t *testing.T) {
			f := newFixture(t)
			f.lists = func(context.Context, Kind, string) (part, error) {
				f.fetched++
				return func(s *Snapshot) {
					s.Servers = []cloud.Server{{ID: "a", Tags: []string{"m", "a"}, Status: cloud.ServerBuild}}
				}, nil
			}
			f.Watch.changed = func(context.Context, time.Time) ([]cloud.Server, error) {
				return []cloud.Server{{ID: "a", Tags: []string{"m", "a"}, Status: c.status}}, nil
			}
			see := func() string {
				seen, err := f.See(t.Context(), Query{Mark: "m", Kinds: []Kind{Servers}, Writer: "a"})
				if err != nil {
					t.Fatal(err)
				}
				server, _ := seen.Server("a", "")
				return server.Status
			}
			f.Watch.Await(cloud.Server{ID: "a", Status: cloud.ServerBuild}, func() {})
			f.clock.Step(quickest)
			_ = see()
			f.clock.Step(time.Millisecond)
			if err := f.Watch.Look(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := see(); got != c.want {
				t.Errorf("status %q, want %q", got, c.want)
			}
			f.want(1, "the list is young enough")
			f.clock.Step(maxAge)
			if got := see(); got != cloud.ServerBuild {
				t.Errorf("status %q, want that of the list, which is younger than what was seen", got)
			}
		})
	}
}

package snapshot

import (
	"context"
	"errors"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/capok/capok/cloud"
)

// fixture counts how often each list is fetched.
type fixture struct {
	*Observer
	*testing.T
	clock   *clocktesting.FakeClock
	fetched int
	fails   error
	takes   time.Duration
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, clock: clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	f.Observer = NewObserver(nil, f.clock)
	f.lists = func(context.Context, Kind, string) (part, error) {
		f.fetched++
		f.clock.Step(f.takes)
		return func(s *Snapshot) { s.Ports = []cloud.Port{{ID: "p"}} }, f.fails
	}
	return f
}

func (f *fixture) see(writer string) error {
	_, err := f.See(f.Context(), Query{Mark: "m", Kinds: []Kind{Ports}, Writer: writer})
	return err
}

func (f *fixture) want(fetched int, why string) {
	f.Helper()
	if f.fetched != fetched {
		f.Errorf("%s: fetched %d times, want %d", why, f.fetched, fetched)
	}
}

func TestListsAreSharedAndNeverOlderThanOwnWrites(t *testing.T) {
	f := newFixture(t)
	_, _ = f.see("a"), f.see("b")
	f.want(1, "two machines look at about the same time")
	f.Wrote("m", "a", Ports)
	_ = f.see("b")
	f.want(1, "another's write is another's business")
	f.clock.Step(time.Millisecond)
	_ = f.see("a")
	f.want(2, "a list that was begun before the own write does not show it")
	_ = f.see("a")
	f.want(2, "one begun after it does")
	f.Wrote("m", "a", Servers)
	_ = f.see("a")
	f.want(2, "a write of another kind")
	f.clock.Step(maxAge)
	_ = f.see("b")
	f.want(3, "too old")
}

// TestListsOfWhatIsStill: they last longer, but not beyond anybody's write.
func TestListsOfWhatIsStill(t *testing.T) {
	for _, kind := range []Kind{Networks, Subnets, Routers, SecurityGroups, FloatingIPs} {
		f := newFixture(t)
		see := func(writer string) { _, _ = f.See(t.Context(), Query{Mark: "m", Kinds: []Kind{kind}, Writer: writer}) }
		see("a")
		f.clock.Step(maxAge)
		see("b")
		f.want(1, "young enough: "+string(kind))
		f.Wrote("m", "a", kind)
		f.clock.Step(time.Millisecond)
		see("b")
		f.want(2, "what one leaves another is to take at once: "+string(kind))
		f.clock.Step(maxAgeStill)
		see("b")
		f.want(3, "too old: "+string(kind))
	}
}

// TestListThatTakesLong: what counts is when it was begun.
func TestListThatTakesLong(t *testing.T) {
	f := newFixture(t)
	f.takes = maxAge
	_, _ = f.see("a"), f.see("b")
	f.want(2, "what the list shows may be as old as its beginning")
}

// TestFailureSpeaksForThoseWhoWaited: else each of them would wait for a cloud
// that does not answer, one after the other.
func TestFailureSpeaksForThoseWhoWaited(t *testing.T) {
	f := newFixture(t)
	f.fails, f.takes = errors.New("no answer"), time.Minute
	if err := f.see("a"); !errors.Is(err, f.fails) {
		t.Fatalf("error %v", err)
	}
	if err := f.see("b"); !errors.Is(err, f.fails) {
		t.Fatalf("error %v", err)
	}
	f.want(1, "b waited for the attempt of a")
	f.fails, f.takes = nil, 0
	f.clock.Step(time.Minute)
	if err := f.see("b"); err != nil {
		t.Fatal(err)
	}
	f.want(2, "a minute later it is tried again")
}

// TestCallerThatWentAway: its error says nothing about the cloud.
func TestCallerThatWentAway(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.fails = ctx.Err()
	if _, err := f.See(ctx, Query{Mark: "m", Kinds: []Kind{Ports}, Writer: "a"}); err == nil {
		t.Fatal("no error")
	}
	f.fails = nil
	if err := f.see("b"); err != nil {
		t.Errorf("b hears of it: %v", err)
	}
}

func TestUnusedListsAreForgotten(t *testing.T) {
	f := newFixture(t)
	_ = f.see("a")
	f.Wrote("m", "a", Ports)
	f.clock.Step(keep + time.Second)
	_, _ = f.See(t.Context(), Query{Mark: "other", Kinds: []Kind{Servers}})
	if len(f.seen) != 1 || len(f.writes) != 0 {
		t.Errorf("kept: %d lists and %d writes, want 1 and 0", len(f.seen), len(f.writes))
	}
}

func TestServer(t *testing.T) {
	old, young := time.Unix(1, 0), time.Unix(2, 0)
	s := Snapshot{Servers: []cloud.Server{
		{ID: "young", Tags: []string{"t"}, Created: young}, {ID: "old", Tags: []string{"t"}, Created: old}, {ID: "other", Created: old},
	}}
	for _, c := range []struct{ why, tag, preferred, want string }{
		{"the oldest, so that every pass chooses the same", "t", "", "old"},
		{"the one that was written down", "t", "young", "young"},
		{"one that was written down but is another's", "t", "other", "old"},
		{"none", "u", "", ""},
	} {
		if got, found := s.Server(c.tag, c.preferred); got.ID != c.want || found != (c.want != "") {
			t.Errorf("%s: %q", c.why, got.ID)
		}
	}
}

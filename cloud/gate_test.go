package cloud

import (
	"context"
	"net/http"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

func answer(status int, retryAfter string) outcome {
	header := http.Header{}
	if retryAfter != "" {
		header.Set("Retry-After", retryAfter)
	}
	return outcome{status, header}
}

// limited are the gates of a cloud, for thirty requests a second and sixty at once.
type limited struct {
	*testing.T
	*Gates
	now *testclock.FakePassiveClock
}

func newLimited(t *testing.T) *limited {
	now := testclock.NewFakePassiveClock(time.Unix(0, 0))
	return &limited{t, NewGates(Limits{QPS: 30, Burst: 60}, now), now}
}

// sent is how many requests to a project are sent now, by a thousand passes.
func (l *limited) sent(project string, each int) (n int) {
	l.Helper()
	for range 1000 {
		gate := l.of("https://keystone", project)
		if gate.begin() != nil {
			continue
		}
		for range each {
			if err := gate.admit("compute"); err != nil {
				l.Fatalf("a pass that has begun is held: %v", err)
			}
			n++
		}
	}
	return n
}

func (l *limited) step(d time.Duration) { l.now.SetTime(l.now.Now().Add(d)) }

// TestGateKeepsTheRate: sixty at once, then thirty a second, whatever the number
// of sessions; another project has a budget of its own.
func TestGateKeepsTheRate(t *testing.T) {
	l := newLimited(t)
	if n := l.sent("a", 1); n != 60 {
		t.Errorf("%d requests at once, want 60", n)
	}
	if n := l.sent("b", 1); n != 60 {
		t.Errorf("%d requests to another project, want 60", n)
	}
	l.step(time.Second)
	if n := l.sent("a", 1); n != 30 {
		t.Errorf("%d requests a second later, want 30", n)
	}
	err := l.of("https://keystone", "a").begin()
	if KindOf(err) != Throttled || RetryAfter(err) <= 0 || RetryAfter(err) > longestWait+time.Second {
		t.Errorf("held by %v (%v), to come again after %s: want Throttled, and soon", err, KindOf(err), RetryAfter(err))
	}
	l.step(RetryAfter(err))
	if n := l.sent("a", 1); n < 1 {
		t.Error("no request when it was told to come again")
	}
}

// TestGateKeepsTheRateOfLongPasses: what one takes too much, the next wait for.
func TestGateKeepsTheRateOfLongPasses(t *testing.T) {
	const each = 20
	l := newLimited(t)
	total := l.sent("a", each)
	for range 60 {
		l.step(time.Second)
		total += l.sent("a", each)
	}
	if want := 60 + 60*30; total < want-each || total > want+each {
		t.Errorf("%d requests in a minute, want %d", total, want)
	}
}

// TestThoseWhoAreHeldComeInLine: a thousand objects of a project, as after a restart,
// are looked at as fast as the limit allows, and few of them are sent away twice.
func TestThoseWhoAreHeldComeInLine(t *testing.T) {
	const objects, each = 1000, 8
	l := newLimited(t)
	gate := l.of("https://keystone", "a")
	due := make([]time.Duration, objects) // since the start
	done, came := 0, 0
	for at := time.Duration(0); done < objects; at += 10 * time.Millisecond {
		for i, when := range due {
			if when < 0 || when > at {
				continue
			}
			came++
			if err := gate.begin(); err != nil {
				due[i] = at + RetryAfter(err)
				continue
			}
			for range each {
				_ = gate.admit("compute")
			}
			done, due[i] = done+1, -1
		}
		if at > 10*time.Minute {
			t.Fatalf("%d of %d objects were looked at", done, objects)
		}
		l.step(10 * time.Millisecond)
	}
	took := l.now.Now().Sub(time.Unix(0, 0))
	t.Logf("%d objects of %d requests: %s, and each came %.1f times", objects, each, took, float64(came)/objects)
	if most := objects * each / 30 * time.Second * 11 / 10; took > most {
		t.Errorf("took %s, want at most %s: the limit is not used", took, most)
	}
	if came > 6*objects {
		t.Errorf("%d came for %d that were looked at", came, objects)
	}
}

// TestGateStaysAwayAsAsked: nobody in the process sends anything to a service
// that asked for rest; the other services have not asked.
func TestGateStaysAwayAsAsked(t *testing.T) {
	for name, response := range map[string]outcome{"429": answer(429, "20"), "503": answer(503, "20")} {
		now := testclock.NewFakePassiveClock(time.Unix(0, 0))
		g := NewGates(Limits{}, now).of("", "")
		g.learn(t.Context(), "compute", response)
		if err := g.admit("compute"); KindOf(err) != Unavailable || RetryAfter(err) != 20*time.Second {
			t.Errorf("%s: %v after %s, want Unavailable for 20s", name, err, RetryAfter(err))
		}
		if err := g.admit("network"); err != nil {
			t.Errorf("%s: another service is held: %v", name, err)
		}
		now.SetTime(now.Now().Add(20 * time.Second))
		if err := g.admit("compute"); err != nil {
			t.Errorf("%s: still held after its time: %v", name, err)
		}
	}
}

// TestGateStopsTheStorm: a hundred objects that retry send a service that is out
// no more than one request at a time, and ever fewer; its first answer opens the
// gate for all.
func TestGateStopsTheStorm(t *testing.T) {
	now := testclock.NewFakePassiveClock(time.Unix(0, 0))
	g := NewGates(Limits{}, now).of("", "")
	storm := func(seconds int) (sent int) {
		for range seconds {
			for range 100 {
				if g.admit("compute") == nil {
					sent++
					g.learn(t.Context(), "compute", outcome{})
				}
			}
			now.SetTime(now.Now().Add(time.Second))
		}
		return sent
	}
	if sent := storm(60); sent > 12 {
		t.Errorf("%d requests in the first minute of an outage, want at most 12", sent)
	}
	if sent := storm(600); sent > 21 {
		t.Errorf("%d requests in ten minutes more, want at most 21: one every 30 s", sent)
	}
	now.SetTime(now.Now().Add(time.Minute))
	if err := g.admit("compute"); err != nil {
		t.Fatalf("nobody may ask whether the outage is over: %v", err)
	}
	if err := g.admit("compute"); err == nil {
		t.Error("two ask at once whether the outage is over")
	}
	g.learn(t.Context(), "compute", answer(200, ""))
	for range 100 {
		if err := g.admit("compute"); err != nil {
			t.Fatalf("held although the outage is over: %v", err)
		}
	}
}

// TestWhatIsNoOutage: what users do, and what concerns one request.
func TestWhatIsNoOutage(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	cases := map[string]struct {
		ctx     context.Context
		outcome outcome
		why     string
	}{
		"not found":      {t.Context(), answer(404, ""), "an answer"},
		"refused":        {t.Context(), answer(400, ""), "an answer"},
		"conflict":       {t.Context(), answer(409, ""), "an answer"},
		"caller is gone": {gone, outcome{}, "says nothing about the service"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := NewGates(Limits{}, testclock.NewFakePassiveClock(time.Unix(0, 0))).of("", "")
			for range 20 {
				g.learn(c.ctx, "compute", c.outcome)
			}
			if err := g.admit("compute"); err != nil {
				t.Errorf("held: %v (%s)", err, c.why)
			}
		})
	}
	g := NewGates(Limits{}, testclock.NewFakePassiveClock(time.Unix(0, 0))).of("", "")
	for range 20 { // a request that crashes Nova, between those of others
		g.learn(t.Context(), "compute", answer(500, ""))
		g.learn(t.Context(), "compute", answer(200, ""))
	}
	if err := g.admit("compute"); err != nil {
		t.Errorf("one user's 500s hold everybody: %v", err)
	}
}

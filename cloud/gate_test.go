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

// TestGateKeepsTheRate: sixty at once, then thirty a second, whatever the number
// of sessions; another project has a budget of its own.
func TestGateKeepsTheRate(t *testing.T) {
	now := testclock.NewFakePassiveClock(time.Unix(0, 0))
	gates := NewGates(Limits{QPS: 30, Burst: 60}, now)
	sent := func(project string) (n int) {
		for range 1000 {
			if gates.of("https://keystone", project).admit("compute") == nil {
				n++
			}
		}
		return n
	}
	if n := sent("a"); n != 60 {
		t.Errorf("%d requests at once, want 60", n)
	}
	if n := sent("b"); n != 60 {
		t.Errorf("%d requests to another project, want 60", n)
	}
	now.SetTime(now.Now().Add(time.Second))
	if n := sent("a"); n != 30 {
		t.Errorf("%d requests a second later, want 30", n)
	}
	err := gates.of("https://keystone", "a").admit("compute")
	if KindOf(err) != Throttled || RetryAfter(err) <= 0 || RetryAfter(err) > time.Second {
		t.Errorf("held by %v (%v), to come again after %s: want Throttled, and soon", err, KindOf(err), RetryAfter(err))
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

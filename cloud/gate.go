package cloud

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// Held counts what was not sent, by service and by why: rate (our own limit held a
// pass, or a login, before its first request to any service), asked (OpenStack answered with Retry-After) or outage (it failed
// several times in a row).
var Held = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "capok_openstack_requests_held_total",
	Help: "Requests that were not sent, to spare OpenStack.",
}, []string{"service", "why"})

const (
	// outageAfter is how many failures in a row make an outage. One user's
	// request that crashes a service is not one: others succeed meanwhile.
	outageAfter = 5
	// The time between two requests to a service that is out doubles from the
	// first of these to the second.
	outageFirst = time.Second
	outageMost  = 30 * time.Second
)

// Limits is what this process may ask of one project of an OpenStack.
type Limits struct {
	// QPS is how many requests per second it may send in the long run. 0: no
	// limit.
	QPS float32
	// Burst is how many it may send at once after a rest. Passes that have begun
	// may go beyond it.
	Burst int
}

// Gates keeps this process from overrunning any OpenStack: all sessions of one
// project of one cloud share a gate.
type Gates struct {
	limits Limits
	clock  clock.PassiveClock

	mu    sync.Mutex
	gates map[gateKey]*gate
}

type gateKey struct{ cloud, project string }

// NewGates returns gates that are all open.
func NewGates(limits Limits, clock clock.PassiveClock) *Gates {
	return &Gates{limits: limits, clock: clock, gates: map[gateKey]*gate{}}
}

// of returns the gate to a project, by its ID. The empty project is for logging
// in, before it is known.
func (g *Gates) of(cloud, project string) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := gateKey{cloud, project}
	if known, found := g.gates[key]; found {
		return known
	}
	maps.DeleteFunc(g.gates, func(_ gateKey, old *gate) bool { return old.unused() })
	limit := rate.Inf
	if g.limits.QPS > 0 {
		limit = rate.Limit(g.limits.QPS)
	}
	fresh := &gate{clock: g.clock, limiter: rate.NewLimiter(limit, g.limits.Burst), services: map[string]*health{}, used: g.clock.Now()}
	g.gates[key] = fresh
	return fresh
}

// gate decides whether a request to a project may be sent now. It lets nobody
// wait: a worker that waited for one cloud would be missing to all others. Who
// is held comes again after the time that RetryAfter tells.
type gate struct {
	clock   clock.PassiveClock
	limiter *rate.Limiter

	mu       sync.Mutex
	services map[string]*health
	used     time.Time
	line     time.Time // when the last of those may come who were told to come later
}

// Those who are told to come later come one after the other, not all at once to be
// sent away again: each is given the time of a pass of few requests. None waits longer
// than the longest wait before it asks again: after that the line begins anew.
const (
	passRequests = 5
	longestWait  = time.Minute
)

// unused tells whether nobody came for long: tenants choose the addresses of
// clouds, so their number has no bound.
func (g *gate) unused() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.clock.Since(g.used) > 2*time.Hour
}

// health is how a service does. The zero value: well.
type health struct {
	failures int       // in a row
	until    time.Time // nothing is sent before
	why      string    // it is so
	probed   time.Time // when the request was sent that tells whether an outage is over; zero: none is under way
}

// begin lets a pass begin, or tells when to come again. One that has begun is let
// through: held in its midst it would ask for the same again, and many of them would
// use up the limit without ever coming to their ends. What a pass takes beyond the
// limit, those that come next wait for.
func (g *gate) begin() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	limit, now := g.limiter.Limit(), g.clock.Now()
	missing := 1 - g.limiter.TokensAt(now)
	if limit == rate.Inf || missing <= 0 {
		return nil
	}
	timeOf := func(requests float64) time.Duration {
		return time.Duration(requests / float64(limit) * float64(time.Second))
	}
	earliest := now.Add(timeOf(missing) + time.Millisecond)
	g.line = g.line.Add(timeOf(passRequests))
	if g.line.Before(earliest) || g.line.Sub(earliest) > longestWait {
		g.line = earliest
	}
	return held(Throttled, "any", "rate", g.line.Sub(now))
}

// admit lets a request pass, or tells why not.
func (g *gate) admit(service string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, h := g.clock.Now(), g.health(service)
	g.used = now
	if wait := h.until.Sub(now); wait > 0 {
		return held(Unavailable, service, h.why, wait)
	}
	out := h.failures >= outageAfter
	if out && now.Sub(h.probed) < requestTimeout { // one asks for all
		return held(Unavailable, service, "outage", outageFirst)
	}
	g.limiter.ReserveN(now, 1)
	if out {
		h.probed = now
	}
	return nil
}

// outcome is what became of a request that was sent.
type outcome struct {
	status int // 0: no answer came
	header http.Header
}

// learn takes what became of a request that was admitted. That the caller went
// away says nothing about the service.
func (g *gate) learn(ctx context.Context, service string, o outcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, h := g.clock.Now(), g.health(service)
	h.probed = time.Time{}
	switch {
	case ctx.Err() != nil:
	case o.status > 0 && o.status < 500:
		h.failures = 0
		h.hold(now, retryAfter(o.header), "asked")
	default:
		h.failures++
		if beyond := h.failures - outageAfter; beyond >= 0 {
			h.hold(now, min(outageFirst<<min(beyond, 8), outageMost), "outage")
		}
		h.hold(now, retryAfter(o.header), "asked")
	}
}

func (h *health) hold(now time.Time, wait time.Duration, why string) {
	if until := now.Add(wait); wait > 0 && until.After(h.until) {
		h.until, h.why = until, why
	}
}

func (g *gate) health(service string) *health {
	if _, found := g.services[service]; !found {
		g.services[service] = &health{}
	}
	return g.services[service]
}

// held is the error of a request that was not sent.
func held(kind Kind, service, why string, wait time.Duration) error {
	Held.WithLabelValues(service, why).Inc()
	text := map[string]string{
		"rate":   "the manager sends this project no more requests a second than its limit; this object's turn comes later",
		"asked":  fmt.Sprintf("%s asked to be left alone for a while", service),
		"outage": fmt.Sprintf("%s failed several times in a row; it is asked again shortly", service),
	}[why]
	return &Problem{Kind: kind, Message: text, after: wait}
}

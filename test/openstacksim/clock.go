package openstacksim

import (
	"sync"
	"time"
)

// Clock is the time of a Cloud. It stands still until Advance moves it, or it
// runs with the wall clock and can be moved on top of that. It has the methods
// that k8s.io/utils/clock.PassiveClock asks for, so that the code under test can
// use the same time.
type Clock struct {
	mu      sync.Mutex
	base    time.Time
	started time.Time // zero while the clock stands
	waiters []waiter
}

type waiter struct {
	at   time.Time
	wake chan time.Time
}

// NewClock makes a clock that stands at the current second until it is moved.
func NewClock() *Clock { return &Clock{base: time.Now().Truncate(time.Second)} }

// NewRunningClock makes a clock that runs with the wall clock.
func NewRunningClock() *Clock {
	now := time.Now()
	return &Clock{base: now, started: now}
}

// Now is the time in the cloud.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

// Since is the time in the cloud that has passed since t.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Advance moves the clock by d; what was to happen meanwhile has happened when
// the next request or question comes.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = c.base.Add(d)
	c.fire()
}

// After sends the time once d has passed in the cloud.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wake := make(chan time.Time, 1)
	c.waiters = append(c.waiters, waiter{c.now().Add(d), wake})
	if !c.started.IsZero() {
		time.AfterFunc(d, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.fire()
		})
	}
	c.fire()
	return wake
}

// HasWaiters says whether a request is held until a later time.
func (c *Clock) HasWaiters() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiters) > 0
}

func (c *Clock) now() time.Time {
	if c.started.IsZero() {
		return c.base
	}
	return c.base.Add(time.Since(c.started))
}

func (c *Clock) fire() {
	now := c.now()
	var waiting []waiter
	for _, w := range c.waiters {
		if w.at.After(now) {
			waiting = append(waiting, w)
			continue
		}
		w.wake <- now
	}
	c.waiters = waiting
}

// agenda holds what the cloud will do by itself, such as finishing a build.
type agenda []appointment

type appointment struct {
	at time.Time
	do func()
}

// add keeps the agenda sorted by time; of two at the same time the older is first.
func (a *agenda) add(at time.Time, do func()) {
	i := len(*a)
	for i > 0 && (*a)[i-1].at.After(at) {
		i--
	}
	*a = append(*a, appointment{})
	copy((*a)[i+1:], (*a)[i:])
	(*a)[i] = appointment{at, do}
}

// due takes the first appointment that is not later than now.
func (a *agenda) due(now time.Time) (appointment, bool) {
	if len(*a) == 0 || (*a)[0].at.After(now) {
		return appointment{}, false
	}
	first := (*a)[0]
	*a = (*a)[1:]
	return first, true
}

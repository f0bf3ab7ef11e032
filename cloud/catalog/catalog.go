// Package catalog answers what an OpenStack has to offer: flavors, images,
// availability zones, and the networks, groups and routers that users name in
// their specs.
//
// These facts change slowly and are asked for by every machine, so answers
// are kept for minutes. Only answers are: that something is missing is asked
// again each time. It never changes anything. Not for what carries our mark:
// that is package snapshot. Read remember first, then Flavor.
package catalog

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/capok/capok/cloud"
)

// keep is how long an answer is good for.
const keep = 5 * time.Minute

// Catalog remembers the answers of one session.
type Catalog struct {
	session *cloud.Session
	clock   clock.PassiveClock

	mu      sync.Mutex
	answers map[string]answer
}

type answer struct {
	value any
	until time.Time
}

// New returns an empty catalog of what the session can see.
func New(session *cloud.Session, clock clock.PassiveClock) *Catalog {
	return &Catalog{session: session, clock: clock, answers: map[string]answer{}}
}

// remember returns the kept answer to a question, or asks.
func remember[T any](c *Catalog, question any, ask func() (T, error)) (T, error) {
	key := fmt.Sprintf("%#v", question)
	c.mu.Lock()
	kept, found := c.answers[key]
	c.mu.Unlock()
	if found && c.clock.Now().Before(kept.until) {
		return kept.value.(T), nil
	}
	value, err := ask()
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for old, a := range c.answers {
		if !c.clock.Now().Before(a.until) {
			delete(c.answers, old)
		}
	}
	c.answers[key] = answer{value, c.clock.Now().Add(keep)}
	return value, nil
}

// one picks the single thing that fits. field is the path in the user's spec,
// what says in words what was looked for.
func one[T any](found []T, field, what string) (T, error) {
	var none T
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, cloud.Problemf(cloud.Missing, "%s: there is no %s that this project can see; create it or correct the field", field, what)
	}
	return none, cloud.Problemf(cloud.Ambiguous, "%s: %d fit %s; give the id of the one that is meant", field, len(found), what)
}

// mine picks the single thing that fits, and if several do, the single one of
// the own project: an administrator's list shows everybody's.
func mine[T any](inProject func(project string) ([]T, error), projectID, field, what string) (T, error) {
	var none T
	found, err := inProject("")
	if err != nil {
		return none, err
	}
	if len(found) > 1 {
		own, err := inProject(projectID)
		if err != nil {
			return none, err
		}
		if len(own) == 1 {
			found = own
		}
	}
	return one(found, field, what)
}

// AvailabilityZones are Nova's zones.
func (c *Catalog) AvailabilityZones(ctx context.Context) ([]cloud.AvailabilityZone, error) {
	return remember(c, "availability zones", func() ([]cloud.AvailabilityZone, error) {
		compute, err := c.session.Compute()
		if err != nil {
			return nil, err
		}
		return compute.AvailabilityZones(ctx)
	})
}

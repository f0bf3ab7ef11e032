package snapshot

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"github.com/capok/capok/cloud"
)

// How old a shared list may be. What OpenStack works on is polled every five seconds or
// later, each object at its own time: that lets them share. What only changes when it is
// told to is listed for what others do by hand, which need not be seen at once.
const (
	maxAge      = 5 * time.Second
	maxAgeStill = 30 * time.Second
)

// still tells whether things of a kind change only when somebody changes them.
func (k Kind) still() bool {
	switch k {
	case Networks, Subnets, Routers, SecurityGroups, FloatingIPs:
		return true
	default:
		return false
	}
}

func (k Kind) maxAge() time.Duration {
	if k.still() {
		return maxAgeStill
	}
	return maxAge
}

// Age is how old lists are when a pass works from them, by kind. Its count is how often
// lists were used: more often than they were asked for, since they are shared.
var Age = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "capok_snapshot_age_seconds",
	Help:    "Age of the list of a kind of resource when a reconcile works from it.",
	Buckets: []float64{.05, .2, 1, 2, 3, 4, 5, 10, 30},
}, []string{"kind"})

// keep is how long an unused list stays in memory.
const keep = 10 * time.Minute

// Observer lists what carries a mark. All controllers that use one session
// share one observer, and with it its lists.
type Observer struct {
	// Watch looks after servers of the same project that somebody waits for.
	Watch *Watch

	lists func(ctx context.Context, kind Kind, mark string) (part, error)
	clock clock.PassiveClock

	mu     sync.Mutex
	seen   map[listKey]*shared
	writes map[writeKey]time.Time
}

type listKey struct {
	mark string
	kind Kind
}

type writeKey struct {
	listKey
	writer string
}

// shared is one list that several callers look at. Its lock is held while the
// list is fetched, so that those who come meanwhile share the answer.
type shared struct {
	mu     sync.Mutex
	begun  time.Time
	part   part
	failed cloud.Failure // of the last fetch, for who comes shortly after
}

// part puts one kind's list into a snapshot.
type part func(*Snapshot)

// Query says what to see.
type Query struct {
	Mark  string
	Kinds []Kind
	// Writer is who asks. A list is never older than what this writer wrote
	// last (see Wrote): a reconciler always sees its own writes.
	Writer string
}

// NewObserver returns an observer of what the session can see.
func NewObserver(session *cloud.Session, clock clock.PassiveClock) *Observer {
	return &Observer{
		Watch:  newWatch(session, clock),
		lists:  lister{session}.list,
		clock:  clock,
		seen:   map[listKey]*shared{},
		writes: map[writeKey]time.Time{},
	}
}

// See returns what carries the mark. Callers share one fetch per kind; each
// kind costs at most one list request, paged to its end.
func (o *Observer) See(ctx context.Context, q Query) (*Snapshot, error) {
	snapshot := &Snapshot{}
	for _, kind := range q.Kinds {
		key := listKey{q.Mark, kind}
		put, begun, err := o.fresh(ctx, key, q.Writer)
		if err != nil {
			return nil, fmt.Errorf("list %s of the cluster: %w", kind, err)
		}
		put(snapshot)
		if kind == Servers {
			o.Watch.correct(snapshot, q.Mark, begun)
		}
	}
	return snapshot, nil
}

// everyone is who wrote what nobody's list is older than.
const everyone = ""

// Wrote says that a writer changed something of a kind just now. Of kinds that are
// seldom written everyone sees that: a floating IP that one machine leaves is to be
// taken by another at once.
func (o *Observer) Wrote(mark, writer string, kind Kind) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if kind.still() {
		writer = everyone
	}
	o.writes[writeKey{listKey{mark, kind}, writer}] = o.clock.Now()
}

// fresh returns a list that was begun neither too long ago nor before the
// writer's last write, and when that was.
func (o *Observer) fresh(ctx context.Context, key listKey, writer string) (_ part, begun time.Time, err error) {
	list, wrote := o.entry(key, writer)
	list.mu.Lock()
	defer list.mu.Unlock()
	defer func() {
		if err == nil {
			Age.WithLabelValues(string(key.kind)).Observe(o.clock.Since(list.begun).Seconds())
		}
	}()
	now := o.clock.Now()
	if list.part != nil && now.Sub(list.begun) < key.kind.maxAge() && list.begun.After(wrote) {
		return list.part, list.begun, nil
	}
	if err := list.failed.Recent(now); err != nil {
		return nil, begun, err
	}
	fetched, err := o.lists(ctx, key.kind, key.mark)
	if err != nil {
		list.failed = cloud.NewFailure(ctx, err, now, o.clock.Now())
		return nil, begun, err
	}
	list.begun, list.part = now, fetched
	return fetched, now, nil
}

func (o *Observer) entry(key listKey, writer string) (*shared, time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forgetOld()
	list, found := o.seen[key]
	if !found {
		list = &shared{begun: o.clock.Now()}
		o.seen[key] = list
	}
	own, all := o.writes[writeKey{key, writer}], o.writes[writeKey{key, everyone}]
	if all.After(own) {
		return list, all
	}
	return list, own
}

// forgetOld drops what nobody can need any more: a list of that age would be
// fetched again, and is then younger than any write of that age.
func (o *Observer) forgetOld() {
	now := o.clock.Now()
	for key, at := range o.writes {
		if now.Sub(at) > keep {
			delete(o.writes, key)
		}
	}
	for key, list := range o.seen {
		if list.mu.TryLock() {
			if now.Sub(list.begun) > keep {
				delete(o.seen, key)
			}
			list.mu.Unlock()
		}
	}
}

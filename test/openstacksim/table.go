package openstacksim

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"
)

// row is one resource: what every kind has in common.
type row interface {
	ident() string // UUID
	owner() string // project ID; empty for what the cloud offers to all
	label() string // name, or what tells it apart if the kind has no names
}

type rowOf[T any] interface {
	*T
	row
}

// table holds all resources of one kind in the order of their creation.
//
// Rows are changed only under the cloud's lock, and slices and maps in them are
// replaced, never written into: a shallow copy is therefore a snapshot.
type table[T any, R rowOf[T]] struct {
	kind   string
	rows   []R
	byID   map[string]R
	frozen []R
	stale  bool
	late   lateness[R]
}

func newTable[T any, R rowOf[T]](kind string, now func() time.Time) *table[T, R] {
	return &table[T, R]{kind: kind, byID: map[string]R{}, late: lateness[R]{now: now, born: map[string]birth{}}}
}

func (t *table[T, R]) get(id string) (R, bool) {
	r, ok := t.byID[id]
	return r, ok
}

// of finds a row that the project may see: its own.
func (t *table[T, R]) of(project, id string) (R, bool) {
	r, ok := t.byID[id]
	return r, ok && (r.owner() == project || r.owner() == "")
}

func (t *table[T, R]) add(r R) R {
	t.rows = append(t.rows, r)
	t.byID[r.ident()] = r
	t.late.added(r)
	return r
}

func (t *table[T, R]) drop(id string) {
	if r, ok := t.byID[id]; ok {
		t.late.dropped(r)
	}
	delete(t.byID, id)
	t.rows = slices.DeleteFunc(t.rows, func(r R) bool { return r.ident() == id })
}

// where lists the rows that fit, oldest first. The result may be kept while
// rows are dropped.
func (t *table[T, R]) where(fits func(R) bool) []R {
	var found []R
	for _, r := range t.rows {
		if fits(r) {
			found = append(found, r)
		}
	}
	return found
}

func (t *table[T, R]) count(fits func(R) bool) int { return len(t.where(fits)) }

// listed is what lists show: the rows, or those of the moment of freeze, or those
// of some time ago.
func (t *table[T, R]) listed() []R {
	switch {
	case t.stale:
		return t.frozen
	case t.late.by > 0:
		return t.late.shown(t.rows)
	}
	return t.rows
}

func (t *table[T, R]) freeze(on bool) {
	t.stale, t.frozen = on, nil
	if on {
		t.frozen = copies(t.rows)
	}
}

func (t *table[T, R]) lag(by time.Duration) { t.late.by = by }

func (t *table[T, R]) name() string { return t.kind }

func (t *table[T, R]) each(do func(row)) {
	for _, r := range t.rows {
		do(r)
	}
}

// named returns copies of the rows with the name, or of all if it is empty.
func (t *table[T, R]) named(name string) []T {
	var found []T
	for _, r := range t.rows {
		if name == "" || r.label() == name {
			found = append(found, *r)
		}
	}
	return found
}

func copies[T any, R rowOf[T]](rows []R) []R {
	copied := make([]R, len(rows))
	for i, r := range rows {
		c := *r
		copied[i] = &c
	}
	return copied
}

// anyTable is a table of whatever kind.
type anyTable interface {
	name() string
	each(func(row))
	freeze(bool)
	lag(time.Duration)
}

// newID makes a UUID. The same requests in the same order give the same ones,
// and their order says nothing about the order of creation, as in a real cloud.
func (c *Cloud) newID(kind string) string {
	c.minted++
	h := sha256.Sum256(fmt.Appendf(nil, "%s%s/%d", c.seed, kind, c.minted))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80 // version 4, variant 10
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

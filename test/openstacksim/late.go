package openstacksim

import (
	"cmp"
	"slices"
	"time"
)

// lateness is how far lists of a kind are behind. What changes in a row shows at
// once: only that it is new or gone comes late.
type lateness[R row] struct {
	by    time.Duration // zero: not at all
	now   func() time.Time
	order int              // counts rows
	born  map[string]birth // by ID; only rows that came since lists are late
	gone  []death[R]
}

type birth struct {
	at    time.Time
	order int
}

type death[R row] struct {
	row R
	at  time.Time
}

func (l *lateness[R]) added(r R) {
	if l.by > 0 {
		l.order++
		l.born[r.ident()] = birth{l.now(), l.order}
	}
}

func (l *lateness[R]) dropped(r R) {
	if l.by > 0 {
		l.gone = append(l.gone, death[R]{r, l.now()})
	}
}

// shown are the rows of the time by which the lists are late, the oldest first.
func (l *lateness[R]) shown(rows []R) []R {
	then := l.now().Add(-l.by)
	l.gone = slices.DeleteFunc(l.gone, func(d death[R]) bool { return !d.at.After(then) })
	all := slices.Clone(rows)
	for _, d := range l.gone {
		all = append(all, d.row)
	}
	all = slices.DeleteFunc(all, func(r R) bool { return l.born[r.ident()].at.After(then) })
	slices.SortStableFunc(all, func(a, b R) int { return cmp.Compare(l.born[a.ident()].order, l.born[b.ident()].order) })
	return all
}

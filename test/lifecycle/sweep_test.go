package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// tell plays a story from the creation of its cluster to the end.
func tell(t *testing.T, on *api, s story, troubles ...trouble) *world {
	t.Helper()
	w := newWorld(t, on, s, troubles)
	w.makeCluster()
	w.makeMachines("cp0", "w0")
	w.settle()
	w.from = w.count()
	if s.play != nil && !w.deleted {
		s.play(w)
	}
	w.to = w.count()
	w.deleteCluster()
	w.settle()
	w.wantNothingLeft()
	return w
}

// TestStories tells each story on a real API server.
func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tell(t, server, s)
		})
	}
}

// TestTroubles tells each story again with each trouble at each write, and
// wants the same moments of rest and nothing left.
func TestTroubles(t *testing.T) {
	seen := newMatrix()
	complete := t.Run("of", func(t *testing.T) { // returns when all parallel ones have
		for _, s := range stories {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				calm := tell(t, inMemory(scheme), s)
				seen.calm(s, calm)
				for _, what := range s.troubles(calm) {
					t.Run(what.String(), func(t *testing.T) {
						t.Parallel()
						seen.disturbed(s, what, replay(t, s, what, calm.seen))
					})
				}
			})
		}
	})
	seen.print()
	if complete && seen.whole() {
		seen.wantWritten(t)
	}
}

// troubles are all that can come to a story. What comes before and after its own
// part is the same as in the stories that have none; those are also deleted at
// every moment.
func (s story) troubles(calm *world) []trouble {
	from, to := calm.from, calm.to
	kinds := []what{refused, cut, killed}
	if s.play == nil {
		from, to = map[side]int{}, calm.count()
		kinds = append(kinds, deleted)
	}
	var all []trouble
	for _, where := range slices.Sorted(maps.Keys(to)) {
		for n := from[where] + 1; n <= to[where]; n++ {
			for _, what := range kinds {
				if what != deleted || n <= calm.to[where] {
					all = append(all, trouble{where, n, what})
				}
			}
		}
	}
	return all
}

// replay tells a story with trouble. One that deletes the cluster has another
// way, but the same end.
func replay(t *testing.T, s story, what trouble, want []string) *world {
	w := tell(t, inMemory(scheme), s, what)
	w.wantTrouble(what)
	got := w.seen
	if what.what == deleted {
		want, got = want[len(want)-1:], got[len(got)-1:]
	}
	if !slices.Equal(got, want) {
		t.Errorf("at rest (-calm +disturbed):\n%s", difference(want, got))
	}
	return w
}

// difference names the lines that only one of two lives has, rest by rest.
func difference(calm, disturbed []string) string {
	var b strings.Builder
	for i := range max(len(calm), len(disturbed)) {
		var before, after []string
		if i < len(calm) {
			before = strings.Split(calm[i], "\n")
		}
		if i < len(disturbed) {
			after = strings.Split(disturbed[i], "\n")
		}
		for _, line := range before {
			if !slices.Contains(after, line) {
				fmt.Fprintf(&b, "rest %d, calm:      %s\n", i, line)
			}
		}
		for _, line := range after {
			if !slices.Contains(before, line) {
				fmt.Fprintf(&b, "rest %d, disturbed: %s\n", i, line)
			}
		}
	}
	return b.String()
}

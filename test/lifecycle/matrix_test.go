package lifecycle

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/capok/capok/test/lab/place"
)

// matrix is what users see of each trouble in each story: the reasons of
// conditions that are not True, beyond those of a calm cluster that comes up.
type matrix struct {
	mu      sync.Mutex
	stories map[string]map[what]map[string]bool // "": without trouble
	points  map[string]map[what]int
}

// heals is how each trouble ends, for the reader.
var heals = map[what]string{
	refused: "the write is answered with 500 or 409 and has no effect; the next pass sees that it is missing and sends it again",
	cut:     "the write takes effect and the answer is lost; the next pass finds by the mark what it made",
	killed:  "the write takes effect and the manager ends; a new one, which knows nothing, finds by the mark what was made",
	deleted: "the user deletes the cluster right then; what is half made is found by the mark and goes",
}

func newMatrix() *matrix {
	return &matrix{stories: map[string]map[what]map[string]bool{}, points: map[string]map[what]int{}}
}

func (m *matrix) calm(s story, w *world) { m.add(s, "", w) }

func (m *matrix) disturbed(s story, t trouble, w *world) { m.add(s, t.what, w) }

func (m *matrix) add(s story, fault what, w *world) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stories[s.name] == nil {
		m.stories[s.name], m.points[s.name] = map[what]map[string]bool{}, map[what]int{}
	}
	if m.stories[s.name][fault] == nil {
		m.stories[s.name][fault] = map[string]bool{}
	}
	maps.Copy(m.stories[s.name][fault], w.reasons)
	if fault != "" {
		m.points[s.name][fault]++
	}
}

// whole tells whether all stories were told, not only those that -run names.
func (m *matrix) whole() bool { return len(m.points) == len(stories) }

func (m *matrix) count(s story) int {
	n := 0
	for _, points := range m.points[s.name] {
		n += points
	}
	return n
}

func (m *matrix) total() int {
	n := 0
	for _, s := range stories {
		n += m.count(s)
	}
	return n
}

func (m *matrix) print() {
	for _, s := range stories {
		fmt.Printf("%5d crash points in %q\n", m.count(s), s.name)
	}
	fmt.Printf("%5d crash points in all\n", m.total())
}

// told are reasons, without those of another set.
func told(reasons, without map[string]bool) string {
	var names []string
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		if !without[reason] {
			names = append(names, "`"+reason+"`")
		}
	}
	if len(names) == 0 {
		return "nothing more"
	}
	return strings.Join(names, ", ")
}

// text is docs/reliability.md.
func (m *matrix) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What happens when something goes wrong\n\n%s\n", about)
	fmt.Fprintf(&b, "## Stories\n\n%s\n| story | why | reasons on the way | crash points |\n| --- | --- | --- | --- |\n", aboutStories)
	for _, s := range stories {
		without := m.stories[stories[0].name][""]
		if s.name == stories[0].name {
			without = nil
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d |\n", s.name, s.why, told(m.stories[s.name][""], without), m.count(s))
	}
	fmt.Fprintf(&b, "\nIn all: %d crash points.\n\n## Faults\n", m.total())
	for _, fault := range []what{refused, cut, killed, deleted} {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n| story | crash points | reasons that come with it |\n| --- | --- | --- |\n", fault, heals[fault])
		for _, s := range stories {
			if n := m.points[s.name][fault]; n > 0 {
				fmt.Fprintf(&b, "| %s | %d | %s |\n", s.name, n, told(m.stories[s.name][fault], m.stories[s.name][""]))
			}
		}
	}
	return b.String()
}

const about = `<!-- Written by TestTroubles in test/lifecycle: CAPOK_UPDATE=1 go test ./test/lifecycle -->

Each story below is the life of a cluster, from its creation to "nothing is left
in the cloud". Each is told again for every write of the manager to OpenStack or
Kubernetes in the story's own part, with each fault at that write; two stories
are swept whole. The moments of rest, in the cloud and in the status, must then
be the same as without the fault.

What a user sees on the way is the reason of a condition that is not True; what
each means stands in [conditions.go](../api/infrastructure/v1beta2/conditions.go).
`

const aboutStories = `The reasons are those beyond the ones of "create", which are the normal course.
`

// wantWritten fails when docs/reliability.md says something else.
func (m *matrix) wantWritten(t *testing.T) {
	t.Helper()
	path, want := place.Repo("docs", "reliability.md"), m.text()
	if os.Getenv("CAPOK_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("docs/reliability.md is out of date (%v); CAPOK_UPDATE=1 writes it anew:\n%s", err, want)
	}
}

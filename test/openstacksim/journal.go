package openstacksim

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// Call is one request that came in.
type Call struct {
	// Service is the project's name: keystone, nova, neutron, octavia, barbican,
	// glance, cinder, heat.
	Service string
	Method  string
	// Path is the path after the version with {id} for IDs: "/servers/{id}".
	Path string
	// URL is the path and the query as they came.
	URL string
	// Status is the HTTP status of the answer, 0 if the connection was cut.
	Status int
}

// String is short enough to group by: "nova GET /servers/{id}".
func (c Call) String() string { return c.Service + " " + c.Method + " " + c.Path }

// write says whether the call changes something other than tokens.
func (c Call) write() bool {
	return c.Method != http.MethodGet && c.Method != http.MethodHead && c.Service != "keystone"
}

type journal struct {
	calls   []*Call
	writes  int
	unknown []string
}

// Calls are the requests since New or the last ResetCalls, in order of arrival.
func (c *Cloud) Calls() []Call {
	return ask(c, func() []Call {
		calls := make([]Call, len(c.journal.calls))
		for i, call := range c.journal.calls {
			calls[i] = *call
		}
		return calls
	})
}

// ResetCalls forgets the calls and starts counting writes at zero.
func (c *Cloud) ResetCalls() {
	c.locked(func() { c.journal = journal{unknown: c.journal.unknown} })
}

// Writes counts the requests that wanted to change something (all but GET, HEAD
// and Keystone's), refused ones included.
func (c *Cloud) Writes() int { return ask(c, func() int { return c.journal.writes }) }

// Unknown are the requests that this simulator cannot answer.
func (c *Cloud) Unknown() []string {
	return ask(c, func() []string { return slices.Clone(c.journal.unknown) })
}

// Leftovers names everything that is not part of the seed, such as
// "server/m0 (8c1f...)", whatever its project. What is being deleted counts.
func (c *Cloud) Leftovers() []string {
	return ask(c, func() []string {
		var left []string
		for _, t := range c.tables {
			t.each(func(r row) {
				if !c.seeded[r.ident()] {
					left = append(left, fmt.Sprintf("%s/%s (%s)", t.name(), r.label(), r.ident()))
				}
			})
		}
		return left
	})
}

// WantNothingLeft fails the test if anything but the seed is in the cloud, or if
// the code under test made a request that is not simulated.
func (c *Cloud) WantNothingLeft(t testing.TB) {
	t.Helper()
	for _, what := range c.Leftovers() {
		t.Errorf("left in the cloud: %s", what)
	}
	for _, what := range c.Unknown() {
		t.Errorf("request that is not simulated: %s", what)
	}
}

package openstacksim

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Match chooses calls; an empty field fits all.
type Match struct {
	Service string // "nova"
	Method  string // "POST"
	// Path is a regular expression that is searched in Call.Path, which has names
	// in braces for IDs ("^/servers$"), and in Call.URL, which has the real ones.
	Path string
	// Writes leaves out the calls that change nothing, as Cloud.Writes counts.
	Writes bool
}

// Fault is something that happens to calls. Remove ends it.
type Fault struct {
	match Match
	path  *regexp.Regexp
	skip  int // calls that fit and are let through first
	times int // calls that it happens to after that; negative: all
	fate  fate
	cloud *Cloud
}

func (f *Fault) fits(call *Call) bool {
	m := f.match
	if (m.Writes || f.fate.cut != noCut) && !call.write() || m.Service != "" && m.Service != call.Service || m.Method != "" && m.Method != call.Method {
		return false
	}
	return f.path.MatchString(call.Path) || f.path.MatchString(call.URL)
}

type cut int

const (
	noCut cut = iota
	cutBefore
	cutAfter
)

// fate is what happens to one call.
type fate struct {
	answer *reply // instead of carrying it out
	delay  time.Duration
	cut    cut
	hooks  []func(Call)
	after  []func() // once it was carried out
}

type faults struct{ list []*Fault }

// admit writes a call into the journal and finds its fate.
func (c *Cloud) admit(call *Call) fate {
	c.journal.calls = append(c.journal.calls, call)
	if call.write() {
		c.journal.writes++
	}
	var sum fate
	for _, f := range c.faults.list {
		switch {
		case f.times == 0 || !f.fits(call):
		case f.skip > 0:
			f.skip--
		default:
			f.times--
			sum = sum.and(f.fate)
		}
	}
	return sum
}

func (f fate) and(other fate) fate {
	f.delay += other.delay
	f.hooks = append(f.hooks, other.hooks...)
	f.after = append(f.after, other.after...)
	if f.answer == nil {
		f.answer = other.answer
	}
	if f.cut == noCut {
		f.cut = other.cut
	}
	return f
}

// FailNext answers the next call that fits with a status and a body (JSON, or
// plain text), without carrying it out.
func (c *Cloud) FailNext(m Match, status int, body string) *Fault {
	return c.FailNth(m, 1, status, body)
}

// FailNth lets n-1 calls that fit through and fails the one after them.
func (c *Cloud) FailNth(m Match, n, status int, body string) *Fault {
	return c.inject(&Fault{match: m, skip: n - 1, times: 1, fate: fate{answer: answer(status, body)}})
}

// FailAll fails every call that fits until the fault is removed.
func (c *Cloud) FailAll(m Match, status int, body string) *Fault {
	return c.inject(&Fault{match: m, times: -1, fate: fate{answer: answer(status, body)}})
}

// Throttle answers the next n calls that fit with 429 and Retry-After in whole
// seconds, as a rate limit in front of an API does (RFC 6585, section 4).
func (c *Cloud) Throttle(m Match, n int, retryAfter time.Duration) *Fault {
	a := answer(http.StatusTooManyRequests, "Too Many Requests")
	a.header = http.Header{"Retry-After": {strconv.Itoa(int(retryAfter.Seconds()))}}
	return c.inject(&Fault{match: m, times: n, fate: fate{answer: a}})
}

// Delay holds every call that fits for d on the cloud's clock before it is
// carried out, until the fault is removed.
func (c *Cloud) Delay(m Match, d time.Duration) *Fault {
	return c.inject(&Fault{match: m, times: -1, fate: fate{delay: d}})
}

// DelayNth is Delay for the n-th call that fits.
func (c *Cloud) DelayNth(m Match, n int, d time.Duration) *Fault {
	return c.inject(&Fault{match: m, skip: n - 1, times: 1, fate: fate{delay: d}})
}

// CutBefore closes the connection of the n-th write from now (1 is the next)
// before it is carried out.
func (c *Cloud) CutBefore(n int) *Fault {
	return c.inject(&Fault{skip: n - 1, times: 1, fate: fate{cut: cutBefore}})
}

// CutAfter carries the n-th write from now out and closes the connection
// instead of answering.
func (c *Cloud) CutAfter(n int) *Fault {
	return c.inject(&Fault{skip: n - 1, times: 1, fate: fate{cut: cutAfter}})
}

// Hook runs do for every call that fits, before it is carried out: to change
// the cloud at that very moment, to signal, to end the code under test.
func (c *Cloud) Hook(m Match, do func(Call)) *Fault {
	return c.inject(&Fault{match: m, times: -1, fate: fate{hooks: []func(Call){do}}})
}

// AfterWrite runs do when the n-th write from now was carried out, before it is
// answered: to change the cloud or to end the code under test right then.
func (c *Cloud) AfterWrite(n int, do func()) *Fault {
	return c.inject(&Fault{match: Match{Writes: true}, skip: n - 1, times: 1, fate: fate{after: []func(){do}}})
}

// Remove ends the fault.
func (f *Fault) Remove() {
	f.cloud.locked(func() { f.times = 0 })
}

// ClearFaults ends all faults, frozen and late lists and hidden resources.
func (c *Cloud) ClearFaults() {
	c.locked(func() {
		c.faults.list = nil
		clear(c.hidden)
	})
	c.ThawLists()
}

// FreezeLists makes the lists of the kinds ("server", "port", ...; none means
// all) show the cloud as it is now, until ThawLists: stale lists as a lagging
// database replica gives them. GET by ID shows the truth.
func (c *Cloud) FreezeLists(kinds ...string) { c.locked(func() { c.freeze(true, kinds) }) }

// LagLists makes the lists of the kinds (none means all) late by d on the cloud's
// clock: for so long they do not show what is new and still show what is gone,
// until ThawLists. GET by ID shows the truth.
func (c *Cloud) LagLists(d time.Duration, kinds ...string) {
	c.locked(func() { c.lag(d, kinds) })
}

func (c *Cloud) lag(d time.Duration, kinds []string) {
	for _, t := range c.tables {
		if len(kinds) == 0 || slices.Contains(kinds, t.name()) {
			t.lag(d)
		}
	}
}

// ThawLists ends FreezeLists and LagLists.
func (c *Cloud) ThawLists() {
	c.locked(func() {
		c.freeze(false, nil)
		c.lag(0, nil)
	})
}

func (c *Cloud) freeze(on bool, kinds []string) {
	for _, t := range c.tables {
		if len(kinds) == 0 || slices.Contains(kinds, t.name()) {
			t.freeze(on)
		}
	}
}

// Hide leaves the resources with these IDs out of all lists, as Nova does with
// the servers of a cell that is down (nova/api-guide/source/down_cells.rst).
// GET by ID still finds them.
func (c *Cloud) Hide(ids ...string) { c.locked(func() { c.hide(true, ids) }) }

// Show ends Hide.
func (c *Cloud) Show(ids ...string) { c.locked(func() { c.hide(false, ids) }) }

func (c *Cloud) hide(on bool, ids []string) {
	for _, id := range ids {
		c.hidden[id] = on
	}
}

// inject panics if the path of the match is not a regular expression.
func (c *Cloud) inject(f *Fault) *Fault {
	f.cloud, f.path = c, regexp.MustCompile(f.match.Path)
	c.locked(func() { c.faults.list = append(c.faults.list, f) })
	return f
}

func answer(status int, body string) *reply {
	if json.Valid([]byte(body)) {
		return &reply{status: status, body: json.RawMessage(body)}
	}
	return &reply{status: status, body: body}
}

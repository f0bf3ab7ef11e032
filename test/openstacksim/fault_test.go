package openstacksim

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestAnswersThatAreLost(t *testing.T) {
	for _, tc := range []struct {
		why  string
		cut  func(*Cloud, int) *Fault
		made int
	}{
		{"before it is carried out", (*Cloud).CutBefore, 1},
		{"after it is carried out", (*Cloud).CutAfter, 2},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c := start(t)
			c.sim.Seed()
			tc.cut(c.sim, 2)
			send := func() int {
				c.send("GET", neutronURL+"/networks", nil) // reads are never cut
				return c.send("POST", neutronURL+"/networks", body{"network": body{"name": "n"}}).status
			}
			if first, second, made := send(), send(), len(c.sim.Networks("n")); first != 201 || second != 0 || made != tc.made {
				t.Errorf("status %d and %d, %d networks; want 201, 0 and %d", first, second, made, tc.made)
			}
			if third := send(); third != 201 || c.sim.Writes() != 3 {
				t.Errorf("third write: %d after %d writes", third, c.sim.Writes())
			}
			if got := c.sim.Calls(); got[len(got)-3].Status != 0 {
				t.Errorf("a call that was cut has no status: %+v", got[len(got)-3])
			}
		})
	}
}

func TestRequestsThatFail(t *testing.T) {
	c := start(t)
	path := neutronURL + "/networks"
	c.sim.FailNth(Match{Service: "neutron", Method: "GET", Path: "^/networks$"}, 2, 503, "Service Unavailable")
	for i, want := range []int{200, 503, 200} {
		if got := c.send("GET", path, nil).status; got != want {
			t.Errorf("call %d: %d, want %d", i+1, got, want)
		}
	}
	all := c.sim.FailAll(Match{Service: "neutron"}, 500, `{"NeutronError":{}}`)
	if got := c.send("GET", path, nil); got.status != 500 || got.body["NeutronError"] == nil {
		t.Errorf("%d %s, want 500 with the body given", got.status, got.text)
	}
	all.Remove()
	c.sim.Throttle(Match{Method: "GET"}, 1, 7*time.Second)
	if got := c.send("GET", path, nil); got.status != 429 || got.header.Get("Retry-After") != "7" {
		t.Errorf("%d %v, want 429 with Retry-After 7", got.status, got.header)
	}
	c.want(http.StatusOK, "GET", path, nil, "")
}

func TestSlowRequestsWaitForTheClock(t *testing.T) {
	c := start(t)
	c.sim.DelayNth(Match{Path: "/networks"}, 2, time.Minute)
	c.want(http.StatusOK, "GET", neutronURL+"/networks", nil, "")
	done := make(chan int, 1)
	go func() { done <- c.send("GET", neutronURL+"/networks", nil).status }()
	for !c.sim.Clock.HasWaiters() {
		runtime.Gosched()
	}
	select {
	case got := <-done:
		t.Fatalf("answered %d although the clock stands", got)
	default:
	}
	c.advance(time.Minute)
	if got := <-done; got != http.StatusOK {
		t.Errorf("status: %d", got)
	}
}

func TestStaleLists(t *testing.T) {
	c := start(t)
	id := c.create("network", body{"name": "old"})
	c.sim.FreezeLists("network")
	c.create("network", body{"name": "new"})
	c.want(http.StatusNoContent, "DELETE", neutronURL+"/networks/"+id, nil, "")
	path := neutronURL + "/networks?router:external=False"
	if got := c.list(path, "networks"); len(got) != 1 || got[0]["name"] != "old" {
		t.Errorf("a frozen list shows the past: %v", got)
	}
	c.refused(http.StatusNotFound, "NetworkNotFound", "GET", neutronURL+"/networks/"+id, nil)
	c.sim.ThawLists()
	if got := c.list(path, "networks"); len(got) != 1 || got[0]["name"] != "new" {
		t.Errorf("a thawed list shows the present: %v", got)
	}
}

func TestLateLists(t *testing.T) {
	c := start(t)
	names := func() string {
		var names []string
		for _, n := range c.list(neutronURL+"/networks?router:external=False&sort_key=name", "networks") {
			names = append(names, n["name"].(string))
		}
		return strings.Join(names, " ")
	}
	old := c.create("network", body{"name": "old"})
	c.sim.LagLists(10*time.Second, "network")
	c.same("what was there", names(), "old")
	made := c.create("network", body{"name": "new"})
	c.want(http.StatusNoContent, "DELETE", neutronURL+"/networks/"+old, nil, "")
	c.advance(9 * time.Second)
	c.same("nine seconds later", names(), "old")
	c.refused(http.StatusNotFound, "", "GET", neutronURL+"/networks/"+old, nil)
	c.want(http.StatusOK, "GET", neutronURL+"/networks/"+made, nil, "")
	c.advance(time.Second)
	c.same("ten seconds later", names(), "new")
	c.create("network", body{"name": "newer"})
	c.sim.ThawLists()
	c.same("no longer late", names(), "new newer")
}

func TestHookMayChangeTheCloud(t *testing.T) {
	c := start(t)
	network := c.create("network", body{"name": "n"})
	port := c.create("port", body{"network_id": network})
	c.sim.Hook(Match{Method: "PUT", Path: "^/ports/{id}$"}, func(Call) { c.sim.DeletePort(port) })
	c.refused(http.StatusNotFound, "PortNotFound", "PUT", neutronURL+"/ports/"+port, body{"port": body{"name": "x"}})
}

func TestUnknownRequestsAreKept(t *testing.T) {
	c := start(t)
	if got := c.send("GET", "/compute/v2.1/os-hypervisors", nil).status; got != http.StatusNotImplemented || len(c.sim.Unknown()) != 1 {
		t.Errorf("%d, %v; want 501 and the request kept", got, c.sim.Unknown())
	}
}

func TestAfterWrite(t *testing.T) {
	c := start(t)
	made := -1
	c.sim.AfterWrite(2, func() { made = len(c.sim.Networks("n")) })
	for _, want := range []int{-1, 2} {
		c.send("GET", neutronURL+"/networks", nil) // counts for nothing
		c.send("POST", neutronURL+"/networks", body{"network": body{"name": "n"}})
		if made != want {
			t.Errorf("it saw %d networks, want %d", made, want)
		}
	}
}

package openstacksim

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestServerIsBuiltAndDeletedOverTime(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	c.sim.Seed()
	port := c.create("port", body{"network_id": network, "name": "m0-0"})
	id := c.server("m0", port)
	if got := c.status(id); got != "BUILD" {
		t.Errorf("status at first: %s, want BUILD", got)
	}
	c.advance(10 * time.Second)
	if got := c.status(id); got != "ACTIVE" {
		t.Errorf("status after the build: %s, want ACTIVE", got)
	}
	if p := c.sim.Ports("m0-0")[0]; p.DeviceID != id || p.DeviceOwner != "compute:nova" || p.Status != "ACTIVE" {
		t.Errorf("port of the server: %+v", p)
	}
	c.want(http.StatusNoContent, "DELETE", novaURL+"/servers/"+id, nil, "")
	c.want(http.StatusNoContent, "DELETE", novaURL+"/servers/"+id, nil, "")
	if got := c.status(id); got != "ACTIVE" {
		t.Errorf("status while it is deleted: %s, want ACTIVE", got)
	}
	c.advance(5 * time.Second)
	c.refused(http.StatusNotFound, "itemNotFound", "GET", novaURL+"/servers/"+id, nil)
	if p := c.sim.Ports("m0-0")[0]; p.DeviceID != "" {
		t.Errorf("the port given by ID must stay and be free: %+v", p)
	}
	c.want(http.StatusNoContent, "DELETE", neutronURL+"/ports/"+port, nil, "")
	c.sim.WantNothingLeft(t)
}

func TestServersThatDoNotCome(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	port := func() string { return c.create("port", body{"network_id": network}) }

	c.sim.NoValidHost(true)
	lost := c.server("m0", port())
	c.advance(10 * time.Second)
	c.sim.NoValidHost(false)
	c.sim.SetServerFault("m1", "image is corrupt")
	broken := c.server("m1", port())
	c.advance(10 * time.Second)

	for id, text := range map[string]string{lost: "No valid host was found", broken: "image is corrupt"} {
		s := c.want(http.StatusOK, "GET", novaURL+"/servers/"+id, nil, "server")
		fault, _ := s["fault"].(map[string]any)
		if s["status"] != "ERROR" || fault == nil || !strings.Contains(fault["message"].(string), text) {
			t.Errorf("server %s: %v %v, want ERROR with %q", id, s["status"], fault, text)
		}
	}
}

func TestTwoServersCannotShareAPort(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	port := c.create("port", body{"network_id": network})
	first, second := c.server("m0", port), c.server("m0", port) // both pass the API before the port is bound
	c.advance(10 * time.Second)
	if a, b := c.status(first), c.status(second); a != "ACTIVE" || b != "ERROR" {
		t.Errorf("status: %s and %s, want ACTIVE and ERROR", a, b)
	}
	c.refused(http.StatusConflict, "still in use", "POST", novaURL+"/servers", body{"server": body{
		"name": "m1", "flavorRef": "1", "imageRef": c.sim.Images("node")[0].ID, "networks": []body{{"port": port}}}})
}

func TestServerRequestsThatAreRefused(t *testing.T) {
	c := start(t)
	image := c.sim.Images("node")[0].ID
	good := func(change func(body)) body {
		s := body{"name": "m0", "flavorRef": "1", "imageRef": image, "networks": "none"}
		change(s)
		return body{"server": s}
	}
	big := base64.StdEncoding.EncodeToString(make([]byte, 65536*3/4))
	for _, tc := range []struct {
		why, contains string
		status, minor int
		change        func(body)
	}{
		{"unknown flavor", "could not be found", 400, 79, func(s body) { s["flavorRef"] = "x" }},
		{"unknown image", "Can not find requested image", 400, 79, func(s body) { s["imageRef"] = hexOf("x") }},
		{"unknown zone", "availability zone is not available", 400, 79, func(s body) { s["availability_zone"] = "x" }},
		{"unknown key", "Invalid key_name", 400, 79, func(s body) { s["key_name"] = "x" }},
		{"user data too long", "user_data", 400, 79, func(s body) { s["user_data"] = big }},
		{"tags before 2.52", "tags", 400, 51, func(s body) { s["tags"] = []string{"a"} }},
		{"slash in a tag", "tags", 400, 79, func(s body) { s["tags"] = []string{"a/b"} }},
		{"long metadata", "is too long", 400, 79, func(s body) { s["metadata"] = body{"k": strings.Repeat("x", 256)} }},
		{"no networks since 2.37", "networks", 400, 79, func(s body) { delete(s, "networks") }},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c.minor = tc.minor
			c.refused(tc.status, tc.contains, "POST", novaURL+"/servers", good(tc.change))
		})
	}
	c.minor = 94
	c.refused(http.StatusNotAcceptable, "not supported by the API", "GET", novaURL+"/servers", nil)
	c.minor = 79
	c.sim.SetQuota("instances", 0)
	c.refused(http.StatusForbidden, "Quota exceeded for instances: Requested 1, but already used 0 of 0 instances",
		"POST", novaURL+"/servers", good(func(body) {}))
}

func TestServerListsInPagesAndByTag(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	for _, name := range []string{"m0", "m1", "m2", "m3", "m4", "m5", "m6"} {
		c.server(name, c.create("port", body{"network_id": network}))
		c.advance(time.Second)
	}
	all := c.list(novaURL+"/servers/detail?tags=cx", "servers")
	if len(all) != 7 || all[0]["name"] != "m6" {
		t.Errorf("%d servers, first %v; want 7, the newest first", len(all), all[0]["name"])
	}
	if one := c.list(novaURL+"/servers/detail?tags=cx,m3", "servers"); len(one) != 1 || one[0]["name"] != "m3" {
		t.Errorf("servers with both tags: %v", one)
	}
	c.minor = 25
	if ignored := c.list(novaURL+"/servers/detail?tags=nothing", "servers"); len(ignored) != 7 {
		t.Errorf("before 2.26 the filter by tag is ignored, got %d servers", len(ignored))
	}
}

func TestServerInACellThatIsDown(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	id := c.server("m0", c.create("port", body{"network_id": network}))
	c.advance(10 * time.Second)
	c.sim.CellDown(id)
	if list := c.list(novaURL+"/servers/detail?tags=cx", "servers"); len(list) != 0 {
		t.Errorf("a filtered list must leave it out: %v", list)
	}
	if got := c.status(id); got != "UNKNOWN" {
		t.Errorf("status by ID: %s, want UNKNOWN", got)
	}
	c.sim.CellUp()
	c.sim.Hide(id)
	if got := c.status(id); got != "ACTIVE" || len(c.list(novaURL+"/servers/detail", "servers")) != 0 {
		t.Errorf("a hidden server is %s by ID and must not be in lists", got)
	}
}

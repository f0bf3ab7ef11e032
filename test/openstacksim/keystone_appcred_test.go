package openstacksim

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestApplicationCredentials(t *testing.T) {
	c := start(t)
	me := c.want(http.StatusOK, "GET", "/identity/v3/auth/projects", nil, "")["projects"].([]any)
	if len(me) != 1 || me[0].(body)["name"] != Project {
		t.Errorf("projects: %v", me)
	}
	own := "/identity/v3/users/" + c.userID() + "/application_credentials"
	create := func(in body) body {
		return c.want(http.StatusCreated, "POST", own, body{"application_credential": in}, "application_credential")
	}
	limited := create(body{"name": "ac", "roles": []body{{"name": "member"}}, "expires_at": c.sim.Clock.Now().Add(10 * time.Minute).UTC().Format(time.RFC3339)})
	free := create(body{"name": "free", "unrestricted": true, "secret": "mine"})
	if free["secret"] != "mine" || limited["secret"] == "" || limited["unrestricted"] != false {
		t.Errorf("application credentials: %v %v", limited, free)
	}
	c.refused(http.StatusConflict, "Duplicate entry", "POST", own, body{"application_credential": body{"name": "ac"}})
	c.refused(http.StatusBadRequest, "unassigned role", "POST", own, body{"application_credential": body{"name": "x", "roles": []body{{"name": "admin"}}}})
	c.refused(http.StatusForbidden, "not authorized", "GET", "/identity/v3/users/x/application_credentials", nil)
	if got := c.want(http.StatusOK, "GET", own+"?name=ac", nil, "")["application_credentials"].([]any); len(got) != 1 || got[0].(body)["secret"] != nil {
		t.Errorf("list: %v, want one without its secret", got)
	}
	with := func(a body) response {
		return c.send("POST", "/identity/v3/auth/tokens", body{"auth": body{"identity": body{"methods": []string{"application_credential"},
			"application_credential": a}}})
	}
	byName := with(body{"name": "ac", "secret": limited["secret"], "user": body{"name": User, "domain": body{"name": Domain}}})
	if byName.status != http.StatusCreated || !strings.Contains(byName.text, `"restricted":true`) {
		t.Fatalf("by name and user: %d %s", byName.status, byName.text)
	}
	if got := with(body{"name": "ac", "secret": limited["secret"], "user": body{"name": "eve", "domain": body{"id": "default"}}}); got.status != http.StatusUnauthorized {
		t.Errorf("of another user: %d, want 401", got.status)
	}
	password := c.token
	c.token = byName.header.Get("X-Subject-Token")
	c.refused(http.StatusForbidden, "not allowed for managing additional application credentials", "POST", own, body{"application_credential": body{"name": "y"}})
	c.advance(11 * time.Minute)
	c.refused(http.StatusUnauthorized, "", "GET", neutronURL+"/networks", nil) // the token ends with what it was given for
	if got := with(body{"id": limited["id"], "secret": limited["secret"]}); got.status != http.StatusUnauthorized {
		t.Errorf("expired: %d, want 401", got.status)
	}
	c.token = with(body{"id": free["id"], "secret": "mine"}).header.Get("X-Subject-Token")
	c.want(http.StatusNoContent, "DELETE", own+"/"+limited["id"].(string), nil, "") // it is unrestricted
	c.want(http.StatusNoContent, "DELETE", own+"/"+free["id"].(string), nil, "")
	c.refused(http.StatusUnauthorized, "", "GET", neutronURL+"/networks", nil) // its tokens went with it
	c.token = password
	c.refused(http.StatusNotFound, "Could not find Application Credential", "GET", own+"/"+free["id"].(string), nil)
	c.sim.WantNothingLeft(t)
}

// userID is the ID of User.
func (c *client) userID() string {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), "GET", c.url+"/identity/v3/auth/tokens", http.NoBody)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", c.token)
	req.Header.Set("X-Subject-Token", c.token)
	return c.do(req).body["token"].(body)["user"].(body)["id"].(string)
}

func TestRevokedToken(t *testing.T) {
	c := start(t)
	revoke := func() int {
		req, err := http.NewRequestWithContext(t.Context(), "DELETE", c.url+"/identity/v3/auth/tokens", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Auth-Token", c.token)
		req.Header.Set("X-Subject-Token", c.token)
		return c.do(req).status
	}
	if got := revoke(); got != http.StatusNoContent {
		t.Errorf("revoke: %d, want 204", got)
	}
	if got := revoke(); got != http.StatusUnauthorized {
		t.Errorf("revoke with a revoked token: %d, want 401", got)
	}
}

func TestWhatUsersMayLookUp(t *testing.T) {
	c := start(t)
	for path, want := range map[string]int{"/regions": 200, "/regions/" + Region: 200, "/regions/x": 404, "/projects/" + c.sim.ProjectID(Project): 200,
		"/projects/x": 403, "/projects": 403, "/users": 403, "/users/" + c.userID(): 200, "/users/" + c.userID() + "/projects": 200, "/auth/domains": 200} {
		if got := c.send("GET", "/identity/v3"+path, nil); got.status != want {
			t.Errorf("%s: %d %s, want %d", path, got.status, got.text, want)
		}
	}
}

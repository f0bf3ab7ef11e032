package openstacksim

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestTokens(t *testing.T) {
	c := start(t)
	ok := func() int { return c.send("GET", neutronURL+"/networks", nil).status }
	if got := ok(); got != http.StatusOK {
		t.Fatalf("with a token: %d", got)
	}
	c.advance(61 * time.Minute)
	if got := ok(); got != http.StatusUnauthorized {
		t.Errorf("with an old token: %d, want 401", got)
	}
	c.login(Project, User, Password)
	c.sim.RevokeTokens()
	if got := ok(); got != http.StatusUnauthorized {
		t.Errorf("with a revoked token: %d, want 401", got)
	}
	c.token = ""
	c.refused(http.StatusUnauthorized, "requires authentication", "GET", novaURL+"/servers", nil)
}

func TestCredentials(t *testing.T) {
	c := start(t)
	id, secret := c.sim.NewApplicationCredential("ac")
	login := func(identity, scope body) response {
		return c.send("POST", "/identity/v3/auth/tokens", body{"auth": body{"identity": identity, "scope": scope}})
	}
	app := func(secret string) body {
		return body{"methods": []string{"application_credential"}, "application_credential": body{"id": id, "secret": secret}}
	}
	password := func(p string) body {
		return body{"methods": []string{"password"}, "password": body{"user": body{"name": User, "password": p, "domain": body{"name": Domain}}}}
	}
	project := body{"project": body{"name": Project, "domain": body{"name": Domain}}}
	for _, tc := range []struct {
		why             string
		identity, scope body
		status          int
	}{
		{"password", password(Password), project, 201},
		{"wrong password", password("x"), project, 401},
		{"unknown project", password(Password), body{"project": body{"name": "x", "domain": body{"id": "default"}}}, 401},
		{"unknown domain", password(Password), body{"project": body{"name": Project, "domain": body{"name": "x"}}}, 401},
		{"a name without its domain", password(Password), body{"project": body{"name": Project}}, 400},
		{"an ID needs no domain", password(Password), body{"project": body{"id": c.sim.ProjectID(Project)}}, 201},
		{"application credential", app(secret), nil, 201},
		{"wrong secret", app("x"), nil, 401},
		{"application credential with a scope", app(secret), project, 401},
		{"unscoped", password(Password), nil, 201},
	} {
		if got := login(tc.identity, tc.scope); got.status != tc.status {
			t.Errorf("%s: %d %s, want %d", tc.why, got.status, got.text, tc.status)
		}
	}
	c.token = login(password(Password), nil).header.Get("X-Subject-Token")
	c.refused(http.StatusUnauthorized, "", "GET", neutronURL+"/networks", nil) // a token without a project
	c.sim.RevokeApplicationCredential(id)
	if got := login(app(secret), nil); got.status != http.StatusNotFound {
		t.Errorf("revoked application credential: %d, want 404", got.status)
	}
}

func TestCatalogLeavesOutWhatIsNotThere(t *testing.T) {
	c := start(t, WithoutService("octavia"))
	r := c.send("GET", "/identity/v3/auth/catalog", nil)
	if !strings.Contains(r.text, `"type":"network"`) || strings.Contains(r.text, "load-balancer") {
		t.Errorf("catalog: %s", r.text)
	}
}

func TestProjectsDoNotSeeEachOther(t *testing.T) {
	c := start(t)
	network, _, router := c.network()
	server := c.server("m0", c.create("port", body{"network_id": network}))
	c.sim.AddProject("other", "eve", "pw")
	c.login("other", "eve", "pw")
	for path, many := range map[string]string{neutronURL + "/ports": "ports", neutronURL + "/routers": "routers",
		novaURL + "/servers/detail?all_tenants=1": "servers", neutronURL + "/subnets": "subnets"} {
		if got := c.list(path, many); len(got) != 0 {
			t.Errorf("%s shows another project: %v", path, got)
		}
	}
	for _, path := range []string{novaURL + "/servers/" + server, neutronURL + "/routers/" + router, neutronURL + "/networks/" + network} {
		c.refused(http.StatusNotFound, "", "GET", path, nil)
		c.refused(http.StatusNotFound, "", "DELETE", path, nil)
	}
	public := c.sim.Networks("public")[0].ID
	c.refused(http.StatusForbidden, "PolicyNotAuthorized", "DELETE", neutronURL+"/networks/"+public, nil)
}

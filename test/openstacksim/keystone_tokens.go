package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// createToken is POST /v3/auth/tokens (keystone/api/auth.py, keystone/auth/core.py).
func (c *Cloud) createToken(q *request) (any, error) {
	var body authRequest
	if err := json.Unmarshal(q.raw, &body); err != nil || len(body.Auth.Identity.Methods) == 0 {
		return nil, refuse(http.StatusBadRequest, "ValidationError", "Expecting to find identity in auth.")
	}
	t, err := c.identify(&body)
	if err != nil {
		return nil, err
	}
	t.id = "gAAAAA" + hexID(c.newID("token")) + hexID(c.newID("token"))
	t.methods, t.issued = body.Auth.Identity.Methods, c.at
	if end := c.at.Add(tokenLife); t.expires.IsZero() || end.Before(t.expires) {
		t.expires = end
	}
	c.identity.tokens[t.id] = t
	return reply{http.StatusCreated, c.describe(t), http.Header{"X-Subject-Token": {t.id}}}, nil
}

// identify finds out who asks and for which project.
func (c *Cloud) identify(body *authRequest) (*token, error) {
	id := &body.Auth.Identity
	switch id.Methods[0] {
	case "application_credential":
		return c.identifyAppCred(body)
	case "password":
		u, err := c.findUser(id.Password.User)
		if err != nil {
			return nil, err
		}
		if u.password != id.Password.User.Password {
			return nil, unauthorized()
		}
		return c.scope(&token{user: u}, body.Auth.Scope)
	case "token":
		old, err := c.validToken(id.Token.ID)
		if err != nil {
			return nil, err
		}
		// keystone/token/provider.py: a token of a token lives no longer than it.
		return c.scope(&token{user: old.user, expires: old.expires, appCred: old.appCred}, body.Auth.Scope)
	}
	return nil, unauthorized()
}

// identifyAppCred is keystone/auth/plugins/application_credential.py; the scope
// comes with the credential (keystone/auth/core.py, _validate_and_normalize_scope_data).
func (c *Cloud) identifyAppCred(body *authRequest) (*token, error) {
	want := &body.Auth.Identity.ApplicationCredential
	if len(body.Auth.Scope) > 0 && string(body.Auth.Scope) != "null" {
		return nil, refuse(http.StatusUnauthorized, "Unauthorized",
			"Error authenticating with application credential: Application credentials cannot request a scope.")
	}
	a, err := c.findAppCred(want.ID, want.Name, want.User)
	if err != nil {
		return nil, err
	}
	if a.Secret != want.Secret || a.expired(c) {
		return nil, unauthorized()
	}
	return &token{user: a.user, project: a.ProjectID, appCred: a, expires: a.Expires}, nil
}

// scope gives a token its project. A project that does not exist or that the
// user has no role in is answered with 401, without saying which of the two
// (keystone/auth/core.py, _lookup_project; keystone/api/_shared/authentication.py).
func (c *Cloud) scope(t *token, raw json.RawMessage) (*token, error) {
	var scope struct {
		Project *struct {
			ID     string      `json:"id"`
			Name   string      `json:"name"`
			Domain *authDomain `json:"domain"`
		} `json:"project"`
	}
	_ = json.Unmarshal(raw, &scope)
	if scope.Project == nil {
		return t, nil // unscoped
	}
	t.project = scope.Project.ID
	if t.project == "" {
		if err := checkDomain(scope.Project.Domain, "project"); err != nil {
			return nil, err
		}
		t.project = c.identity.projects[scope.Project.Name]
	}
	if !slices.Contains(t.user.projects, t.project) {
		return nil, unauthorized()
	}
	return t, nil
}

func (c *Cloud) findUser(want authUser) (*user, error) {
	if want.ID == "" {
		if err := checkDomain(want.Domain, "user"); err != nil {
			return nil, err
		}
	}
	for _, u := range c.identity.users {
		if u.id == want.ID || want.ID == "" && u.name == want.Name {
			return u, nil
		}
	}
	return nil, unauthorized()
}

// showToken is GET /v3/auth/tokens: what the token in X-Subject-Token is worth.
func (c *Cloud) showToken(q *request) (any, error) {
	if _, err := c.validToken(q.Header.Get("X-Auth-Token")); err != nil {
		return nil, err
	}
	id := q.Header.Get("X-Subject-Token")
	t, err := c.validToken(id)
	if err != nil {
		return nil, tokenNotFound()
	}
	return reply{http.StatusOK, c.describe(t), http.Header{"X-Subject-Token": {id}}}, nil
}

// revokeToken is DELETE /v3/auth/tokens (keystone/api/auth.py, AuthTokenResource.delete).
func (c *Cloud) revokeToken(q *request) (any, error) {
	if _, err := c.validToken(q.Header.Get("X-Auth-Token")); err != nil {
		return nil, err
	}
	id := q.Header.Get("X-Subject-Token")
	if _, err := c.validToken(id); err != nil {
		return nil, tokenNotFound()
	}
	delete(c.identity.tokens, id)
	return nil, nil
}

func tokenNotFound() error {
	return refuse(http.StatusNotFound, "TokenNotFound", "Could not find token.")
}

func (c *Cloud) showCatalog(q *request) (any, error) {
	t, err := c.validToken(q.Header.Get("X-Auth-Token"))
	if err != nil {
		return nil, err
	}
	return map[string]any{"catalog": c.endpoints(t.project), "links": map[string]any{}}, nil
}

func (c *Cloud) validToken(id string) (*token, error) {
	t, ok := c.identity.tokens[id]
	if !ok || !t.expires.After(c.at) {
		return nil, unauthorized()
	}
	return t, nil
}

// describe is keystone/common/render_token.py.
func (c *Cloud) describe(t *token) any {
	const precise = "2006-01-02T15:04:05.000000Z"
	domain := map[string]any{"id": "default", "name": Domain}
	body := map[string]any{
		"methods": t.methods, "issued_at": t.issued.UTC().Format(precise), "expires_at": t.expires.UTC().Format(precise),
		"user":      map[string]any{"id": t.user.id, "name": t.user.name, "domain": domain, "password_expires_at": nil},
		"audit_ids": []string{t.id[6:28]},
	}
	if t.project != "" {
		body["project"] = map[string]any{"id": t.project, "name": c.projectName(t.project), "domain": domain}
		body["roles"] = []any{memberRole}
		body["catalog"] = c.endpoints(t.project)
		body["is_domain"] = false
	}
	if a := t.appCred; a != nil {
		body["application_credential"] = map[string]any{"id": a.ID, "name": a.Name, "restricted": !a.Unrestricted}
	}
	return wrap("token", body)
}

// memberRole is the one role that users have.
var memberRole = map[string]any{"id": "9fe2ff9ee4384b1894a90878d3e92bab", "name": "member"}

func (c *Cloud) projectName(id string) string {
	for name, known := range c.identity.projects {
		if known == id {
			return name
		}
	}
	return ""
}

// endpoints is the catalog: each service at its public interface. As in
// DevStack, the URLs of Nova, Cinder and Heat have a version, the others none.
func (c *Cloud) endpoints(project string) []any {
	var catalog []any
	for _, s := range c.identity.catalog {
		if c.without[s.name] {
			continue
		}
		url := c.url + s.root
		if slices.Contains([]string{"nova", "cinder", "heat"}, s.name) {
			url = c.url + strings.ReplaceAll(s.base, "{project}", project)
		}
		catalog = append(catalog, map[string]any{
			"id": hexOf(s.kind), "type": s.kind, "name": s.name,
			"endpoints": []any{map[string]any{
				"id": hexOf(s.kind + "/public"), "interface": "public", "region": Region, "region_id": Region, "url": url,
			}},
		})
	}
	return catalog
}

package openstacksim

import (
	"net/http"
	"slices"
	"time"
)

// ApplicationCredential is a Keystone application credential.
type ApplicationCredential struct {
	ID, Name, Description string
	Secret                string // Keystone keeps a hash and shows it once
	ProjectID             string
	Unrestricted          bool      // may manage application credentials itself
	Expires               time.Time // zero: never

	user *user
}

func (a *ApplicationCredential) ident() string { return a.ID }
func (a *ApplicationCredential) owner() string { return a.ProjectID }
func (a *ApplicationCredential) label() string { return a.Name }

func (a *ApplicationCredential) expired(c *Cloud) bool {
	return !a.Expires.IsZero() && !a.Expires.After(c.at)
}

// NewApplicationCredential makes an application credential of User for Project.
// It is part of the seed.
func (c *Cloud) NewApplicationCredential(name string) (id, secret string) {
	c.locked(func() {
		a := c.identity.appCreds.add(&ApplicationCredential{ID: hexID(c.newID("appcred")), Name: name, Secret: hexID(c.newID("secret")),
			ProjectID: c.identity.projects[Project], user: c.identity.users[User]})
		c.seeded[a.ID] = true
		id, secret = a.ID, a.Secret
	})
	return id, secret
}

// RevokeApplicationCredential deletes an application credential; its tokens go with it.
func (c *Cloud) RevokeApplicationCredential(id string) {
	c.locked(func() { c.dropAppCred(id) })
}

// dropAppCred is keystone/application_credential/core.py,
// delete_application_credential: its tokens are worth nothing any more.
func (c *Cloud) dropAppCred(id string) {
	c.identity.appCreds.drop(id)
	for key, t := range c.identity.tokens {
		if t.appCred != nil && t.appCred.ID == id {
			delete(c.identity.tokens, key)
		}
	}
}

// findAppCred finds by ID, or by the name that is unique for a user
// (keystone/auth/core.py, _lookup_app_cred).
func (c *Cloud) findAppCred(id, name string, who authUser) (*ApplicationCredential, error) {
	if a, ok := c.identity.appCreds.get(id); ok {
		return a, nil
	}
	if id != "" { // keystone/auth/plugins/core.py, AppCredInfo: the look-up's own error
		return nil, refuse(http.StatusNotFound, "Not Found", "Could not find Application Credential: %s.", id)
	}
	u, err := c.findUser(who)
	if err != nil {
		return nil, err
	}
	for _, a := range c.identity.appCreds.rows {
		if a.Name == name && a.user == u {
			return a, nil
		}
	}
	return nil, unauthorized()
}

func (c *Cloud) appCredRoutes() {
	s := c.identity.service
	c.on(s, "GET", "/users/{user}/application_credentials", c.listAppCreds)
	c.on(s, "POST", "/users/{user}/application_credentials", c.createAppCred)
	c.on(s, "GET", "/users/{user}/application_credentials/{id}", c.showAppCred)
	c.on(s, "DELETE", "/users/{user}/application_credentials/{id}", c.deleteAppCred)
}

// appCredUser is the token of a request about application credentials: everybody
// manages their own, and with a restricted application credential nobody changes
// any (keystone/api/users.py, _check_unrestricted_application_credential).
func (c *Cloud) appCredUser(q *request) (*token, error) {
	t, err := c.validToken(q.Header.Get("X-Auth-Token"))
	switch {
	case err != nil:
		return nil, err
	case t.user.id != q.id("user"):
		return nil, forbiddenAction("identity:" + map[string]string{"GET": "get", "POST": "create", "DELETE": "delete"}[q.Method] + "_application_credential")
	case q.Method != http.MethodGet && t.appCred != nil && !t.appCred.Unrestricted:
		return nil, forbiddenAction("Using method 'application_credential' is not allowed for managing additional application credentials.")
	}
	return t, nil
}

func forbiddenAction(action string) error {
	return refuse(http.StatusForbidden, "Forbidden", "You are not authorized to perform the requested action: %s.", action)
}

func (a *ApplicationCredential) shown(c *Cloud) map[string]any {
	shown := map[string]any{"id": a.ID, "name": a.Name, "description": orNil(a.Description), "project_id": a.ProjectID, "user_id": a.user.id,
		"roles": []any{memberRole}, "unrestricted": a.Unrestricted, "expires_at": nil, "system": nil,
		"links": map[string]string{"self": c.url + "/identity/v3/users/" + a.user.id + "/application_credentials/" + a.ID}}
	if !a.Expires.IsZero() {
		shown["expires_at"] = a.Expires.UTC().Format("2006-01-02T15:04:05.000000")
	}
	return shown
}

func (c *Cloud) listAppCreds(q *request) (any, error) {
	t, err := c.appCredUser(q)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, a := range c.identity.appCreds.listed() {
		if a.user == t.user && (q.query.Get("name") == "" || q.query.Get("name") == a.Name) {
			list = append(list, a.shown(c))
		}
	}
	return map[string]any{"application_credentials": list, "links": c.selfLinks(q)}, nil
}

// selfLinks is keystone/server/flask/common.py, wrap_collection: never more than a page.
func (c *Cloud) selfLinks(q *request) any {
	return map[string]any{"self": c.url + q.URL.Path, "next": nil, "previous": nil}
}

// createAppCred is keystone/api/users.py, UserAppCredListCreateResource.post.
func (c *Cloud) createAppCred(q *request) (any, error) {
	t, err := c.appCredUser(q)
	if err != nil {
		return nil, err
	}
	var want struct {
		Name         string              `json:"name"`
		Description  string              `json:"description"`
		Secret       string              `json:"secret"`
		Expires      *string             `json:"expires_at"`
		Roles        []map[string]string `json:"roles"`
		Unrestricted bool                `json:"unrestricted"`
	}
	if _, err := q.inner("application_credential", &want); err != nil {
		return nil, err
	}
	a := &ApplicationCredential{ID: hexID(c.newID("appcred")), Name: want.Name, Description: want.Description, Secret: want.Secret,
		ProjectID: t.project, Unrestricted: want.Unrestricted, user: t.user}
	if a.Secret == "" {
		a.Secret = hexID(c.newID("secret")) + hexID(c.newID("secret"))
	}
	if err := c.checkAppCred(a, want.Roles); err != nil {
		return nil, err
	}
	if want.Expires != nil {
		if a.Expires, err = keystoneDate(*want.Expires); err != nil {
			return nil, err
		}
	}
	shown := c.identity.appCreds.add(a).shown(c)
	shown["secret"] = a.Secret
	return wrap("application_credential", shown), nil
}

func (c *Cloud) checkAppCred(a *ApplicationCredential, roles []map[string]string) error {
	if a.Name == "" {
		return refuse(http.StatusBadRequest, "ValidationError", "'name' is a required property")
	}
	if slices.ContainsFunc(c.identity.appCreds.rows, func(b *ApplicationCredential) bool { return b.user == a.user && b.Name == a.Name }) {
		return refuse(http.StatusConflict, "Conflict", "Conflict occurred attempting to store application_credential - Duplicate entry found with name %s.", a.Name)
	}
	for _, r := range roles {
		if r["id"] != memberRole["id"] && r["name"] != memberRole["name"] {
			return refuse(http.StatusBadRequest, "ApplicationCredentialValidationError",
				"Invalid application credential: Cannot create an application credential with unassigned role")
		}
	}
	return nil
}

// keystoneDate is keystone/common/utils.py, parse_expiration_date.
func keystoneDate(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05.999999"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, refuse(http.StatusBadRequest, "ValidationTimeStampError", "Timestamp not in expected format. "+
		"The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.")
}

func (c *Cloud) appCredOf(q *request) (*ApplicationCredential, error) {
	t, err := c.appCredUser(q)
	if err != nil {
		return nil, err
	}
	a, ok := c.identity.appCreds.get(q.id("id"))
	if !ok || a.user != t.user {
		return nil, refuse(http.StatusNotFound, "ApplicationCredentialNotFound", "Could not find Application Credential: %s.", q.id("id"))
	}
	return a, nil
}

func (c *Cloud) showAppCred(q *request) (any, error) {
	a, err := c.appCredOf(q)
	if err != nil {
		return nil, err
	}
	return wrap("application_credential", a.shown(c)), nil
}

func (c *Cloud) deleteAppCred(q *request) (any, error) {
	a, err := c.appCredOf(q)
	if err == nil {
		c.dropAppCred(a.ID)
	}
	return nil, err
}

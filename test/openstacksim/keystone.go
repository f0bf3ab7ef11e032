package openstacksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// What the seed of every cloud holds; see New.
const (
	Region   = "RegionOne"
	Domain   = "Default"
	Project  = "kaas"
	User     = "capok"
	Password = "openstack-sim"
)

const tokenLife = time.Hour // keystone/conf/token.py: expiration

type identity struct {
	service  *service
	projects map[string]string // name -> ID
	users    map[string]*user  // by name
	appCreds *table[ApplicationCredential, *ApplicationCredential]
	tokens   map[string]*token
	catalog  []*service
}

type user struct {
	id, name, password string
	projects           []string // IDs
}

type token struct {
	id      string
	user    *user
	project string // ID, empty if unscoped
	methods []string
	issued  time.Time
	expires time.Time
	appCred *ApplicationCredential // what it was given for; may be nil
}

func (c *Cloud) startIdentity() {
	s := &service{name: "keystone", kind: "identity", root: "/identity", base: "/identity/v3", render: keystoneError, open: true}
	c.identity = &identity{
		service: s, projects: map[string]string{}, users: map[string]*user{},
		appCreds: register[ApplicationCredential](c, "application-credential"), tokens: map[string]*token{}, catalog: []*service{s},
	}
	for _, name := range []string{"admin", Project} {
		c.identity.projects[name] = hexID(c.newID("project"))
	}
	c.addUser(User, Password, Project)

	// keystone/version.py; api-ref/source/v3/versions: 300 with the list, 200 with one.
	version := func() any {
		return map[string]any{"id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z",
			"links": []any{map[string]any{"rel": "self", "href": c.url + "/identity/v3/"}}}
	}
	c.document(s, "/identity", http.StatusMultipleChoices, func() any {
		return wrap("versions", wrap("values", []any{version()}))
	})
	c.document(s, "/identity/v3", http.StatusOK, func() any { return wrap("version", version()) })
	c.on(s, "POST", "/auth/tokens", c.createToken)
	c.on(s, "GET", "/auth/tokens", c.showToken)
	c.on(s, "DELETE", "/auth/tokens", c.revokeToken)
	c.on(s, "GET", "/auth/catalog", c.showCatalog)
	c.appCredRoutes()
	c.directoryRoutes()
}

// hexID is how Keystone writes UUIDs: without dashes.
func hexID(id string) string {
	return id[0:8] + id[9:13] + id[14:18] + id[19:23] + id[24:36]
}

func (c *Cloud) addUser(name, password string, projects ...string) {
	u := &user{id: hexID(c.newID("user")), name: name, password: password}
	for _, p := range projects {
		u.projects = append(u.projects, c.identity.projects[p])
	}
	c.identity.users[name] = u
}

// AddProject makes a project with a user of its own; see CloudsYAML for them.
func (c *Cloud) AddProject(project, userName, password string) {
	c.locked(func() {
		c.identity.projects[project] = hexID(c.newID("project"))
		c.addUser(userName, password, project)
	})
}

// ProjectID is the ID of a project by its name.
func (c *Cloud) ProjectID(name string) string {
	return ask(c, func() string { return c.identity.projects[name] })
}

// RevokeTokens makes all tokens invalid; one gets new ones with the password.
func (c *Cloud) RevokeTokens() { c.locked(func() { clear(c.identity.tokens) }) }

// SetPassword changes the password of a user and makes all tokens invalid.
func (c *Cloud) SetPassword(userName, password string) {
	c.locked(func() {
		c.identity.users[userName].password = password
		clear(c.identity.tokens)
	})
}

// CloudsYAML is a clouds.yaml with one cloud: User in Project with its password.
// The cloud must have been started.
func (c *Cloud) CloudsYAML(cloudName string) []byte {
	return c.CloudsYAMLFor(cloudName, Project, User, Password)
}

// CloudsYAMLFor is CloudsYAML for other credentials, right or wrong ones.
func (c *Cloud) CloudsYAMLFor(cloudName, project, userName, password string) []byte {
	url := ask(c, func() string { return c.url })
	return fmt.Appendf(nil, `clouds:
  %s:
    auth:
      auth_url: %s/identity/v3
      username: %s
      password: %s
      project_name: %s
      user_domain_name: %s
      project_domain_name: %s
    region_name: %s
    interface: public
    identity_api_version: "3"
`, cloudName, url, userName, password, project, Domain, Domain, Region)
}

// CloudsYAMLForApplicationCredential is CloudsYAML with an application credential.
func (c *Cloud) CloudsYAMLForApplicationCredential(cloudName, id, secret string) []byte {
	url := ask(c, func() string { return c.url })
	return fmt.Appendf(nil, `clouds:
  %s:
    auth_type: v3applicationcredential
    auth:
      auth_url: %s/identity/v3
      application_credential_id: %s
      application_credential_secret: %s
    region_name: %s
    interface: public
    identity_api_version: "3"
`, cloudName, url, id, secret, Region)
}

// keystoneError is keystone/server/flask/application.py and keystone/exception.py.
func keystoneError(e *apiError) any {
	return wrap("error", map[string]any{"code": e.status, "title": http.StatusText(e.status), "message": e.message})
}

func unauthorized() error {
	return refuse(http.StatusUnauthorized, "Unauthorized", "The request you have made requires authentication.")
}

// authenticate is what keystonemiddleware does before every service: a token
// that is unknown, expired or revoked is answered with 401, and so is one
// without a project.
func (c *Cloud) authenticate(q *request) error {
	t, ok := c.identity.tokens[q.Header.Get("X-Auth-Token")]
	if !ok || !t.expires.After(c.at) || t.project == "" {
		err := asAPIError(unauthorized())
		err.header = http.Header{"Www-Authenticate": {fmt.Sprintf("Keystone uri=%q", c.url+"/identity")}}
		return err
	}
	q.token, q.project = t, t.project
	return nil
}

// authRequest is the body of POST /v3/auth/tokens.
type authRequest struct {
	Auth struct {
		Identity struct {
			Methods  []string `json:"methods"`
			Password struct {
				User authUser `json:"user"`
			} `json:"password"`
			Token struct {
				ID string `json:"id"`
			} `json:"token"`
			ApplicationCredential struct {
				ID     string   `json:"id"`
				Name   string   `json:"name"`
				Secret string   `json:"secret"`
				User   authUser `json:"user"`
			} `json:"application_credential"`
		} `json:"identity"`
		Scope json.RawMessage `json:"scope"`
	} `json:"auth"`
}

type authUser struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Password string      `json:"password"`
	Domain   *authDomain `json:"domain"`
}

type authDomain struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// checkDomain is keystone/auth/core.py, _lookup_user and _lookup_project: a name
// needs its domain, of which this cloud has one.
func checkDomain(d *authDomain, target string) error {
	switch {
	case d == nil:
		return refuse(http.StatusBadRequest, "ValidationError", "Expecting to find domain in %s. The server could not comply with the "+
			"request since it is either malformed or otherwise incorrect. The client is assumed to be in error.", target)
	case d.ID == "default" || d.ID == "" && d.Name == Domain:
		return nil
	}
	return unauthorized()
}

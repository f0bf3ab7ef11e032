package conformance

import (
	"context"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// passwordScope is the body of a login.
func (c credentials) body() object {
	domain := object{"name": c.Domain}
	return object{"auth": object{
		"identity": object{"methods": []string{"password"}, "password": object{
			"user": object{"name": c.User, "domain": domain, "password": c.Password}}},
		"scope": object{"project": object{"name": c.Project, "domain": domain}},
	}}
}

// apiRoots are what our client adds to a service's URL in the catalog.
var apiRoots = map[string]string{network: "/v2.0", balance: "/v2.0", imaging: "/v2"}

// login gets a token and reads the catalog that comes with it.
func login(ctx context.Context, with credentials) *api {
	GinkgoHelper()
	c := &api{credentials: with, urls: map[string]string{}}
	got := c.send(ctx, http.MethodPost, with.AuthURL+"/v3/auth/tokens", with.body())
	Expect(got.status).To(Equal(http.StatusCreated), got.String())
	token := got.object("token")
	c.token = got.header.Get("X-Subject-Token")
	c.user, c.project = id(token["user"].(object)), id(token["project"].(object))
	for _, entry := range token["catalog"].(list) {
		service := entry.(object)
		kind := map[any]string{"volumev3": storage, "block-store": storage}[service["type"]]
		if kind == "" {
			kind, _ = service["type"].(string)
		}
		for _, e := range service["endpoints"].(list) {
			if endpoint := e.(object); endpoint["interface"] == "public" && endpoint["region"] == with.Region {
				url := strings.TrimSuffix(endpoint["url"].(string), "/")
				c.urls[kind] = strings.TrimSuffix(url, apiRoots[kind]) + apiRoots[kind]
			}
		}
	}
	return c
}

var _ = Describe("Keystone", func() {
	var tokens = func() string { return cloud.AuthURL + "/v3/auth/tokens" }

	behaviour("answers a wrong password with 401", "identity-api-ref: Password authentication with scoped authorization", func(ctx SpecContext) {
		wrong := cloud.credentials
		wrong.Password += "x"
		Expect(cloud.send(ctx, http.MethodPost, tokens(), wrong.body()).status).To(Equal(http.StatusUnauthorized))
	})
	behaviour("answers for a user that there is not as for a wrong password", "identity-api-ref: Authentication; keystone/auth/core.py", func(ctx SpecContext) {
		wrong := cloud.credentials
		wrong.User = "nobody-" + run
		Expect(cloud.send(ctx, http.MethodPost, tokens(), wrong.body()).status).To(Equal(http.StatusUnauthorized))
	})
	behaviour("answers for a project that there is not with 401", "keystone/auth/core.py, AuthInfo._lookup_project", func(ctx SpecContext) {
		wrong := cloud.credentials
		wrong.Project = "none-" + run
		Expect(cloud.send(ctx, http.MethodPost, tokens(), wrong.body()).status).To(Equal(http.StatusUnauthorized))
	})
	behaviour("gives the token in X-Subject-Token, with project, expiry and catalog in the body", "identity-api-ref: Password authentication with scoped authorization", func(ctx SpecContext) {
		got := cloud.send(ctx, http.MethodPost, tokens(), cloud.body())
		Expect(got.header.Get("X-Subject-Token")).NotTo(BeEmpty())
		Expect(got.object("token")).To(And(HaveKey("expires_at"), HaveKey("catalog"), HaveKeyWithValue("project", HaveKeyWithValue("name", cloud.Project))))
	})
	behaviour("has the services that Capok needs in the catalog", "service-types authority; identity-api-ref: Get service catalog", func(SpecContext) {
		for _, service := range []string{compute, network, balance, imaging, storage} {
			Expect(cloud.urls).To(HaveKey(service))
		}
	})
	for _, service := range []string{compute, network, balance, imaging, storage} {
		path := map[string]string{compute: "/servers", network: "/networks", balance: "/lbaas/loadbalancers", imaging: "/images", storage: "/volumes"}[service]
		behaviour("makes "+service+" refuse a token that is none with 401", "keystonemiddleware/auth_token", func(ctx SpecContext) {
			Expect(cloud.send(ctx, http.MethodGet, cloud.url(service, path), nil, "X-Auth-Token", "none").status).To(Equal(http.StatusUnauthorized))
		})
	}
	behaviour("makes a revoked token worthless at once, for Keystone itself", "identity-api-ref: Revoke token", func(ctx SpecContext) {
		other := login(ctx, cloud.credentials)
		gone := other.send(ctx, http.MethodDelete, tokens(), nil, "X-Subject-Token", other.token)
		Expect(gone.status).To(Equal(http.StatusNoContent), gone.String())
		Expect(cloud.send(ctx, http.MethodGet, tokens(), nil, "X-Subject-Token", other.token).status).To(Equal(http.StatusNotFound))
	})
})

var _ = Describe("Keystone's application credentials", func() {
	var own = func() string { return cloud.AuthURL + "/v3/users/" + cloud.user + "/application_credentials" }
	var auth = func(made object, extra object) object {
		body := object{"identity": object{"methods": []string{"application_credential"},
			"application_credential": object{"id": made["id"], "secret": made["secret"]}}}
		for k, v := range extra {
			body[k] = v
		}
		return object{"auth": body}
	}
	var create = func(ctx SpecContext) object {
		GinkgoHelper()
		got := cloud.send(ctx, http.MethodPost, own(), object{"application_credential": object{"name": name("appcred")}})
		Expect(got.status).To(Equal(http.StatusCreated), got.String())
		made := got.object("application_credential")
		DeferCleanup(func(ctx SpecContext) { cloud.send(ctx, http.MethodDelete, own()+"/"+id(made), nil) })
		return made
	}
	var tokens = func() string { return cloud.AuthURL + "/v3/auth/tokens" }

	behaviour("log in to the project that they were made in", "identity-api-ref: Authenticating with an Application Credential", func(ctx SpecContext) {
		got := cloud.send(ctx, http.MethodPost, tokens(), auth(create(ctx), nil))
		Expect(got.status).To(Equal(http.StatusCreated), got.String())
		Expect(got.object("token")).To(HaveKeyWithValue("project", HaveKeyWithValue("id", cloud.project)))
	})
	behaviour("take no scope", "keystone/auth/core.py, AuthInfo._validate_and_normalize_scope_data", func(ctx SpecContext) {
		got := cloud.send(ctx, http.MethodPost, tokens(), auth(create(ctx), object{"scope": object{"project": object{"id": cloud.project}}}))
		Expect(got.status).To(Equal(http.StatusUnauthorized), got.String())
	})
	behaviour("are answered with 404 once deleted, which says nothing of what was asked for", "keystone/auth/plugins/core.py, AppCredInfo._validate_and_normalize_auth_data", func(ctx SpecContext) {
		made := create(ctx)
		Expect(cloud.send(ctx, http.MethodDelete, own()+"/"+id(made), nil).status).To(Equal(http.StatusNoContent))
		Expect(cloud.send(ctx, http.MethodPost, tokens(), auth(made, nil)).status).To(Equal(http.StatusNotFound))
	})
	behaviour("show their secret only in the answer that makes them", "identity-api-ref: Create application credential", func(ctx SpecContext) {
		made := create(ctx)
		Expect(made).To(HaveKeyWithValue("secret", Not(BeEmpty())))
		Expect(cloud.send(ctx, http.MethodGet, own()+"/"+id(made), nil).object("application_credential")).NotTo(HaveKey("secret"))
	})
})

package openstacksim

import (
	"maps"
	"net/http"
	"slices"
)

// What a user may look up in Keystone: the regions, and what is their own.

func (c *Cloud) directoryRoutes() {
	s := c.identity.service
	withToken := func(path string, h func(*request, *token) (any, error)) {
		c.on(s, "GET", path, func(q *request) (any, error) {
			t, err := c.validToken(q.Header.Get("X-Auth-Token"))
			if err != nil {
				return nil, err
			}
			return h(q, t)
		})
	}
	withToken("/auth/projects", c.listOwnProjects)
	withToken("/auth/domains", func(q *request, _ *token) (any, error) {
		return map[string]any{"domains": []any{}, "links": c.selfLinks(q)}, nil // no roles on domains
	})
	withToken("/regions", func(q *request, _ *token) (any, error) {
		return map[string]any{"regions": []any{c.region()}, "links": c.selfLinks(q)}, nil
	})
	withToken("/regions/{id}", func(q *request, _ *token) (any, error) {
		if q.id("id") != Region {
			return nil, refuse(http.StatusNotFound, "RegionNotFound", "Could not find region: %s.", q.id("id"))
		}
		return wrap("region", c.region()), nil
	})
	withToken("/projects/{id}", c.showOwnProject)
	withToken("/users/{id}", c.showSelf)
	withToken("/users/{id}/projects", func(q *request, t *token) (any, error) {
		if q.id("id") != t.user.id {
			return nil, forbiddenAction("identity:list_user_projects")
		}
		return c.listOwnProjects(q, t)
	})
	for _, kind := range []string{"project", "user", "domain", "service", "endpoint", "role"} {
		withToken("/"+kind+"s", func(*request, *token) (any, error) { // for admins and readers of the system only
			return nil, forbiddenAction("identity:list_" + kind + "s")
		})
	}
}

func (c *Cloud) region() any {
	return map[string]any{"id": Region, "description": "", "parent_region_id": nil,
		"links": map[string]string{"self": c.url + "/identity/v3/regions/" + Region}}
}

func (c *Cloud) projectShown(name string) any {
	id := c.identity.projects[name]
	return map[string]any{"id": id, "name": name, "domain_id": "default", "parent_id": "default", "enabled": true, "is_domain": false,
		"description": "", "tags": []string{}, "options": map[string]any{},
		"links": map[string]string{"self": c.url + "/identity/v3/projects/" + id}}
}

// listOwnProjects is GET /v3/auth/projects: what a token may be scoped to
// (keystone/api/auth.py, AuthProjectsResource).
func (c *Cloud) listOwnProjects(q *request, t *token) (any, error) {
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(c.identity.projects)) {
		if slices.Contains(t.user.projects, c.identity.projects[name]) {
			list = append(list, c.projectShown(name))
		}
	}
	return map[string]any{"projects": list, "links": c.selfLinks(q)}, nil
}

func (c *Cloud) showOwnProject(q *request, t *token) (any, error) {
	if q.id("id") != t.project { // keystone/common/policies/project.py
		return nil, forbiddenAction("identity:get_project")
	}
	return wrap("project", c.projectShown(c.projectName(t.project))), nil
}

func (c *Cloud) showSelf(q *request, t *token) (any, error) {
	if q.id("id") != t.user.id { // keystone/common/policies/user.py
		return nil, forbiddenAction("identity:get_user")
	}
	return wrap("user", map[string]any{"id": t.user.id, "name": t.user.name, "domain_id": "default", "enabled": true,
		"password_expires_at": nil, "options": map[string]any{}, "links": map[string]string{"self": c.url + "/identity/v3/users/" + t.user.id}}), nil
}

package openstacksim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// orchestration is Heat with the resources of stackKinds; stacks may be abandoned.
type orchestration struct {
	service *service
	stacks  *table[Stack, *Stack]
	gone    map[string]*Stack // deleted ones, which GET by ID still shows

	noAbandon bool
}

func (c *Cloud) startOrchestration() {
	s := &service{name: "heat", kind: "orchestration", root: "/heat-api", base: "/heat-api/v1/{project}", render: heatError, prepare: heatProject}
	c.orchestration = &orchestration{service: s, gone: map[string]*Stack{}}
	c.identity.catalog = append(c.identity.catalog, s)
	c.orchestration.stacks = register[Stack](c, "stack")

	// heat/api/versions.py: 300 for the list
	c.document(s, s.root, http.StatusMultipleChoices, func() any {
		return wrap("versions", []any{map[string]any{"id": "v1.0", "status": "CURRENT",
			"links": []any{map[string]string{"rel": "self", "href": c.url + "/heat-api/v1/"}}}})
	})
	c.stackRoutes()
	c.on(s, "GET", "/build_info", func(*request) (any, error) {
		return map[string]any{"api": map[string]string{"revision": "sim"}, "engine": map[string]string{"revision": "sim"}}, nil
	})
	c.on(s, "GET", "/resource_types", func(*request) (any, error) {
		types := []string{}
		for name := range stackKinds {
			types = append(types, name)
		}
		slices.Sort(types)
		return wrap("resource_types", types), nil
	})
}

func (c *Cloud) stackRoutes() {
	s := c.orchestration.service
	c.on(s, "GET", "/stacks", c.listStacks)
	c.on(s, "POST", "/stacks", c.createStack)
	for _, below := range []string{"", "/resources", "/events", "/outputs", "/template"} {
		c.on(s, "GET", "/stacks/{name}"+below, c.lookUpStack(below))
	}
	c.on(s, "DELETE", "/stacks/{name}", c.lookUpStack(""))
	one := "/stacks/{name}/{id}"
	c.on(s, "GET", one, c.showStack)
	c.on(s, "PUT", one, func(q *request) (any, error) { return nil, c.partNotSimulated(q) })
	c.on(s, "PATCH", one, func(q *request) (any, error) { return nil, c.partNotSimulated(q) })
	c.on(s, "DELETE", one, c.deleteStack)
	c.on(s, "DELETE", one+"/abandon", c.abandonStack)
	c.on(s, "GET", one+"/template", c.showTemplate)
	c.on(s, "GET", one+"/resources", c.listStackResources)
	c.on(s, "GET", one+"/resources/{resource}", c.showStackResource)
	c.on(s, "GET", one+"/outputs", c.listOutputs)
	c.on(s, "GET", one+"/outputs/{key}", c.showOutput)
	c.on(s, "GET", one+"/events", c.listEvents)
	c.on(s, "GET", one+"/resources/{resource}/events", c.listEvents)
}

// heatProject is heat/api/openstack/v1/util.py, registered_policy_enforce.
func heatProject(q *request) error {
	if q.id("project") != q.project {
		return refuse(http.StatusForbidden, "Forbidden", "You are not authorized to use this project.")
	}
	return nil
}

// heatError is heat/api/middleware/fault.py.
func heatError(e *apiError) any {
	if e.status == http.StatusUnauthorized {
		return keystoneError(e)
	}
	explanations := map[int]string{400: "The server could not comply with the request since it is either malformed or otherwise incorrect.",
		403: "Access was denied to this resource.", 404: "The resource could not be found.", 409: "There was a conflict when trying to complete your request."}
	return map[string]any{"code": e.status, "title": http.StatusText(e.status), "explanation": explanations[e.status],
		"error": map[string]any{"type": e.kind, "message": e.message, "traceback": nil}}
}

func stackNotFound(which string) error {
	return refuse(http.StatusNotFound, "EntityNotFound", "The Stack (%s) could not be found.", which)
}

func badTemplate(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "StackValidationFailed", format, args...)
}

func (c *Cloud) stackURL(s *Stack) string {
	return c.url + strings.ReplaceAll(c.orchestration.service.base, "{project}", s.ProjectID) + "/stacks/" + s.Name + "/" + s.ID
}

func (c *Cloud) stackLinks(s *Stack) []any {
	return []any{map[string]string{"rel": "self", "href": c.stackURL(s)}}
}

// lookUpStack is heat/api/openstack/v1/stacks.py, lookup: a name or an ID alone
// is answered with a redirect to the URL that has both.
func (c *Cloud) lookUpStack(below string) handler {
	return func(q *request) (any, error) {
		which := q.id("name")
		for _, s := range c.orchestration.stacks.rows {
			if s.ProjectID == q.project && (s.Name == which || s.ID == which) {
				url := c.stackURL(s) + below
				if q.URL.RawQuery != "" {
					url += "?" + q.URL.RawQuery
				}
				return reply{http.StatusFound, "", http.Header{"Location": {url}}}, nil
			}
		}
		if s, ok := c.orchestration.gone[which]; ok && s.ProjectID == q.project {
			return reply{http.StatusFound, "", http.Header{"Location": {c.stackURL(s) + below}}}, nil
		}
		return nil, stackNotFound(which)
	}
}

// stackOf is the stack of a URL with name and ID, deleted ones included.
func (c *Cloud) stackOf(q *request) (*Stack, error) {
	s, ok := c.orchestration.stacks.of(q.project, q.id("id"))
	if !ok {
		s, ok = c.orchestration.gone[q.id("id")]
	}
	if !ok || s.ProjectID != q.project || s.Name != q.id("name") {
		return nil, stackNotFound(q.id("name"))
	}
	return s, nil
}

// listStacks is heat/api/openstack/v1/stacks.py, index: the newest first.
func (c *Cloud) listStacks(q *request) (any, error) {
	var rows []*Stack
	for _, s := range slices.Backward(c.orchestration.stacks.listed()) {
		if s.ProjectID == q.project && !c.hidden[s.ID] && s.fits(q) {
			rows = append(rows, s)
		}
	}
	body := wrap("stacks", []any{})
	if isTrue(q.query.Get("with_count")) {
		body["count"] = len(rows)
	}
	// heat/api/openstack/v1/views/views_common.py: there are pages only if a limit is given.
	if i := slices.IndexFunc(rows, func(s *Stack) bool { return s.ID == q.query.Get("marker") }); i >= 0 {
		rows = rows[i+1:]
	}
	if limit, err := strconv.Atoi(q.query.Get("limit")); err == nil && limit > 0 && limit <= len(rows) {
		rows = rows[:limit]
		body["links"] = []any{map[string]string{"rel": "next", "href": c.pageURL(q, rows[limit-1].ID, false)}}
	}
	list := []any{}
	for _, s := range rows {
		list = append(list, s.brief(c))
	}
	body["stacks"] = list
	return body, nil
}

func (s *Stack) fits(q *request) bool {
	for key, values := range q.query {
		if fits, known := fitsTags(s.Tags, strings.ReplaceAll(key, "_", "-"), values[0]); known && !fits {
			return false
		}
		have := map[string]string{"name": s.Name, "stack_name": s.Name, "id": s.ID, "status": s.Status, "stack_status": s.Status, "action": s.Action}
		if value, known := have[key]; known && !slices.Contains(values, value) {
			return false
		}
	}
	return true
}

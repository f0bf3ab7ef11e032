package openstacksim

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Stack is a Heat stack.
type Stack struct {
	ID, Name, ProjectID string
	Action, Status      string // CREATE, DELETE, ROLLBACK; IN_PROGRESS, COMPLETE, FAILED
	Reason              string
	Tags                []string
	Parameters          map[string]any
	DisableRollback     bool
	Created             time.Time

	user      *user
	template  *template
	resources []*stackResource // each after what it needs
	events    []stackEvent
	timeout   any
	run       int // counts actions, so that an older one ends
}

// stackResource is a resource of a stack.
type stackResource struct {
	Name, Type     string
	PhysicalID     string
	Action, Status string
	Reason         string
	Updated        time.Time

	definition *resourceDefinition
	needs      []string
	tries      int // of its deletion that were a conflict; -1: accepted
}

type stackEvent struct {
	id, name, physical, status, reason string
	at                                 time.Time
}

func (s *Stack) ident() string { return s.ID }
func (s *Stack) owner() string { return s.ProjectID }
func (s *Stack) label() string { return s.Name }

// brief is one item of a list (heat/api/openstack/v1/views/stacks_view.py, basic_keys).
func (s *Stack) brief(c *Cloud) map[string]any {
	return map[string]any{"id": s.ID, "stack_name": s.Name, "stack_status": s.Action + "_" + s.Status, "stack_status_reason": s.Reason,
		"description": s.template.Description, "creation_time": s.Created.UTC().Format(heatTime), "updated_time": nil, "deletion_time": nil,
		"stack_owner": nil, "parent": nil, "stack_user_project_id": s.ProjectID, "tags": s.Tags, "links": c.stackLinks(s)}
}

const heatTime = "2006-01-02T15:04:05Z"

func (c *Cloud) showStack(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	shown := s.brief(c)
	parameters := map[string]any{"OS::stack_id": s.ID, "OS::stack_name": s.Name, "OS::project_id": s.ProjectID}
	for key, value := range s.Parameters {
		parameters[key] = shownParameter(s.template.Parameters[key], value)
	}
	maps.Copy(shown, map[string]any{"parameters": parameters, "capabilities": []any{}, "notification_topics": []any{},
		"template_description": s.template.Description, "disable_rollback": s.DisableRollback, "timeout_mins": s.timeout, "outputs": c.outputs(s)})
	return wrap("stack", shown), nil
}

var stackName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.-]{0,254}$`)

// createStack is heat/api/openstack/v1/stacks.py, create, and heat/engine/service.py,
// create_stack: what is wrong with the template or the parameters is said at once.
func (c *Cloud) createStack(q *request) (any, error) {
	var want struct {
		Name            string          `json:"stack_name"`
		Template        json.RawMessage `json:"template"`
		Parameters      map[string]any  `json:"parameters"`
		Environment     json.RawMessage `json:"environment"`
		DisableRollback *bool           `json:"disable_rollback"`
		Timeout         any             `json:"timeout_mins"`
		Tags            string          `json:"tags"`
		Adopt           json.RawMessage `json:"adopt_stack_data"`
	}
	if err := json.Unmarshal(q.raw, &want); err != nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "The server could not comply with the request: %v", err)
	}
	switch {
	case len(want.Adopt) > 0 && string(want.Adopt) != "null":
		return nil, c.partNotSimulated(q)
	case !stackName.MatchString(want.Name):
		return nil, badTemplate(`Invalid stack name %s must contain only alphanumeric or "_-." characters, must start with alpha and must be 255 characters or less.`, want.Name)
	case slices.ContainsFunc(c.orchestration.stacks.rows, func(s *Stack) bool { return s.ProjectID == q.project && s.Name == want.Name }):
		return nil, refuse(http.StatusConflict, "StackExists", "The Stack (%s) already exists.", want.Name)
	}
	t, err := parseTemplate(want.Template)
	if err != nil {
		return nil, err
	}
	s := &Stack{ID: c.newID("stack"), Name: want.Name, ProjectID: q.project, user: q.token.user, template: t, Created: c.at,
		DisableRollback: want.DisableRollback == nil || *want.DisableRollback, timeout: want.Timeout, Tags: []string{}}
	if want.Tags != "" {
		s.Tags = strings.Split(want.Tags, ",")
	}
	if s.Parameters, err = t.parameters(want.Parameters, want.Environment); err != nil {
		return nil, err
	}
	if err := c.planStack(s); err != nil {
		return nil, err
	}
	c.orchestration.stacks.add(s)
	c.startStack(s, "CREATE")
	return wrap("stack", map[string]any{"id": s.ID, "links": c.stackLinks(s)}), nil
}

// deleteStack also ends what is in progress (heat/engine/service.py, delete_stack).
func (c *Cloud) deleteStack(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	if _, there := c.orchestration.stacks.get(s.ID); there && (s.Action != "DELETE" || s.Status != inProgress) {
		c.startStack(s, "DELETE")
	}
	return nil, nil
}

// abandonStack forgets a stack and leaves its resources; the answer is what one
// adopts it with (heat/engine/stack.py, prepare_abandon).
func (c *Cloud) abandonStack(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	if c.orchestration.noAbandon {
		return nil, refuse(http.StatusBadRequest, "NotSupported", "Stack Abandon is not supported.")
	}
	if s.Status == inProgress {
		return nil, refuse(http.StatusConflict, "ActionInProgress", "Stack %s already has an action (%s) in progress.", s.Name, s.Action)
	}
	resources := map[string]any{}
	for _, r := range s.resources {
		resources[r.Name] = map[string]any{"name": r.Name, "resource_id": orNil(r.PhysicalID), "type": r.Type, "action": r.Action, "status": r.Status,
			"metadata": r.definition.Metadata, "resource_data": map[string]any{}}
	}
	s.run++
	c.orchestration.stacks.drop(s.ID)
	return reply{status: http.StatusOK, body: map[string]any{"name": s.Name, "id": s.ID, "action": s.Action, "status": s.Status,
		"template": s.template.raw, "resources": resources, "environment": map[string]any{"parameters": s.Parameters}, "files": map[string]any{},
		"project_id": s.ProjectID, "stack_user_project_id": s.ProjectID, "tags": s.Tags}}, nil
}

// ForbidAbandon makes Heat refuse to abandon stacks, which is its default
// (heat/common/config.py, enable_stack_abandon), unlike this cloud's.
func (c *Cloud) ForbidAbandon(on bool) { c.locked(func() { c.orchestration.noAbandon = on }) }

func (c *Cloud) showTemplate(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	return s.template.raw, nil
}

// shown is heat/api/openstack/v1/resources.py, format_resource.
func (r *stackResource) shown(c *Cloud, s *Stack) map[string]any {
	required := []string{}
	for _, other := range s.resources {
		if slices.Contains(other.needs, r.Name) {
			required = append(required, other.Name)
		}
	}
	return map[string]any{"resource_name": r.Name, "logical_resource_id": r.Name, "physical_resource_id": r.PhysicalID, "resource_type": r.Type,
		"resource_status": r.Action + "_" + r.Status, "resource_status_reason": r.Reason, "creation_time": s.Created.UTC().Format(heatTime),
		"updated_time": r.Updated.UTC().Format(heatTime), "required_by": required, "links": []any{
			map[string]string{"rel": "self", "href": c.stackURL(s) + "/resources/" + r.Name}, map[string]string{"rel": "stack", "href": c.stackURL(s)}}}
}

func (c *Cloud) listStackResources(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, r := range s.resources {
		list = append(list, r.shown(c, s))
	}
	return wrap("resources", list), nil
}

func (c *Cloud) showStackResource(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	r, ok := s.resource(q.id("resource"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "ResourceNotFound", "The Resource (%s) could not be found in Stack %s.", q.id("resource"), s.Name)
	}
	shown := r.shown(c, s)
	shown["attributes"], shown["description"] = c.stackAttributes(s, r), ""
	return wrap("resource", shown), nil
}

func (s *Stack) resource(name string) (*stackResource, bool) {
	for _, r := range s.resources {
		if r.Name == name {
			return r, true
		}
	}
	return nil, false
}

// listEvents is heat/api/openstack/v1/events.py, index: after the marker, the
// oldest first.
func (c *Cloud) listEvents(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	list, after := []any{}, q.query.Get("marker")
	for _, e := range s.events {
		if after == "" && (q.id("resource") == "" || q.id("resource") == e.name) {
			list = append(list, map[string]any{"id": e.id, "event_time": e.at.UTC().Format(heatTime), "resource_name": e.name, "logical_resource_id": e.name,
				"physical_resource_id": e.physical, "resource_status": e.status, "resource_status_reason": e.reason, "links": []any{
					map[string]string{"rel": "self", "href": c.stackURL(s) + "/resources/" + e.name + "/events/" + e.id},
					map[string]string{"rel": "resource", "href": c.stackURL(s) + "/resources/" + e.name},
					map[string]string{"rel": "stack", "href": c.stackURL(s)}, map[string]string{"rel": "root_stack", "href": c.stackURL(s)}}})
		}
		if e.id == after {
			after = ""
		}
	}
	if q.query.Get("sort_dir") == "desc" {
		slices.Reverse(list)
	}
	return wrap("events", list), nil
}

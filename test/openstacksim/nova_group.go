package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
)

// ServerGroup is a Nova server group.
type ServerGroup struct {
	ID, Name, ProjectID, UserID string
	Policy                      string // affinity, anti-affinity, soft-...
	MaxServerPerHost            int    // of anti-affinity; 0 means the rule is not set, so one
}

func (g *ServerGroup) ident() string { return g.ID }
func (g *ServerGroup) owner() string { return g.ProjectID }
func (g *ServerGroup) label() string { return g.Name }

// membersOfGroup are the servers of a group that are not deleted, in whatever
// state.
func (c *Cloud) membersOfGroup(g *ServerGroup) []*Server {
	return c.compute.servers.where(func(s *Server) bool { return s.GroupID == g.ID })
}

// shown has one policy and its rules since 2.64 and a list before. Members in a
// cell that is down are left out (nova/api/openstack/compute/server_groups.py,
// _format_server_group and _get_not_deleted).
func (g *ServerGroup) shown(c *Cloud, minor int) map[string]any {
	members := []string{}
	for _, s := range c.membersOfGroup(g) {
		if !c.compute.down[s.ID] {
			members = append(members, s.ID)
		}
	}
	shown := map[string]any{"id": g.ID, "name": g.Name, "members": members}
	if minor >= 13 {
		shown["project_id"], shown["user_id"] = g.ProjectID, g.UserID
	}
	if minor < 64 {
		shown["policies"], shown["metadata"] = []string{g.Policy}, map[string]any{}
		return shown
	}
	rules := map[string]any{}
	if g.MaxServerPerHost > 0 {
		rules["max_server_per_host"] = g.MaxServerPerHost
	}
	shown["policy"], shown["rules"] = g.Policy, rules
	return shown
}

// listServerGroups has no filter and no links: who wants more than
// osapi_max_limit must count with offset (server_groups.py, index;
// nova/api/openstack/common.py, limited).
func (c *Cloud) listServerGroups(q *request) (any, error) {
	groups := slices.DeleteFunc(slices.Clone(c.compute.groups.listed()), func(g *ServerGroup) bool {
		return g.ProjectID != q.project || c.hidden[g.ID]
	})
	part, err := limited(c, q, groups)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, g := range part {
		list = append(list, g.shown(c, q.minor))
	}
	return wrap("server_groups", list), nil
}

// limited is nova/api/openstack/common.py, limited.
func limited[R any](c *Cloud, q *request, rows []R) ([]R, error) {
	asked := map[string]int{}
	for _, name := range []string{"offset", "limit"} {
		number, err := strconv.Atoi(cmp.Or(q.query.Get(name), "0"))
		if err != nil || number < 0 {
			return nil, badServer("Invalid input for query parameters %s. Value: %s.", name, q.query.Get(name))
		}
		asked[name] = number
	}
	from := min(asked["offset"], len(rows))
	return rows[from:min(from+min(cmp.Or(asked["limit"], c.pageSize), c.pageSize), len(rows))], nil
}

// createServerGroup is server_groups.py, create, and schemas/server_groups.py.
func (c *Cloud) createServerGroup(q *request) (any, error) {
	g, err := readServerGroup(q)
	if err != nil {
		return nil, err
	}
	if limit := limitOf(c.compute.quotas, q.project, "server_groups"); limit >= 0 && c.computeUsage(q.project)["server_groups"] >= limit {
		return nil, refuse(http.StatusForbidden, "", "Quota exceeded, too many server groups.")
	}
	g.ID, g.ProjectID, g.UserID = c.newID("server-group"), q.project, q.token.user.id
	c.compute.groups.add(g)
	return reply{status: http.StatusOK, body: wrap("server_group", g.shown(c, q.minor))}, nil
}

func readServerGroup(q *request) (*ServerGroup, error) {
	var want struct {
		Name     string   `json:"name"`
		Policy   string   `json:"policy"`
		Policies []string `json:"policies"`
		Rules    struct {
			MaxServerPerHost json.Number `json:"max_server_per_host"`
		} `json:"rules"`
	}
	allowed := []string{"name", "policies"}
	if q.minor >= 64 {
		allowed = []string{"name", "policy", "rules"}
	}
	if _, err := q.decode("server_group", &want, allowed...); err != nil {
		return nil, unexpected(err)
	}
	if q.minor < 64 && len(want.Policies) == 1 {
		want.Policy = want.Policies[0]
	}
	policies := []string{"affinity", "anti-affinity"}
	if q.minor >= 15 {
		policies = append(policies, "soft-affinity", "soft-anti-affinity")
	}
	if want.Name == "" || !slices.Contains(policies, want.Policy) {
		return nil, badServer("Invalid input for field/attribute policy. Value: %s. '%s' is not one of %v", want.Policy, want.Policy, policies)
	}
	g := &ServerGroup{Name: want.Name, Policy: want.Policy}
	if number := want.Rules.MaxServerPerHost.String(); number != "" {
		var err error
		if g.MaxServerPerHost, err = strconv.Atoi(number); err != nil || g.MaxServerPerHost < 1 {
			return nil, badServer("Invalid input for field/attribute max_server_per_host. Value: %s. %s is less than the minimum of 1", number, number)
		}
		if g.Policy != "anti-affinity" {
			return nil, badServer("Only anti-affinity policy supports rules.")
		}
	}
	return g, nil
}

func (c *Cloud) serverGroup(q *request) (*ServerGroup, error) {
	g, ok := c.compute.groups.of(q.project, q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Instance group %s could not be found.", q.id("id"))
	}
	return g, nil
}

func (c *Cloud) showServerGroup(q *request) (any, error) {
	g, err := c.serverGroup(q)
	if err != nil {
		return nil, err
	}
	return wrap("server_group", g.shown(c, q.minor)), nil
}

// deleteServerGroup leaves the members alone.
func (c *Cloud) deleteServerGroup(q *request) (any, error) {
	g, err := c.serverGroup(q)
	if err == nil {
		c.compute.groups.drop(g.ID)
	}
	return nil, err
}

// hintedGroup is the group of os:scheduler_hints
// (nova/compute/api.py, _get_requested_instance_group); its quota is checked when
// the server becomes a member (_provision_instances).
func (c *Cloud) hintedGroup(q *request) (string, error) {
	var body struct {
		Hints struct {
			Group string `json:"group"`
		} `json:"os:scheduler_hints"`
		Old struct {
			Group string `json:"group"`
		} `json:"OS-SCH-HNT:scheduler_hints"`
	}
	_ = json.Unmarshal(q.raw, &body)
	id := cmp.Or(body.Hints.Group, body.Old.Group)
	if id == "" {
		return "", nil
	}
	g, ok := c.compute.groups.of(q.project, id)
	if !ok {
		return "", badServer("Instance group %s could not be found.", id)
	}
	limit := limitOf(c.compute.quotas, q.project, "server_group_members")
	if limit >= 0 && len(c.membersOfGroup(g)) >= limit {
		return "", refuse(http.StatusForbidden, "", "Quota exceeded, too many servers in group")
	}
	return id, nil
}

package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
)

// ServerGroup is a Nova server group.
type ServerGroup struct {
	ID, Name, ProjectID, UserID string
	Policy                      string // affinity, anti-affinity, soft-...
}

func (g *ServerGroup) ident() string { return g.ID }
func (g *ServerGroup) owner() string { return g.ProjectID }
func (g *ServerGroup) label() string { return g.Name }

// shown has one policy since 2.64 and a list before
// (nova/api/openstack/compute/server_groups.py).
func (g *ServerGroup) shown(c *Cloud, minor int) map[string]any {
	members := []string{}
	for _, s := range c.compute.servers.rows {
		if s.GroupID == g.ID {
			members = append(members, s.ID)
		}
	}
	shown := map[string]any{"id": g.ID, "name": g.Name, "members": members}
	if minor >= 13 {
		shown["project_id"], shown["user_id"] = g.ProjectID, g.UserID
	}
	if minor >= 64 {
		shown["policy"], shown["rules"] = g.Policy, map[string]any{}
	} else {
		shown["policies"], shown["metadata"] = []string{g.Policy}, map[string]any{}
	}
	return shown
}

// listServerGroups has no filter and pages by limit and offset only when asked
// (server_groups.py, index).
func (c *Cloud) listServerGroups(q *request) (any, error) {
	list := []any{}
	for _, g := range c.compute.groups.rows {
		if g.ProjectID == q.project {
			list = append(list, g.shown(c, q.minor))
		}
	}
	return wrap("server_groups", list), nil
}

func (c *Cloud) createServerGroup(q *request) (any, error) {
	var want struct {
		Name     string   `json:"name"`
		Policy   string   `json:"policy"`
		Policies []string `json:"policies"`
	}
	if _, err := q.decode("server_group", &want, "name", "policy", "policies", "rules"); err != nil {
		return nil, err
	}
	if q.minor < 64 && len(want.Policies) == 1 {
		want.Policy = want.Policies[0]
	}
	if !slices.Contains([]string{"affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"}, want.Policy) {
		return nil, badServer("Invalid input for field/attribute policy. Value: %s.", want.Policy)
	}
	g := c.compute.groups.add(&ServerGroup{ID: c.newID("server-group"), Name: want.Name, ProjectID: q.project,
		UserID: q.token.user.id, Policy: want.Policy})
	return reply{status: http.StatusOK, body: wrap("server_group", g.shown(c, q.minor))}, nil
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

func (c *Cloud) deleteServerGroup(q *request) (any, error) {
	g, err := c.serverGroup(q)
	if err == nil {
		c.compute.groups.drop(g.ID)
	}
	return nil, err
}

// hintedGroup is the group of os:scheduler_hints
// (nova/compute/api.py, _get_requested_instance_group).
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
	if _, ok := c.compute.groups.of(q.project, id); !ok {
		return "", badServer("Instance group %s could not be found.", id)
	}
	return id, nil
}

// listZones is nova/api/openstack/compute/availability_zone.py.
func (c *Cloud) listZones(*request) (any, error) {
	list := []any{}
	for _, name := range c.compute.zones {
		list = append(list, map[string]any{"zoneName": name, "zoneState": map[string]bool{"available": !c.compute.zoneDown[name]}, "hosts": nil})
	}
	return wrap("availabilityZoneInfo", list), nil
}

func (c *Cloud) listKeyPairs(*request) (any, error) {
	list := []any{}
	for _, k := range c.compute.keypairs.rows {
		list = append(list, wrap("keypair", *k))
	}
	return wrap("keypairs", list), nil
}

func (c *Cloud) showKeyPair(q *request) (any, error) {
	k, ok := c.compute.keypairs.get(q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Keypair %s not found for user %s", q.id("id"), q.token.user.id)
	}
	return wrap("keypair", *k), nil
}

package openstacksim

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
)

// grouped creates a server in a server group.
func (c *client) grouped(name, group string) response {
	c.t.Helper()
	return c.send("POST", novaURL+"/servers", body{"os:scheduler_hints": body{"group": group}, "server": body{
		"name": name, "flavorRef": "1", "imageRef": c.sim.Images("node")[0].ID, "networks": "none"}})
}

func (c *client) group(attributes body) string {
	c.t.Helper()
	return c.want(http.StatusOK, "POST", novaURL+"/os-server-groups", body{"server_group": attributes}, "server_group")["id"].(string)
}

func TestServerGroupsPlaceServers(t *testing.T) {
	for _, tc := range []struct {
		why    string
		group  body
		hosts  int      // different ones that three servers of the group get
		status []string // of the three, with two hosts in the zone
	}{
		{"one host for all", body{"policy": "affinity"}, 1, []string{"ACTIVE", "ACTIVE", "ACTIVE"}},
		{"a host each, and the third finds none", body{"policy": "anti-affinity"}, 2, []string{"ACTIVE", "ACTIVE", "ERROR"}},
		{"two to a host", body{"policy": "anti-affinity", "rules": body{"max_server_per_host": 2}}, 2, []string{"ACTIVE", "ACTIVE", "ACTIVE"}},
		{"together as far as it goes", body{"policy": "soft-affinity"}, 1, []string{"ACTIVE", "ACTIVE", "ACTIVE"}},
		{"apart as far as it goes", body{"policy": "soft-anti-affinity"}, 2, []string{"ACTIVE", "ACTIVE", "ACTIVE"}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c := start(t)
			c.sim.SetHosts(2)
			tc.group["name"] = "g"
			id := c.group(tc.group)
			for i, want := range tc.status {
				name := fmt.Sprint("m", i)
				if r := c.grouped(name, id); r.status != http.StatusAccepted {
					t.Fatalf("create: %d %s", r.status, r.text)
				}
				c.advance(10 * time.Second)
				if s := c.sim.Servers(name)[0]; s.Status != want || want == "ERROR" && s.Fault.Message != noValidHost {
					t.Errorf("%s: %s %v, want %s", name, s.Status, s.Fault, want)
				}
			}
			hosts := map[string]bool{}
			for _, s := range c.sim.Servers("") {
				if s.Host != "" {
					hosts[s.Host] = true
				}
			}
			if len(hosts) != tc.hosts {
				t.Errorf("on %v, want %d hosts", hosts, tc.hosts)
			}
		})
	}
}

func TestServerGroupsThatAreRefused(t *testing.T) {
	c := start(t)
	path := novaURL + "/os-server-groups"
	for _, tc := range []struct {
		why, contains string
		minor         int
		group         body
	}{
		{"unknown policy", "is not one of", 79, body{"name": "g", "policy": "close"}},
		{"soft policies since 2.15", "is not one of", 14, body{"name": "g", "policies": []string{"soft-affinity"}}},
		{"a list before 2.64", "'policy' was unexpected", 63, body{"name": "g", "policy": "affinity"}},
		{"no list since 2.64", "'policies' was unexpected", 64, body{"name": "g", "policies": []string{"affinity"}}},
		{"rules are for anti-affinity", "Only anti-affinity policy supports rules.", 79,
			body{"name": "g", "policy": "affinity", "rules": body{"max_server_per_host": 2}}},
		{"at least one per host", "less than the minimum of 1", 79,
			body{"name": "g", "policy": "anti-affinity", "rules": body{"max_server_per_host": 0}}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c.minor = tc.minor
			c.refused(http.StatusBadRequest, tc.contains, "POST", path, body{"server_group": tc.group})
		})
	}
	c.minor = 79
	if r := c.grouped("m0", "nothing"); r.status != http.StatusBadRequest {
		t.Errorf("unknown group: %d %s", r.status, r.text)
	}
}

func TestServerGroupsCountAndList(t *testing.T) {
	c := start(t)
	path := novaURL + "/os-server-groups"
	c.sim.SetQuota("server_groups", 4)
	c.sim.SetQuota("server_group_members", 1)
	var id string
	for i := range 4 {
		id = c.group(body{"name": fmt.Sprint("g", i), "policy": "anti-affinity"})
	}
	c.refused(http.StatusForbidden, "Quota exceeded, too many server groups.", "POST", path,
		body{"server_group": body{"name": "g4", "policy": "affinity"}})
	if got := c.list(path, "server_groups"); len(got) != 3 {
		t.Errorf("%d groups, want the first 3 and no link to more", len(got))
	}
	if got := c.list(path+"?offset=3", "server_groups"); len(got) != 1 || got[0]["name"] != "g3" {
		t.Errorf("the rest: %v", got)
	}
	server := c.grouped("m0", id).body["server"].(body)["id"].(string)
	if r := c.grouped("m1", id); r.status != http.StatusForbidden || r.body["forbidden"].(body)["message"] != "Quota exceeded, too many servers in group" {
		t.Errorf("one member too many: %d %s", r.status, r.text)
	}
	group := c.want(http.StatusOK, "GET", path+"/"+id, nil, "server_group")
	if members := group["members"].([]any); len(members) != 1 || members[0] != server || group["policy"] != "anti-affinity" {
		t.Errorf("group: %v", group)
	}
	c.want(http.StatusNoContent, "DELETE", path+"/"+id, nil, "")
	if s := c.want(http.StatusOK, "GET", novaURL+"/servers/"+server, nil, "server"); len(s["server_groups"].([]any)) != 0 {
		t.Errorf("a member shows a group that is deleted: %v", s["server_groups"])
	}
	c.refused(http.StatusNotFound, "Instance group "+id+" could not be found.", "GET", path+"/"+id, nil)
	for _, g := range c.sim.ServerGroups("") {
		c.sim.DeleteServerGroup(g.ID)
	}
	c.sim.DeleteServer(server)
	c.sim.WantNothingLeft(t)
}

func TestAServerThatItsGroupKeepsFromAllHosts(t *testing.T) {
	c := start(t)
	c.sim.SetHosts(1)
	nova := c.nova("64")
	group := must(servergroups.Create(t.Context(), nova, servergroups.CreateOpts{Name: "g", Policy: "anti-affinity"}).Extract())(t)
	var last string
	for _, name := range []string{"m0", "m1"} {
		last = must(servers.Create(t.Context(), nova, servers.CreateOpts{Name: name, FlavorRef: "1", ImageRef: c.sim.Images("node")[0].ID,
			Networks: "none"}, servers.SchedulerHintOpts{Group: group.ID}).Extract())(t).ID
		c.advance(10 * time.Second)
	}
	s := must(servers.Get(t.Context(), nova, last).Extract())(t)
	if s.Status != "ERROR" || s.Fault.Code != http.StatusInternalServerError || s.Fault.Message != noValidHost {
		t.Errorf("the second: %s %+v", s.Status, s.Fault)
	}
	if g := must(servergroups.Get(t.Context(), nova, group.ID).Extract())(t); len(g.Members) != 2 || *g.Policy != "anti-affinity" {
		t.Errorf("group: %+v", g)
	}
	old := must(servergroups.Get(t.Context(), c.nova("63"), group.ID).Extract())(t)
	if len(old.Policies) != 1 || old.Policies[0] != "anti-affinity" || old.Policy != nil {
		t.Errorf("group before 2.64: %+v", old)
	}
	if err := servergroups.Delete(t.Context(), nova, group.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	pages := must(servergroups.List(nova, nil).AllPages(t.Context()))(t)
	if left := must(servergroups.ExtractServerGroups(pages))(t); len(left) > 0 {
		t.Errorf("groups: %+v", left)
	}
}

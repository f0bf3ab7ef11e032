package openstacksim

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const octaviaURL = "/load-balancer/v2.0/lbaas"

// balancer makes a load balancer with its whole tree in one request.
func (c *client) balancer(subnet string, tags ...string) body {
	c.t.Helper()
	return c.want(http.StatusCreated, "POST", octaviaURL+"/loadbalancers", body{"loadbalancer": body{
		"name": "api", "vip_subnet_id": subnet, "tags": tags, "listeners": []body{{
			"name": "l", "protocol": "TCP", "protocol_port": 6443, "allowed_cidrs": []string{"10.0.0.0/8"}, "default_pool": body{
				"name": "p", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN",
				"members":       []body{{"address": "10.6.0.7", "protocol_port": 6443, "subnet_id": subnet}},
				"healthmonitor": body{"type": "TCP", "delay": 10, "timeout": 5, "max_retries": 3},
			}}}}}, "loadbalancer")
}

func (c *client) balancerStatus(id string) string {
	c.t.Helper()
	return c.want(http.StatusOK, "GET", octaviaURL+"/loadbalancers/"+id, nil, "loadbalancer")["provisioning_status"].(string)
}

func TestWholeLoadBalancerInOneRequest(t *testing.T) {
	c := start(t)
	_, subnet, _ := c.network()
	c.sim.Seed()
	lb := c.balancer(subnet, "cx", "api")
	id, vip := lb["id"].(string), lb["vip_port_id"].(string)
	if p := c.sim.Ports("octavia-lb-" + id)[0]; p.ID != vip || p.DeviceOwner != "Octavia" || p.DeviceID != "lb-"+id {
		t.Errorf("port of the VIP: %+v", p)
	}
	c.advance(5 * time.Second)
	if got := c.balancerStatus(id); got != "ACTIVE" {
		t.Fatalf("status: %s, want ACTIVE", got)
	}
	for path, many := range map[string]string{"/loadbalancers?tags=cx": "loadbalancers", "/listeners?loadbalancer_id=" + id: "listeners",
		"/pools?loadbalancer_id=" + id + "&name=p": "pools", "/healthmonitors?pool_id=" + c.sim.Pools("p")[0].ID: "healthmonitors"} {
		if got := c.list(octaviaURL+path, many); len(got) != 1 || got[0]["provisioning_status"] != "ACTIVE" {
			t.Errorf("%s: %v, want one that is ACTIVE", path, got)
		}
	}
	if m := c.sim.Members(c.sim.Pools("p")[0].ID)[0]; m.OperatingStatus != "ONLINE" {
		t.Errorf("member: %s, want ONLINE", m.OperatingStatus)
	}
	c.refused(http.StatusBadRequest, "it has children", "DELETE", octaviaURL+"/loadbalancers/"+id, nil)
	c.refused(http.StatusConflict, "SubnetInUse", "DELETE", neutronURL+"/subnets/"+subnet, nil)
	c.want(http.StatusNoContent, "DELETE", octaviaURL+"/loadbalancers/"+id+"?cascade=true", nil, "")
	if got := c.balancerStatus(id); got != "PENDING_DELETE" {
		t.Errorf("status: %s, want PENDING_DELETE", got)
	}
	c.advance(5 * time.Second)
	c.refused(http.StatusNotFound, "Load Balancer "+id+" not found.", "GET", octaviaURL+"/loadbalancers/"+id, nil)
	c.sim.WantNothingLeft(t)
}

func TestPendingLoadBalancerRefusesChanges(t *testing.T) {
	c := start(t)
	_, subnet, _ := c.network()
	id := c.balancer(subnet)["id"].(string)
	listener, pool, monitor := c.sim.Listeners("l")[0].ID, c.sim.Pools("p")[0].ID, c.sim.HealthMonitors("")[0].ID
	changes := []struct {
		method, path string
		in           any
	}{
		{"PUT", "/loadbalancers/" + id, body{"loadbalancer": body{"name": "x"}}},
		{"DELETE", "/loadbalancers/" + id + "?cascade=true", nil},
		{"POST", "/listeners", body{"listener": body{"loadbalancer_id": id, "protocol": "TCP", "protocol_port": 80}}},
		{"PUT", "/listeners/" + listener, body{"listener": body{"allowed_cidrs": []string{}}}},
		{"PUT", "/pools/" + pool + "/members", body{"members": []body{}}},
		{"POST", "/pools/" + pool + "/members", body{"member": body{"address": "10.6.0.9", "protocol_port": 6443}}},
		{"DELETE", "/pools/" + pool, nil},
		{"DELETE", "/healthmonitors/" + monitor, nil},
	}
	for _, ch := range changes {
		c.refused(http.StatusConflict, "immutable", ch.method, octaviaURL+ch.path, ch.in)
	}
	c.advance(5 * time.Second)
	c.sim.SetLoadBalancerStatus(id, "ERROR")
	c.refused(http.StatusConflict, "immutable", "PUT", octaviaURL+"/loadbalancers/"+id, body{"loadbalancer": body{"name": "x"}})
	c.want(http.StatusNoContent, "DELETE", octaviaURL+"/loadbalancers/"+id+"?cascade=true", nil, "")
}

func TestMembersInOneRequest(t *testing.T) {
	c := start(t)
	_, subnet, _ := c.network()
	id := c.balancer(subnet)["id"].(string)
	c.advance(5 * time.Second)
	pool := c.sim.Pools("p")[0].ID
	set := func(query string, addresses ...string) []string {
		members := []body{}
		for _, a := range addresses {
			members = append(members, body{"address": a, "protocol_port": 6443, "name": a})
		}
		c.want(http.StatusAccepted, "PUT", octaviaURL+"/pools/"+pool+"/members"+query, body{"members": members}, "")
		if got := c.balancerStatus(id); got != "PENDING_UPDATE" {
			t.Errorf("status: %s, want PENDING_UPDATE", got)
		}
		c.advance(5 * time.Second)
		var got []string
		for _, m := range c.list(octaviaURL+"/pools/"+pool+"/members", "members") {
			got = append(got, m["address"].(string))
		}
		return got
	}
	first := c.sim.Members(pool)[0].ID
	if got := set("?additive_only=true", "10.6.0.8", "10.6.0.9", "10.6.0.10"); len(got) != 4 {
		t.Errorf("additive: %v, want the old one and three more", got)
	}
	if got := set("", "10.6.0.7", "10.6.0.8"); !slices.Equal(got, []string{"10.6.0.7", "10.6.0.8"}) {
		t.Errorf("members: %v, want exactly those of the request", got)
	}
	if m := c.sim.Members(pool)[0]; m.ID != first || m.SubnetID == nil {
		t.Errorf("a member that stays keeps its ID and subnet: %+v", m)
	}
}

func TestBatchesOfMembers(t *testing.T) {
	c := start(t)
	_, subnet, _ := c.network()
	c.balancer(subnet)
	c.advance(5 * time.Second)
	pool := c.sim.Pools("p")[0].ID
	set := func(status int, query string, members ...body) string {
		got := c.send("PUT", octaviaURL+"/pools/"+pool+"/members"+query, body{"members": members})
		c.same("status", got.status, status)
		c.advance(5 * time.Second)
		return got.text
	}
	member := func(address string, more body) body {
		maps.Copy(more, body{"address": address, "protocol_port": 6443})
		return more
	}
	c.sim.SetQuota("member", 1)
	set(http.StatusForbidden, "?additive_only=true", member("10.6.0.8", body{}))
	set(http.StatusAccepted, "", member("10.6.0.8", body{"name": "m", "weight": 7})) // one comes, one goes
	set(http.StatusAccepted, "", member("10.6.0.8", body{"backup": true}))
	m := c.sim.Members(pool)[0]
	c.same("the name stays, the weight is the default again", []any{m.Name, m.Weight, m.Backup}, "[m 1 true]")
	twice := set(http.StatusConflict, "", member("10.6.0.9", body{}), member("10.6.0.9", body{}))
	if !strings.Contains(twice, "already using ip 10.6.0.9") || len(c.sim.Members(pool)) != 1 {
		t.Errorf("a member that is there twice: %s", twice)
	}
}

func TestLoadBalancersThatDoNotCome(t *testing.T) {
	c := start(t)
	_, subnet, _ := c.network()
	c.sim.FailLoadBalancers(true)
	id := c.balancer(subnet)["id"].(string)
	c.advance(5 * time.Second)
	if got := c.balancerStatus(id); got != "ERROR" {
		t.Errorf("status: %s, want ERROR", got)
	}
	c.want(http.StatusNoContent, "DELETE", octaviaURL+"/loadbalancers/"+id+"?cascade=true", nil, "")
	c.advance(5 * time.Second)
	c.same("status after a deletion that failed", c.balancerStatus(id), "ERROR")
	c.sim.SetQuota("loadbalancer", 1)
	c.refused(http.StatusForbidden, "Quota has been met for resources: Load Balancer", "POST", octaviaURL+"/loadbalancers",
		body{"loadbalancer": body{"vip_subnet_id": subnet}})
	c.sim.SetQuota("loadbalancer", -1)
	before := len(c.sim.Ports(""))
	c.refused(http.StatusBadRequest, "Pools must be named", "POST", octaviaURL+"/loadbalancers", body{"loadbalancer": body{"vip_subnet_id": subnet,
		"listeners": []body{{"protocol": "TCP", "protocol_port": 1, "default_pool": body{"protocol": "TCP"}}}}})
	if got := len(c.sim.Ports("")); got != before {
		t.Errorf("ports: %d, want %d: a refused tree leaves nothing", got, before)
	}
}

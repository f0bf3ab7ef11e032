package openstacksim

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// http makes a load balancer with an HTTP listener and a pool, all ACTIVE.
func (c *client) httpBalancer() (lb, listener, pool string) {
	c.t.Helper()
	_, subnet, _ := c.network()
	made := c.want(http.StatusCreated, "POST", octaviaURL+"/loadbalancers", body{"loadbalancer": body{"name": "web", "vip_subnet_id": subnet,
		"listeners": []body{{"name": "l", "protocol": "HTTP", "protocol_port": 80, "l7policies": []body{{"name": "static", "action": "REDIRECT_TO_POOL",
			"redirect_pool": body{"name": "static", "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN"},
			"rules":         []body{{"type": "PATH", "compare_type": "STARTS_WITH", "value": "/static"}}}}}},
		"pools": []body{{"name": "p", "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN"}}}}, "loadbalancer")
	c.advance(5 * time.Second)
	return made["id"].(string), c.sim.Listeners("l")[0].ID, c.sim.Pools("p")[0].ID
}

func TestL7Policies(t *testing.T) {
	c := start(t)
	lb, listener, pool := c.httpBalancer()
	policies := octaviaURL + "/l7policies"
	static := c.sim.L7Policies("static")[0]
	c.same("policy of the tree", []any{static.Position, static.RedirectPoolID != nil, len(c.sim.L7Rules(static.ID))}, "[1 true 1]")
	first := c.want(http.StatusCreated, "POST", policies, body{"l7policy": body{"name": "first", "listener_id": listener, "position": 1,
		"action": "REDIRECT_TO_URL", "redirect_url": "https://a.example"}}, "l7policy")
	if first["redirect_http_code"].(float64) != 302 || first["provisioning_status"] != "PENDING_CREATE" {
		t.Errorf("policy: %v", first)
	}
	c.refused(http.StatusConflict, "immutable", "PUT", policies+"/"+static.ID, body{"l7policy": body{"name": "x"}})
	c.advance(5 * time.Second)
	c.same("position of the older one", c.sim.L7Policies("static")[0].Position, 2)
	rules := policies + "/" + first["id"].(string) + "/rules"
	rule := c.want(http.StatusCreated, "POST", rules, body{"rule": body{"type": "HEADER", "compare_type": "EQUAL_TO", "key": "X-A", "value": "b"}}, "rule")
	if _, named := rule["name"]; named {
		t.Errorf("a rule has no name: %v", rule)
	}
	c.advance(5 * time.Second)
	c.want(http.StatusOK, "PUT", rules+"/"+rule["id"].(string), body{"rule": body{"value": "c", "invert": true}}, "rule")
	c.advance(5 * time.Second)
	got := c.list(rules, "rules")
	c.same("rules", []any{len(got), got[0]["value"], got[0]["key"]}, "[1 c X-A]")
	if got := c.send("GET", octaviaURL+"/loadbalancers/"+lb+"/status", nil).text; !strings.Contains(got, `"name":"static"`) {
		t.Errorf("a pool that a policy redirects to is in the tree: %s", got)
	}
	target := *static.RedirectPoolID
	c.refused(http.StatusConflict, "is in use by L7 policy", "DELETE", octaviaURL+"/pools/"+target, nil)
	c.want(http.StatusOK, "PUT", policies+"/"+static.ID, body{"l7policy": body{"redirect_pool_id": pool}}, "l7policy")
	c.advance(5 * time.Second)
	c.want(http.StatusNoContent, "DELETE", octaviaURL+"/pools/"+target, nil, "")
	c.advance(5 * time.Second)
	c.want(http.StatusNoContent, "DELETE", policies+"/"+first["id"].(string), nil, "")
	c.advance(5 * time.Second)
	if got := c.sim.L7Policies(""); len(got) != 1 || got[0].Position != 1 {
		t.Errorf("policies: %+v, want static alone in the first place", got)
	}
	c.want(http.StatusNoContent, "DELETE", octaviaURL+"/loadbalancers/"+lb+"?cascade=true", nil, "")
	c.advance(5 * time.Second)
	c.same("policies and rules after their load balancer", len(c.sim.L7Policies(""))+len(c.sim.L7Rules(static.ID)), 0)
}

func TestL7ThatIsRefused(t *testing.T) {
	c := start(t)
	_, listener, pool := c.httpBalancer()
	policies := octaviaURL + "/l7policies"
	rules := policies + "/" + c.sim.L7Policies("")[0].ID + "/rules"
	for _, tc := range []struct {
		why, says, path string
		in              body
	}{
		{"a redirect needs a URL", "redirect_url must not be None", policies, body{"action": "REDIRECT_TO_URL"}},
		{"a redirect needs a pool", "redirect_pool must not be None", policies, body{"action": "REDIRECT_TO_POOL"}},
		{"a pool or a URL", "at the same time", policies, body{"action": "REDIRECT_TO_POOL", "redirect_pool_id": pool, "redirect_url": "http://a"}},
		{"an unknown action", "field/attribute action", policies, body{"action": "x"}},
		{"a header has a name", "requires a key", rules, body{"type": "HEADER", "compare_type": "EQUAL_TO", "value": "x"}},
		{"a file type has no beginning", "invalid comparison type", rules, body{"type": "FILE_TYPE", "compare_type": "STARTS_WITH", "value": "x"}},
		{"an expression that is none", "regular expression", rules, body{"type": "PATH", "compare_type": "REGEX", "value": "("}},
	} {
		t.Run(tc.why, func(*testing.T) {
			one := "rule"
			if tc.path == policies {
				one, tc.in["listener_id"] = "l7policy", listener
			}
			c.refused(http.StatusBadRequest, tc.says, "POST", octaviaURL+strings.TrimPrefix(tc.path, octaviaURL), body{one: tc.in})
		})
	}
	if got := len(c.sim.L7Policies("")); got != 1 {
		t.Errorf("policies: %d, want 1: what is refused leaves nothing", got)
	}
}

func TestQuotasOfLoadBalancing(t *testing.T) {
	c := start(t)
	lb, listener, pool := c.httpBalancer()
	quotas := octaviaURL + "/quotas/" + c.sim.ProjectID(Project)
	zero := body{}
	for kind := range balancedQuotas {
		zero[kind] = 1
	}
	zero["l7rule"], zero["member"], zero["healthmonitor"], zero["pool"] = 0, 0, 0, 2
	if got := c.want(http.StatusAccepted, "PUT", quotas, body{"quota": zero}, "quota"); got["load_balancer"].(float64) != 1 {
		t.Errorf("quota: %v", got)
	}
	for _, tc := range []struct {
		resource, path, one string
		in                  body
	}{
		{"Load Balancer", "/loadbalancers", "loadbalancer", body{"vip_subnet_id": c.sim.Subnets("s")[0].ID}},
		{"Listener", "/listeners", "listener", body{"loadbalancer_id": lb, "protocol": "TCP", "protocol_port": 81}},
		{"Pool", "/pools", "pool", body{"loadbalancer_id": lb, "protocol": "TCP", "lb_algorithm": "SOURCE_IP"}},
		{"Member", "/pools/" + pool + "/members", "member", body{"address": "10.6.0.9", "protocol_port": 1}},
		{"Health Monitor", "/healthmonitors", "healthmonitor", body{"pool_id": pool, "type": "TCP", "delay": 5, "timeout": 5, "max_retries": 3}},
		{"L7 Policy", "/l7policies", "l7policy", body{"listener_id": listener, "action": "REJECT"}},
		{"L7 Rule", "/l7policies/" + c.sim.L7Policies("")[0].ID + "/rules", "rule", body{"type": "PATH", "compare_type": "EQUAL_TO", "value": "/"}},
	} {
		t.Run(tc.resource, func(*testing.T) {
			c.refused(http.StatusForbidden, "Quota has been met for resources: "+tc.resource, "POST", octaviaURL+tc.path, body{tc.one: tc.in})
		})
	}
	c.refused(http.StatusBadRequest, "Unknown attribute", "PUT", quotas, body{"quota": body{"x": 1}})
	c.refused(http.StatusForbidden, "Policy does not allow", "GET", octaviaURL+"/quotas/other", nil)
	c.want(http.StatusAccepted, "DELETE", quotas, nil, "")
	if got := c.want(http.StatusOK, "GET", quotas, nil, "quota"); got["pool"].(float64) != -1 {
		t.Errorf("quota after the reset: %v", got)
	}
}

func TestTLSListeners(t *testing.T) {
	c := start(t)
	lb, _, pool := c.httpBalancer()
	ref := c.secret("cert", "PKCS12")
	tls := func(more body) body {
		in := body{"name": "tls", "loadbalancer_id": lb, "protocol": "TERMINATED_HTTPS", "protocol_port": 443, "default_tls_container_ref": ref}
		for key, value := range more {
			in[key] = value
		}
		return body{"listener": in}
	}
	for _, tc := range []struct {
		why, says string
		more      body
	}{
		{"TLS needs a certificate", "must be provided for TERMINATED_HTTPS", body{"default_tls_container_ref": nil}},
		{"a certificate that is not there", "Could not retrieve certificate: ['" + ref + "x']", body{"default_tls_container_ref": ref + "x"}},
		{"an SNI certificate that is not there", "Could not retrieve certificate", body{"sni_container_refs": []string{"x"}}},
		{"no certificate without TLS", "not allowed on HTTP protocol listeners", body{"protocol": "HTTP"}},
		{"no TLS over UDP", "UDP protocol listener does not support TLS", body{"protocol": "UDP"}},
		{"clients that are checked need a CA", "requires a client CA", body{"client_authentication": "MANDATORY"}},
		{"an unknown ALPN protocol", "Invalid ALPN protocol: spdy", body{"alpn_protocols": []string{"spdy"}}},
		{"an unknown header", "is not a valid option for insert_headers", body{"insert_headers": body{"X-A": "true"}}},
		{"a pool whose protocol does not fit", "pool protocol 'HTTP' is invalid", body{"protocol": "HTTPS", "default_tls_container_ref": nil, "default_pool_id": pool}},
		{"a timeout of months", "timeout", body{"timeout_client_data": 1 << 40}},
	} {
		t.Run(tc.why, func(*testing.T) {
			c.refused(http.StatusBadRequest, tc.says, "POST", octaviaURL+"/listeners", tls(tc.more))
		})
	}
	got := c.want(http.StatusCreated, "POST", octaviaURL+"/listeners", tls(body{"sni_container_refs": []string{ref}, "alpn_protocols": []string{"h2"},
		"insert_headers": body{"X-SSL-Client-CN": "true"}, "timeout_client_data": 1000, "default_pool_id": pool}), "listener")
	if got["tls_versions"].([]any)[0] != "TLSv1.2" || got["alpn_protocols"].([]any)[0] != "h2" || got["timeout_client_data"].(float64) != 1000 {
		t.Errorf("listener: %v", got)
	}
	c.advance(5 * time.Second)
	c.refused(http.StatusConflict, "already using protocol HTTP and protocol_port 80", "POST", octaviaURL+"/listeners", tls(body{"protocol_port": 80}))
}

func TestMoreThanOneVIP(t *testing.T) {
	c := start(t)
	network, subnet, _ := c.network()
	second := c.create("subnet", body{"network_id": network, "ip_version": 6, "cidr": "2001:db8::/64", "name": "six"})
	other := c.create("subnet", body{"network_id": c.create("network", body{"name": "o"}), "ip_version": 4, "cidr": "10.7.0.0/24"})
	balancer := func(more ...body) body {
		return body{"loadbalancer": body{"vip_subnet_id": subnet, "additional_vips": more}}
	}
	c.refused(http.StatusBadRequest, "Duplicate VIP subnet", "POST", octaviaURL+"/loadbalancers", balancer(body{"subnet_id": subnet}))
	c.refused(http.StatusBadRequest, "same network", "POST", octaviaURL+"/loadbalancers", balancer(body{"subnet_id": other}))
	lb := c.want(http.StatusCreated, "POST", octaviaURL+"/loadbalancers", balancer(body{"subnet_id": second}), "loadbalancer")
	vip := lb["additional_vips"].([]any)[0].(body)
	if !strings.HasPrefix(vip["ip_address"].(string), "2001:db8::") || vip["subnet_id"] != second {
		t.Errorf("second VIP: %v", vip)
	}
	c.advance(5 * time.Second)
	c.want(http.StatusAccepted, "PUT", octaviaURL+"/loadbalancers/"+lb["id"].(string)+"/failover", nil, "")
	c.refused(http.StatusConflict, "immutable", "PUT", octaviaURL+"/loadbalancers/"+lb["id"].(string)+"/failover", nil)
	for path, want := range map[string]string{"/loadbalancers/" + lb["id"].(string) + "/stats": "total_connections", "/flavors": "small",
		"/availabilityzones": "az1", "/providers": "amphora"} {
		if got := c.send("GET", octaviaURL+path, nil); got.status != http.StatusOK || !strings.Contains(got.text, want) {
			t.Errorf("%s: %d %s, want %s", path, got.status, got.text, want)
		}
	}
}

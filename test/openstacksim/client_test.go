package openstacksim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// client is the least that can talk to the cloud: no library stands between a
// test and the JSON on the wire.
type client struct {
	t     *testing.T
	sim   *Cloud
	url   string
	token string
	minor int
}

// body is a JSON object.
type body = map[string]any

func start(t *testing.T, opts ...Option) *client {
	t.Helper()
	sim := New(opts...)
	c := &client{t: t, sim: sim, url: sim.Start(t), minor: 79}
	c.login(Project, User, Password)
	return c
}

// login gets a token for a project.
func (c *client) login(project, user, password string) {
	c.t.Helper()
	domain := body{"name": Domain}
	resp := c.send("POST", "/identity/v3/auth/tokens", body{"auth": body{
		"identity": body{"methods": []string{"password"}, "password": body{"user": body{"name": user, "password": password, "domain": domain}}},
		"scope":    body{"project": body{"name": project, "domain": domain}},
	}})
	if resp.status != http.StatusCreated {
		c.t.Fatalf("login as %s in %s: %d %s", user, project, resp.status, resp.text)
	}
	c.token = resp.header.Get("X-Subject-Token")
}

type response struct {
	status int
	header http.Header
	text   string
	body   body
}

// send makes a request; a connection that was cut has the status 0.
func (c *client) send(method, path string, in any) response {
	c.t.Helper()
	var reader io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			c.t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	url := path
	if !strings.HasPrefix(path, "http") {
		url = c.url + path
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, url, reader)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", c.token)
	if strings.Contains(url, "/compute/") {
		req.Header.Set("OpenStack-API-Version", fmt.Sprintf("compute 2.%d", c.minor))
	}
	return c.do(req)
}

// do makes a request that send cannot.
func (c *client) do(req *http.Request) response {
	c.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return response{}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	r := response{status: resp.StatusCode, header: resp.Header, text: string(raw)}
	_ = json.Unmarshal(raw, &r.body)
	return r
}

// want makes a request, checks its status and returns the object under key, or
// the whole body if key is empty.
func (c *client) want(status int, method, path string, in any, key string) body {
	c.t.Helper()
	r := c.send(method, path, in)
	if r.status != status {
		c.t.Fatalf("%s %s: %d, want %d: %s", method, path, r.status, status, r.text)
	}
	if key == "" {
		return r.body
	}
	inner, _ := r.body[key].(map[string]any)
	return inner
}

// refused makes a request and checks status and a part of the error's text.
func (c *client) refused(status int, contains, method, path string, in any) {
	c.t.Helper()
	r := c.send(method, path, in)
	if r.status != status || !strings.Contains(r.text, contains) {
		c.t.Errorf("%s %s: %d %s, want %d with %q", method, path, r.status, r.text, status, contains)
	}
}

const (
	neutronURL = "/networking/v2.0"
	novaURL    = "/compute/v2.1"
)

// create makes a resource of Neutron and returns its ID.
func (c *client) create(one string, attributes body) string {
	c.t.Helper()
	path := map[string]string{"security_group": "security-groups", "security_group_rule": "security-group-rules"}[one]
	if path == "" {
		path = one + "s"
	}
	return c.want(http.StatusCreated, "POST", neutronURL+"/"+path, body{one: attributes}, one)["id"].(string)
}

// same compares two values by how they print.
func (c *client) same(what string, got, want any) {
	c.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		c.t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// list follows the pages of a list to its end.
func (c *client) list(path, many string) []body {
	c.t.Helper()
	var all []body
	for next := path; next != ""; {
		r := c.send("GET", next, nil)
		if r.status != http.StatusOK {
			c.t.Fatalf("GET %s: %d %s", next, r.status, r.text)
		}
		for _, item := range r.body[many].([]any) {
			all = append(all, item.(map[string]any))
		}
		next = ""
		links, _ := r.body[many+"_links"].([]any)
		for _, l := range links {
			if link := l.(map[string]any); link["rel"] == "next" {
				next = link["href"].(string)
			}
		}
	}
	return all
}

// network makes a network with a subnet that a router joins with the outside.
func (c *client) network() (network, subnet, router string) {
	c.t.Helper()
	network = c.create("network", body{"name": "n"})
	subnet = c.create("subnet", body{"network_id": network, "ip_version": 4, "cidr": "10.6.0.0/24", "name": "s"})
	router = c.create("router", body{"name": "r", "external_gateway_info": body{"network_id": c.sim.Networks("public")[0].ID}})
	c.want(http.StatusOK, "PUT", neutronURL+"/routers/"+router+"/add_router_interface", body{"subnet_id": subnet}, "")
	return network, subnet, router
}

// server creates a server with one port.
func (c *client) server(name, port string) string {
	c.t.Helper()
	return c.want(http.StatusAccepted, "POST", novaURL+"/servers", body{"server": body{
		"name": name, "flavorRef": "1", "imageRef": c.sim.Images("node")[0].ID, "networks": []body{{"port": port}}, "tags": []string{"cx", name},
	}}, "server")["id"].(string)
}

func (c *client) status(server string) string {
	c.t.Helper()
	return c.want(http.StatusOK, "GET", novaURL+"/servers/"+server, nil, "server")["status"].(string)
}

func (c *client) advance(d time.Duration) { c.sim.Clock.Advance(d) }

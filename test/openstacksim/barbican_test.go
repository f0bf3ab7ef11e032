package openstacksim

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const barbicanURL = "/key-manager/v1"

// secret stores a text in Barbican and returns its reference.
func (c *client) secret(name, payload string) string {
	c.t.Helper()
	r := c.want(http.StatusCreated, "POST", barbicanURL+"/secrets", body{"name": name, "payload": payload, "payload_content_type": "text/plain"}, "")
	return r["secret_ref"].(string)
}

func TestSecrets(t *testing.T) {
	c := start(t)
	ref := c.secret("s", "hidden")
	if got := c.send("GET", ref+"/payload", nil); got.text != "hidden" || got.header.Get("Content-Type") != "text/plain" {
		t.Errorf("payload: %s %v", got.text, got.header)
	}
	if got := c.want(http.StatusOK, "GET", ref, nil, ""); got["secret_type"] != "opaque" || got["secret_ref"] != ref ||
		got["content_types"].(body)["default"] != "text/plain" {
		t.Errorf("secret: %v", got)
	}
	octets := c.want(http.StatusCreated, "POST", barbicanURL+"/secrets/", body{"name": "o", "payload": "AAEC", "secret_type": "certificate",
		"payload_content_type": "application/octet-stream", "payload_content_encoding": "base64"}, "")["secret_ref"].(string)
	if got := c.send("GET", octets+"/payload", nil); got.text != "\x00\x01\x02" {
		t.Errorf("octets: %q", got.text)
	}
	short := c.want(http.StatusCreated, "POST", barbicanURL+"/secrets", body{"name": "short",
		"expiration": c.sim.Clock.Now().Add(time.Minute).UTC().Format(time.RFC3339)}, "")["secret_ref"].(string)
	c.refused(http.StatusNotFound, "no payload", "GET", short+"/payload", nil)
	c.advance(2 * time.Minute)
	c.refused(http.StatusNotFound, "Secret not found.", "GET", short, nil)
	c.sim.DeleteSecret(short[strings.LastIndex(short, "/")+1:]) // the expired one is not to be seen
	c.want(http.StatusNoContent, "DELETE", octets, nil, "")
	c.want(http.StatusNoContent, "DELETE", ref, nil, "")
	c.sim.WantNothingLeft(t)
}

func TestSecretsInPages(t *testing.T) {
	c := start(t)
	for i := range 5 {
		c.secret("n"+text(&i), "hidden")
	}
	first := c.want(http.StatusOK, "GET", barbicanURL+"/secrets", nil, "")
	if n := len(first["secrets"].([]any)); n != 3 || first["total"].(float64) != 5 || first["previous"] != nil {
		t.Errorf("first page: %d of %v", n, first["total"])
	}
	if n := len(c.want(http.StatusOK, "GET", first["next"].(string), nil, "")["secrets"].([]any)); n != 2 {
		t.Errorf("second page: %d, want 2", n)
	}
	if n := len(c.want(http.StatusOK, "GET", barbicanURL+"/secrets?name=n1", nil, "")["secrets"].([]any)); n != 1 {
		t.Errorf("by name: %d, want 1", n)
	}
}

func TestSecretsThatAreRefused(t *testing.T) {
	c := start(t)
	for _, tc := range []struct {
		why, says string
		in        body
	}{
		{"a payload needs its type", "payload_content_type' must also be supplied", body{"payload": "x"}},
		{"a type needs a payload", "payload must be provided", body{"payload_content_type": "text/plain"}},
		{"octets come in base64", "payload_content_encoding must be specified", body{"payload": "x", "payload_content_type": "application/octet-stream"}},
		{"an expiration in the past", "before current time", body{"expiration": "2020-01-01T00:00:00Z"}},
		{"an unknown type", "is not one of", body{"secret_type": "x"}},
	} {
		t.Run(tc.why, func(*testing.T) { c.refused(http.StatusBadRequest, tc.says, "POST", barbicanURL+"/secrets", tc.in) })
	}
	c.sim.WantNothingLeft(t)
}

func TestContainersAndTheirConsumers(t *testing.T) {
	c := start(t)
	cert, key := c.secret("cert", "-----"), c.secret("key", "-----")
	containers := barbicanURL + "/containers"
	ref := c.want(http.StatusCreated, "POST", containers, body{"name": "tls", "type": "certificate", "secret_refs": []body{
		{"name": "certificate", "secret_ref": cert}, {"name": "private_key", "secret_ref": key}}}, "")["container_ref"].(string)
	c.refused(http.StatusBadRequest, "minimum required", "POST", containers, body{"type": "certificate"})
	c.refused(http.StatusNotFound, "doesn't exist", "POST", containers, body{"type": "generic", "secret_refs": []body{{"name": "x", "secret_ref": cert + "x"}}})
	who := body{"name": "lb", "URL": "http://lb"}
	c.want(http.StatusOK, "POST", ref+"/consumers", who, "")
	if got := c.want(http.StatusOK, "POST", ref+"/consumers", who, "")["consumers"].([]any); len(got) != 1 {
		t.Errorf("consumers: %v, want one although it came twice", got)
	}
	if got := c.want(http.StatusOK, "GET", ref+"/consumers", nil, ""); got["total"].(float64) != 1 {
		t.Errorf("consumers: %v", got)
	}
	c.want(http.StatusOK, "DELETE", ref+"/consumers", who, "")
	c.refused(http.StatusNotFound, "Consumer not found", "DELETE", ref+"/consumers", who)
	if got := c.want(http.StatusOK, "GET", ref, nil, ""); len(got["secret_refs"].([]any)) != 2 {
		t.Errorf("container: %v", got)
	}
	c.want(http.StatusNoContent, "DELETE", ref, nil, "")
	c.want(http.StatusNoContent, "DELETE", cert, nil, "")
	c.want(http.StatusNoContent, "DELETE", key, nil, "")
	c.sim.WantNothingLeft(t)
}

func TestWhoMayReadASecret(t *testing.T) {
	c := start(t)
	ref := c.secret("s", "hidden")
	read := func() body { return c.want(http.StatusOK, "GET", ref+"/acl", nil, "")["read"].(body) }
	if got := read(); got["project-access"] != true || got["users"] != nil {
		t.Errorf("at first: %v, want the project", got)
	}
	c.refused(http.StatusBadRequest, "'read' is a required property", "PUT", ref+"/acl", body{"write": body{}})
	c.want(http.StatusOK, "PUT", ref+"/acl", body{"read": body{"users": []string{"u1"}, "project-access": false}}, "")
	if got := read(); got["project-access"] != false || len(got["users"].([]any)) != 1 {
		t.Errorf("afterwards: %v, want u1 alone", got)
	}
	c.want(http.StatusOK, "DELETE", ref+"/acl", nil, "")
	if got := read(); got["project-access"] != true {
		t.Errorf("in the end: %v, want the project", got)
	}
	c.want(http.StatusCreated, "PUT", ref+"/metadata", body{"metadata": body{"mark": "cx"}}, "")
	if got := c.want(http.StatusOK, "GET", ref+"/metadata", nil, "metadata"); got["mark"] != "cx" {
		t.Errorf("metadata: %v", got)
	}
}

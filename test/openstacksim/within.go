package openstacksim

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// caller is who sends a request from one service to another.
type caller struct {
	user    *user
	project string
}

// within carries a request of one service to another out, under the lock and
// past faults and the journal, which are about the code under test. What is
// "GET /networks/{id}": a part in braces stands for the ID. The answer is what the wire would carry.
func (c *Cloud) within(who caller, s *service, what, id string, in any) (map[string]any, error) {
	h, ok := c.handlers[s.name+" "+what]
	if !ok {
		return nil, refuse(http.StatusNotImplemented, "", "openstacksim has no %s in %s", what, s.name)
	}
	method, path, _ := strings.Cut(what, " ")
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	r := &http.Request{Method: method, URL: &url.URL{Path: s.base + path}, Header: http.Header{}}
	r.Header.Set("OpenStack-API-Version", "compute 2.79")
	if _, rest, ok := strings.Cut(path, "{"); ok {
		name, _, _ := strings.Cut(rest, "}")
		r.SetPathValue(name, id)
	}
	q := &request{Request: r, raw: raw, query: url.Values{}, token: &token{user: who.user, project: who.project}, project: who.project, header: http.Header{}}
	if s.prepare != nil {
		if err := s.prepare(q); err != nil {
			return nil, err
		}
	}
	answer, err := h(q)
	if err != nil {
		return nil, err
	}
	if special, ok := answer.(reply); ok {
		answer = special.body
	}
	return asJSON(answer)
}

// asJSON is what a client reads of a body; no body is an empty object.
func asJSON(body any) (map[string]any, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	read := map[string]any{}
	err = json.Unmarshal(raw, &read)
	return read, err
}

// object is the object in a body, empty if there is none.
func object(body map[string]any, key string) map[string]any {
	inner, _ := body[key].(map[string]any)
	return maps.Clone(inner)
}

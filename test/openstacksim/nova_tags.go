package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
)

// maxTags is nova/objects/instance.py, MAX_TAG_COUNT.
const maxTags = 50

func (c *Cloud) tagRoutes() {
	on := func(method, path string, h handler) { c.on(c.compute.service, method, path, taggedOnly(h)) }
	on("GET", "/servers/{id}/tags", c.listServerTags)
	on("PUT", "/servers/{id}/tags", c.setServerTags)
	on("DELETE", "/servers/{id}/tags", c.clearServerTags)
	on("GET", "/servers/{id}/tags/{tag}", c.hasServerTag)
	on("PUT", "/servers/{id}/tags/{tag}", c.addServerTag)
	on("DELETE", "/servers/{id}/tags/{tag}", c.dropServerTag)
}

// taggedOnly keeps a request to the microversions with tags, since 2.26: before,
// there is nothing at its URL (nova/api/openstack/wsgi.py, VersionNotFoundForAPIMethod).
func taggedOnly(h handler) handler {
	return func(q *request) (any, error) {
		if q.minor < 26 {
			return nil, refuse(http.StatusNotFound, "", "The resource could not be found.")
		}
		return h(q)
	}
}

// taggable is the server if its tags may be changed
// (nova/api/openstack/compute/server_tags.py, _check_instance_in_valid_state).
func (c *Cloud) taggable(q *request, action string) (*Server, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	if state := s.vmState(); !slices.Contains([]string{"active", "paused", "suspended", "stopped"}, state) {
		return nil, refuse(http.StatusConflict, "", "Cannot '%s' instance %s while it is in vm_state %s", action, s.ID, state)
	}
	return s, nil
}

func (c *Cloud) listServerTags(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	return wrap("tags", append([]string{}, s.Tags...)), nil
}

func (c *Cloud) hasServerTag(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.Tags, q.id("tag")) {
		return nil, refuse(http.StatusNotFound, "", "Server %s has no tag '%s'", s.ID, q.id("tag"))
	}
	return reply{status: http.StatusNoContent}, nil
}

// setServerTags is server_tags.py, update_all: a set, without what came twice.
func (c *Cloud) setServerTags(q *request) (any, error) {
	s, err := c.taggable(q, "update tags")
	if err != nil {
		return nil, err
	}
	var body struct {
		Tags []string `json:"tags"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil || body.Tags == nil {
		return nil, badServer("Invalid input for field/attribute tags. 'tags' is a required property")
	}
	if err := checkTags(body.Tags); err != nil {
		return nil, err
	}
	s.Tags = slices.Compact(slices.Sorted(slices.Values(body.Tags)))
	return wrap("tags", append([]string{}, s.Tags...)), nil
}

// addServerTag is server_tags.py, update: a 201 for a new tag, a 204 for one
// that is there.
func (c *Cloud) addServerTag(q *request) (any, error) {
	s, err := c.taggable(q, "update tag")
	if err != nil {
		return nil, err
	}
	tag := q.id("tag")
	if checkTags([]string{tag}) != nil {
		return nil, badServer("Tag '%s' is invalid. It must be a non empty string without characters '/' and ','. "+
			"Validation error message: '%s' does not match", tag, tag)
	}
	if len(s.Tags) >= maxTags {
		return nil, badServer("The number of tags exceeded the per-server limit %d", maxTags)
	}
	if slices.Contains(s.Tags, tag) {
		return reply{status: http.StatusNoContent}, nil
	}
	s.Tags = append(slices.Clone(s.Tags), tag)
	q.header.Set("Location", c.url+q.URL.Path)
	return reply{status: http.StatusCreated}, nil
}

func (c *Cloud) dropServerTag(q *request) (any, error) {
	s, err := c.taggable(q, "delete tag")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.Tags, q.id("tag")) {
		return nil, refuse(http.StatusNotFound, "", "Instance %s has no tag '%s'", s.ID, q.id("tag"))
	}
	s.Tags = slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { return tag == q.id("tag") })
	return nil, nil
}

func (c *Cloud) clearServerTags(q *request) (any, error) {
	s, err := c.taggable(q, "delete tags")
	if err == nil {
		s.Tags = nil
	}
	return nil, err
}

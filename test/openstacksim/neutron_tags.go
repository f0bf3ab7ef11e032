package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
)

func (k *neutronTable[T, R]) tags(q *request) (any, error) {
	r, err := k.find(q)
	if err != nil {
		return nil, err
	}
	return wrap("tags", r.std().Tags), nil
}

// retag is neutron/extensions/tagging.py: a set of at most 50 strings.
func (k *neutronTable[T, R]) retag(q *request, tags func(old []string) []string) error {
	r, err := k.mine(q)
	if err != nil {
		return err
	}
	set := slices.Compact(slices.Sorted(slices.Values(tags(r.std().Tags))))
	if len(set) > 50 {
		return refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input for tags: the number of tags exceeds 50")
	}
	r.std().Tags = append([]string{}, set...)
	k.cloud.touch(r)
	return nil
}

func (k *neutronTable[T, R]) setTags(q *request) (any, error) {
	var body struct {
		Tags []string `json:"tags"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil || body.Tags == nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid tags body")
	}
	// neutron_lib/api/validators, validate_list_of_unique_strings
	for i, tag := range body.Tags {
		if slices.Contains(body.Tags[:i], tag) {
			return nil, refuse(http.StatusBadRequest, "InvalidInput", "Invalid input for operation: Duplicate items in the list: '%s'.", tag)
		}
	}
	if err := k.retag(q, func([]string) []string { return body.Tags }); err != nil {
		return nil, err
	}
	return wrap("tags", body.Tags), nil
}

func (k *neutronTable[T, R]) clearTags(q *request) (any, error) {
	return nil, k.retag(q, func([]string) []string { return nil })
}

func (k *neutronTable[T, R]) addTag(q *request) (any, error) {
	return reply{status: http.StatusCreated}, k.retag(q, func(old []string) []string {
		return append(slices.Clone(old), q.id("tag"))
	})
}

func (k *neutronTable[T, R]) hasTag(q *request) (any, error) {
	r, err := k.find(q)
	if err != nil || slices.Contains(r.std().Tags, q.id("tag")) {
		return reply{status: http.StatusNoContent}, err
	}
	return nil, refuse(http.StatusNotFound, "TagNotFound", "Tag %s could not be found.", q.id("tag"))
}

func (k *neutronTable[T, R]) dropTag(q *request) (any, error) {
	if _, err := k.hasTag(q); err != nil {
		return nil, err
	}
	return nil, k.retag(q, func(old []string) []string {
		return slices.DeleteFunc(slices.Clone(old), func(tag string) bool { return tag == q.id("tag") })
	})
}

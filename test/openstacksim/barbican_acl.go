package openstacksim

import (
	"encoding/json"
	"net/http"
)

// ACL tells who may read a secret: the users, and the project unless it is shut out.
type ACL struct {
	Users   []string `json:"users"`
	Project *bool    `json:"project-access,omitempty"`
}

// showSecretACL is barbican/api/controllers/acls.py, SecretACLsController.on_get.
func (c *Cloud) showSecretACL(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	shown := map[string]any{"project-access": true}
	if s.Readers != nil {
		at := s.Created.UTC().Format(barbicanTime)
		shown = map[string]any{"users": s.Readers.Users, "project-access": s.Readers.Project == nil || *s.Readers.Project, "created": at, "updated": at}
	}
	return wrap("read", shown), nil
}

// setSecretACL is acls.py, on_put: the whole list.
func (c *Cloud) setSecretACL(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	var body struct {
		Read *ACL `json:"read"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil || body.Read == nil {
		return nil, refuse(http.StatusBadRequest, "", "Provided object does not match schema 'ACL': 'read' is a required property")
	}
	if body.Read.Users == nil {
		body.Read.Users = []string{}
	}
	s.Readers = body.Read
	return reply{status: http.StatusOK, body: wrap("acl_ref", c.ref("secrets", s.ID)+"/acl")}, nil
}

func (c *Cloud) clearSecretACL(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	s.Readers = nil
	return reply{status: http.StatusOK}, nil
}

// showSecretMetadata is barbican/api/controllers/secretmeta.py, on_get.
func (c *Cloud) showSecretMetadata(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	if s.Metadata == nil {
		return wrap("metadata", map[string]string{}), nil
	}
	return wrap("metadata", s.Metadata), nil
}

func (c *Cloud) setSecretMetadata(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	var body struct {
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil || body.Metadata == nil {
		return nil, refuse(http.StatusBadRequest, "", "Provided object does not match schema 'SecretMetadata': 'metadata' is a required property")
	}
	s.Metadata = body.Metadata
	return reply{status: http.StatusCreated, body: wrap("metadata_ref", c.ref("secrets", s.ID)+"/metadata")}, nil
}

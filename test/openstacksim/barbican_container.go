package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Container is a Barbican container: secrets with names, and who uses them.
type Container struct {
	ID, Name, ProjectID, UserID string
	Type                        string // generic, rsa, certificate
	Secrets                     []ContainerSecret
	Consumers                   []Consumer
	Created                     time.Time
}

// ContainerSecret is a secret in a container.
type ContainerSecret struct {
	Name string `json:"name"`
	Ref  string `json:"secret_ref"`
}

// Consumer is somebody who has said to use a container, such as a load balancer.
type Consumer struct {
	Name string `json:"name"`
	URL  string `json:"URL"`
}

func (k *Container) ident() string { return k.ID }
func (k *Container) owner() string { return k.ProjectID }
func (k *Container) label() string { return k.Name }

// shown is barbican/model/models.py, Container._do_extra_dict_fields.
func (k *Container) shown(c *Cloud) any {
	created := k.Created.UTC().Format(barbicanTime)
	return map[string]any{"container_ref": c.ref("containers", k.ID), "name": orNil(k.Name), "type": k.Type, "secret_refs": k.Secrets,
		"consumers": k.Consumers, "creator_id": k.UserID, "status": "ACTIVE", "created": created, "updated": created}
}

// containerParts are the names that the types of containers have for their
// secrets (barbican/common/validators.py, ContainerValidator).
var containerParts = map[string][]string{
	"certificate": {"certificate", "private_key", "private_key_passphrase", "intermediates"},
	"rsa":         {"public_key", "private_key", "private_key_passphrase"},
}

var requiredParts = map[string][]string{"certificate": {"certificate"}, "rsa": {"public_key", "private_key"}}

func (c *Cloud) createContainer(q *request) (any, error) {
	var want struct {
		Name    string            `json:"name"`
		Type    string            `json:"type"`
		Secrets []ContainerSecret `json:"secret_refs"`
	}
	if err := json.Unmarshal(q.raw, &want); err != nil {
		return nil, refuse(http.StatusBadRequest, "", "Unable to parse request body: %v", err)
	}
	if err := checkContainer(want.Type, want.Secrets); err != nil {
		return nil, err
	}
	for _, s := range want.Secrets {
		if _, ok := c.keys.secrets.of(q.project, refID(s.Ref)); !ok {
			return nil, refuse(http.StatusNotFound, "", "Secret provided for '%s' doesn't exist.", s.Name)
		}
	}
	k := c.keys.containers.add(&Container{ID: c.newID("container"), Name: want.Name, ProjectID: q.project, UserID: q.token.user.id,
		Type: want.Type, Secrets: append([]ContainerSecret{}, want.Secrets...), Consumers: []Consumer{}, Created: c.at})
	return wrap("container_ref", c.ref("containers", k.ID)), nil
}

func checkContainer(kind string, secrets []ContainerSecret) error {
	bad := func(format string, args ...any) error {
		return refuse(http.StatusBadRequest, "", "Provided object does not match schema 'Container': "+format, args...)
	}
	parts, typed := containerParts[kind]
	if !typed && kind != "generic" {
		return bad("'%s' is not one of ['generic', 'rsa', 'certificate']", kind)
	}
	seen := map[string]bool{}
	for _, s := range secrets {
		if typed && !slices.Contains(parts, s.Name) {
			return bad("only %v reference names are allowed for %s type", parts, kind)
		}
		if seen[s.Ref] {
			return bad("Duplicate secret ids are not allowed")
		}
		seen[s.Ref] = true
	}
	for _, part := range requiredParts[kind] {
		if !slices.ContainsFunc(secrets, func(s ContainerSecret) bool { return s.Name == part }) {
			return bad("The minimum required reference names are %v for %s type", requiredParts[kind], kind)
		}
	}
	return nil
}

func (c *Cloud) containerOf(q *request) (*Container, error) {
	k, ok := c.keys.containers.of(q.project, q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Container not found.")
	}
	return k, nil
}

func (c *Cloud) showContainer(q *request) (any, error) {
	k, err := c.containerOf(q)
	if err != nil {
		return nil, err
	}
	return k.shown(c), nil
}

func (c *Cloud) listContainers(q *request) (any, error) {
	var rows []*Container
	for _, k := range c.keys.containers.listed() {
		if k.ProjectID == q.project && !c.hidden[k.ID] && (q.query.Get("name") == "" || q.query.Get("name") == k.Name) {
			rows = append(rows, k)
		}
	}
	return keyPage(c, q, "containers", rows, func(k *Container) any { return k.shown(c) }), nil
}

// deleteContainer leaves the secrets; consumers do not hinder it.
func (c *Cloud) deleteContainer(q *request) (any, error) {
	k, err := c.containerOf(q)
	if err == nil {
		c.keys.containers.drop(k.ID)
	}
	return nil, err
}

func (c *Cloud) listConsumers(q *request) (any, error) {
	k, err := c.containerOf(q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"consumers": k.Consumers, "total": len(k.Consumers)}, nil
}

func readConsumer(q *request) (Consumer, error) {
	var who Consumer
	if err := json.Unmarshal(q.raw, &who); err != nil || who.Name == "" || who.URL == "" {
		return who, refuse(http.StatusBadRequest, "", "Provided object does not match schema 'Consumer': 'name' and 'URL' are required properties")
	}
	return who, nil
}

// addConsumer is barbican/api/controllers/consumers.py, on_post: a 200 with the
// container; once more is fine.
func (c *Cloud) addConsumer(q *request) (any, error) {
	k, err := c.containerOf(q)
	if err != nil {
		return nil, err
	}
	who, err := readConsumer(q)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(k.Consumers, who) {
		k.Consumers = append(slices.Clone(k.Consumers), who)
	}
	return reply{status: http.StatusOK, body: k.shown(c)}, nil
}

func (c *Cloud) dropConsumer(q *request) (any, error) {
	k, err := c.containerOf(q)
	if err != nil {
		return nil, err
	}
	who, err := readConsumer(q)
	if err != nil {
		return nil, err
	}
	i := slices.Index(k.Consumers, who)
	if i < 0 {
		return nil, refuse(http.StatusNotFound, "", "Consumer not found.")
	}
	k.Consumers = slices.Delete(slices.Clone(k.Consumers), i, i+1)
	return reply{status: http.StatusOK, body: k.shown(c)}, nil
}

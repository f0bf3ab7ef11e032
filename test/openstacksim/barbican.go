package openstacksim

import (
	"net/http"
	"strconv"
	"strings"
)

// keys is Barbican with a secret store that keeps payloads as they are.
type keys struct {
	service    *service
	containers *table[Container, *Container]
	secrets    *table[Secret, *Secret]
}

func (c *Cloud) startKeys() {
	s := &service{name: "barbican", kind: "key-manager", root: "/key-manager", base: "/key-manager/v1", render: barbicanError, slash: true}
	c.keys = &keys{service: s}
	c.identity.catalog = append(c.identity.catalog, s)
	c.keys.containers = register[Container](c, "container")
	c.keys.secrets = register[Secret](c, "secret")

	// barbican/api/controllers/versions.py: 300 for the list
	c.document(s, s.root, http.StatusMultipleChoices, func() any {
		return wrap("versions", []any{map[string]any{"id": "v1", "status": "CURRENT", "min_version": "1.0", "max_version": "1.1",
			"links": []any{map[string]string{"rel": "self", "href": c.url + "/key-manager/v1/"}}}})
	})
	c.on(s, "GET", "/secrets", c.listSecrets)
	c.on(s, "POST", "/secrets", c.createSecret)
	c.on(s, "GET", "/secrets/{id}", c.showSecret)
	c.on(s, "PUT", "/secrets/{id}", c.storePayload)
	c.on(s, "GET", "/secrets/{id}/payload", c.showPayload)
	c.on(s, "DELETE", "/secrets/{id}", c.deleteSecret)
	c.on(s, "GET", "/secrets/{id}/metadata", c.showSecretMetadata)
	c.on(s, "PUT", "/secrets/{id}/metadata", c.setSecretMetadata)
	c.on(s, "GET", "/secrets/{id}/acl", c.showSecretACL)
	c.on(s, "PUT", "/secrets/{id}/acl", c.setSecretACL)
	c.on(s, "DELETE", "/secrets/{id}/acl", c.clearSecretACL)
	c.on(s, "GET", "/containers", c.listContainers)
	c.on(s, "POST", "/containers", c.createContainer)
	c.on(s, "GET", "/containers/{id}", c.showContainer)
	c.on(s, "DELETE", "/containers/{id}", c.deleteContainer)
	c.on(s, "GET", "/containers/{id}/consumers", c.listConsumers)
	c.on(s, "POST", "/containers/{id}/consumers", c.addConsumer)
	c.on(s, "DELETE", "/containers/{id}/consumers", c.dropConsumer)
}

// barbicanError is how pecan writes an abort (barbican/api/app.py; barbican/api/hooks.py).
func barbicanError(e *apiError) any {
	if e.status == http.StatusUnauthorized {
		return keystoneError(e)
	}
	return map[string]any{"code": e.status, "title": http.StatusText(e.status), "description": e.message}
}

// ref is how Barbican names a secret or a container: by its URL.
func (c *Cloud) ref(kind, id string) string { return c.url + "/key-manager/v1/" + kind + "/" + id }

// refID is the ID at the end of a reference.
func refID(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// keyPage cuts a list by offset and limit and says where its neighbours are
// (barbican/common/hrefs.py, add_nav_hrefs).
func keyPage[T any, R rowOf[T]](c *Cloud, q *request, kind string, rows []R, shown func(R) any) any {
	number := func(name string, usual int) int {
		if n, err := strconv.Atoi(q.query.Get(name)); err == nil && n >= 0 {
			return n
		}
		return usual
	}
	limit, offset := min(number("limit", c.pageSize), c.pageSize), number("offset", 0)
	body := map[string]any{"total": len(rows)}
	link := func(offset int) string {
		return c.ref(kind, "")[:len(c.ref(kind, ""))-1] + "?limit=" + strconv.Itoa(limit) + "&offset=" + strconv.Itoa(offset)
	}
	if offset > 0 {
		body["previous"] = link(max(0, offset-limit))
	}
	if offset+limit < len(rows) {
		body["next"] = link(offset + limit)
	}
	list := []any{}
	first := min(offset, len(rows))
	for _, r := range rows[first:min(first+limit, len(rows))] {
		list = append(list, shown(r))
	}
	body[kind] = list
	return body
}

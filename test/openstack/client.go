package openstack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// object is a resource as the APIs give it.
type object map[string]any

func (o object) id() string { return fmt.Sprint(o["id"]) }

// client speaks to the cloud's APIs as one user in one project. It is stdlib
// only: the cloud is seeded before anything of the project's own is trusted.
type client struct {
	http    http.Client
	token   string
	user    string // ID
	project string // ID
}

// login gets a token. The URL is Keystone's, without /v3.
func login(ctx context.Context, keystone, user, project, password string) (*client, error) {
	c := &client{http: http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{Proxy: nil}}}
	domain := object{"id": "default"}
	body := object{"auth": object{
		"identity": object{"methods": []string{"password"},
			"password": object{"user": object{"name": user, "domain": domain, "password": password}}},
		"scope": object{"project": object{"name": project, "domain": domain}},
	}}
	var answer struct {
		Token struct {
			User, Project struct{ ID string }
		}
	}
	header, err := c.send(ctx, http.MethodPost, keystone+"/v3/auth/tokens", body, &answer)
	if err != nil {
		return nil, fmt.Errorf("log in as %s: %w", user, err)
	}
	c.token = header.Get("X-Subject-Token")
	c.user, c.project = answer.Token.User.ID, answer.Token.Project.ID
	return c, nil
}

// do sends a request and reads a JSON answer into out, unless that is nil.
func (c *client) do(ctx context.Context, method, url string, body, out any) error {
	_, err := c.send(ctx, method, url, body, out)
	return err
}

func (c *client) send(ctx context.Context, method, url string, body, out any) (http.Header, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	c.setHeaders(request, "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode >= 300:
		return nil, fmt.Errorf("%s %s: %s: %.500s", method, url, response.Status, text)
	case out != nil:
		err = json.Unmarshal(text, out)
	}
	return response.Header, err
}

func (c *client) setHeaders(request *http.Request, contentType string) {
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("OpenStack-API-Version", "compute 2.81")
	if c.token != "" {
		request.Header.Set("X-Auth-Token", c.token)
	}
}

// kind is a collection of resources: its URL and its names in JSON.
type kind struct{ url, plural, single string }

// list reads a collection, filtered by the query.
func (c *client) list(ctx context.Context, k kind, query url.Values) ([]object, error) {
	answer := map[string]json.RawMessage{}
	if err := c.do(ctx, http.MethodGet, k.url+"?"+query.Encode(), nil, &answer); err != nil {
		return nil, err
	}
	var all []object
	return all, json.Unmarshal(answer[k.plural], &all)
}

// ensure returns the resource with the wanted name, made if there is none.
func (c *client) ensure(ctx context.Context, k kind, query url.Values, wanted object) (object, error) {
	found, err := c.list(ctx, k, query)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		if o["name"] == wanted["name"] {
			return o, nil
		}
	}
	answer := map[string]object{}
	err = c.do(ctx, http.MethodPost, k.url, object{k.single: wanted}, &answer)
	return answer[k.single], err
}

// named is the query for resources with this name.
func named(name string) url.Values { return url.Values{"name": {name}} }

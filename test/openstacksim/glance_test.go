package openstacksim

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

const glanceURL = "/image/v2/images"

// raw sends a body that is not JSON, or not called so.
func (c *client) raw(method, path, contentType, text string) response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, bytes.NewBufferString(text))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", c.token)
	req.Header.Set("Content-Type", contentType)
	return c.do(req)
}

func TestLifeOfAnImage(t *testing.T) {
	c := start(t)
	const octets, patch = "application/octet-stream", "application/openstack-images-v2.1-json-patch"
	made := c.want(http.StatusCreated, "POST", glanceURL, body{"name": "i", "os_distro": "debian", "protected": true, "tags": []string{"a"}}, "")
	path := glanceURL + "/" + made["id"].(string)
	if made["status"] != "queued" || made["visibility"] != "shared" || made["size"] != nil || made["os_distro"] != "debian" {
		t.Errorf("image: %v", made)
	}
	if got := c.raw("PUT", path+"/file", octets, "data"); got.status != http.StatusBadRequest || !strings.Contains(got.text, "must be set prior to saving data") {
		t.Errorf("upload without formats: %d %s", got.status, got.text)
	}
	patched := c.raw("PATCH", path, patch, `[{"op":"replace","path":"/disk_format","value":"raw"},{"op":"add","path":"/container_format","value":"bare"},
		{"op":"remove","path":"/os_distro"}]`)
	c.same("patch", []any{patched.status, patched.body["disk_format"], patched.body["os_distro"]}, "[200 raw <nil>]")
	c.same("upload", c.raw("PUT", path+"/file", octets, "data").status, http.StatusNoContent)
	c.same("upload once more", c.raw("PUT", path+"/file", octets, "data").status, http.StatusConflict)
	image := c.want(http.StatusOK, "GET", path, nil, "")
	c.same("image", []any{image["status"], image["size"]}, "[active 4]")
	c.same("data", c.send("GET", path+"/file", nil).text, "data")
	c.want(http.StatusNoContent, "PUT", path+"/tags/b", nil, "")
	c.want(http.StatusNoContent, "DELETE", path+"/tags/a", nil, "")
	c.refused(http.StatusNotFound, "", "DELETE", path+"/tags/a", nil)
	c.refused(http.StatusForbidden, "is protected", "DELETE", path, nil)
	c.raw("PATCH", path, patch, `[{"op":"replace","path":"/protected","value":false}]`)
	c.want(http.StatusNoContent, "DELETE", path, nil, "")
	c.sim.WantNothingLeft(t)
}

func TestImagesThatAreRefused(t *testing.T) {
	c := start(t)
	for _, tc := range []struct {
		why, says string
		status    int
		in        body
	}{
		{"only admins make public images", "publicize_image", 403, body{"visibility": "public"}},
		{"an unknown format", "is not one of", 400, body{"disk_format": "x"}},
		{"properties are texts", "is not of type 'string'", 400, body{"cores": 2}},
		{"the status is Glance's", "read-only", 403, body{"status": "active"}},
	} {
		t.Run(tc.why, func(*testing.T) { c.refused(tc.status, tc.says, "POST", glanceURL, tc.in) })
	}
	c.refused(http.StatusForbidden, "delete_image", "DELETE", glanceURL+"/"+c.sim.Images("node")[0].ID, nil)
	c.sim.WantNothingLeft(t)
}

func TestListsOfImages(t *testing.T) {
	c := start(t, WithPageSize(20))
	c.sim.AddProject("other", "eve", "pw")
	c.login("other", "eve", "pw")
	c.want(http.StatusCreated, "POST", glanceURL, body{"name": "theirs", "visibility": "private"}, "")
	shared := c.want(http.StatusCreated, "POST", glanceURL, body{"name": "community", "visibility": "community"}, "")["id"].(string)
	c.login(Project, User, Password)
	c.sim.AddImage(Image{Name: "b", Size: 10, Tags: []string{"x", "y"}, Properties: map[string]string{"kube": "1"}})
	c.sim.AddImage(Image{Name: "a", Size: 20, Tags: []string{"x"}, DiskFormat: "raw"})
	c.sim.AddImage(Image{Name: "h", Hidden: true})
	for _, tc := range []struct {
		why, query, names string
	}{
		{"the newest first, none that is hidden or of the community", "", "a b node"},
		{"hidden ones", "os_hidden=true", "h"},
		{"the community", "visibility=community", "community"},
		{"all that one may read", "visibility=all", "a b community node"},
		{"by name", "name=a", "a"},
		{"one of several names", "name=in:a,b", "a b"},
		{"several tags are all of them", "tag=x&tag=y", "b"},
		{"a property", "kube=1", "b"},
		{"a format", "disk_format=raw", "a"},
		{"sizes", "size_min=10&size_max=15", "b"},
		{"by name upwards", "sort=name:asc", "a b node"},
		{"by name downwards, the old way", "sort_key=name&sort_dir=desc", "node b a"},
		{"by size", "sort_key=size&sort_dir=asc", "b a node"},
		{"public ones", "visibility=public&protected=false", "a b node"},
		{"times", "created_at=gte:2020-01-01T00:00:00Z&name=a", "a"},
	} {
		var names []string
		for _, i := range c.want(http.StatusOK, "GET", glanceURL+"?"+tc.query, nil, "")["images"].([]any) {
			names = append(names, i.(body)["name"].(string))
		}
		if got := strings.Join(names, " "); got != tc.names {
			t.Errorf("%s: %s: %s, want %s", tc.why, tc.query, got, tc.names)
		}
	}
	c.want(http.StatusOK, "GET", glanceURL+"/"+shared, nil, "")
	for query, says := range map[string]string{"sort_key=x": "Invalid sort key", "sort=name:up": "Invalid sort direction",
		"os_hidden=perhaps": "Invalid value", "sort=name&sort_dir=asc": "cannot be combined"} {
		c.refused(http.StatusBadRequest, says, "GET", glanceURL+"?"+query, nil)
	}
}

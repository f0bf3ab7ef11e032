package openstacksim

import (
	"fmt"
	"net/http"
	"slices"
)

// image is Glance: limit_param_default and api_limit_max are the page size.
type image struct {
	service *service
	images  *table[Image, *Image]
}

// Image is a Glance image. Properties are its further attributes, which Glance
// shows beside the others.
type Image struct {
	ID, Name, Owner string
	Status          string // active, queued, ...
	Visibility      string // public, private, shared, community
	Tags            []string
	Size            int64
	MinDisk, MinRAM int // GiB, MiB
	Properties      map[string]string
	Created         string
}

func (i *Image) ident() string { return i.ID }
func (i *Image) owner() string { return i.Owner }
func (i *Image) label() string { return i.Name }
func (i *Image) public() bool  { return i.Visibility == "public" }

func (c *Cloud) startImage() {
	s := &service{name: "glance", kind: "image", root: "/image", base: "/image/v2", render: glanceError}
	c.image = &image{service: s, images: register[Image](c, "image")}
	c.identity.catalog = append(c.identity.catalog, s)
	c.image.images.add(&Image{ID: c.newID("image"), Name: "node", Owner: c.identity.projects["admin"], Status: "active",
		Visibility: "public", Tags: []string{}, Size: 1 << 30, MinDisk: 10, Properties: map[string]string{"os_type": "linux"}, Created: c.stamp()})

	// glance/api/versions.py: 300 for the list
	c.document(s, s.root, http.StatusMultipleChoices, func() any {
		return wrap("versions", []any{map[string]any{"id": "v2.16", "status": "CURRENT",
			"links": []any{map[string]string{"rel": "self", "href": c.url + "/image/v2/"}}}})
	})
	c.on(s, "GET", "/images", c.listImages)
	c.on(s, "GET", "/images/{id}", c.showImage)
}

// glanceError is webob's: a page of HTML. Clients can read the status only.
func glanceError(e *apiError) any {
	if e.status == http.StatusUnauthorized {
		return keystoneError(e)
	}
	title := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	return fmt.Sprintf("<html>\n <head>\n  <title>%s</title>\n </head>\n <body>\n  <h1>%s</h1>\n  %s<br /><br />\n\n\n\n </body>\n</html>",
		title, title, e.message)
}

// shown is glance/api/v2/images.py, ResponseSerializer._format_image.
func (i *Image) shown() map[string]any {
	shown := map[string]any{"id": i.ID, "name": i.Name, "owner": i.Owner, "status": i.Status, "visibility": i.Visibility, "tags": i.Tags,
		"size": i.Size, "virtual_size": nil, "min_disk": i.MinDisk, "min_ram": i.MinRAM, "protected": false, "os_hidden": false,
		"disk_format": "qcow2", "container_format": "bare", "checksum": hexOf(i.ID), "created_at": i.Created, "updated_at": i.Created,
		"self": "/v2/images/" + i.ID, "file": "/v2/images/" + i.ID + "/file", "schema": "/v2/schemas/image"}
	for key, value := range i.Properties {
		shown[key] = value
	}
	return shown
}

// listImages is glance/api/v2/images.py, index: the newest first, filters by
// equality of attributes and properties, tag= may come several times.
func (c *Cloud) listImages(q *request) (any, error) {
	var rows []*Image
	for _, i := range slices.Backward(c.image.images.listed()) {
		if c.sees(q, i) && !c.hidden[i.ID] && i.fits(q) {
			rows = append(rows, i)
		}
	}
	p, err := paged(c, q, rows)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, i := range p.rows {
		list = append(list, i.shown())
	}
	body := map[string]any{"images": list, "first": "/v2/images", "schema": "/v2/schemas/images"}
	if p.next != "" {
		body["next"] = p.next[len(c.url+"/image"):] // a path from the root of Glance
	}
	return body, nil
}

func (i *Image) fits(q *request) bool {
	shown := i.shown()
	for key, values := range q.query {
		switch key {
		case "limit", "marker", "sort_key", "sort_dir", "sort", "member_status", "size_min", "size_max":
		case "tag":
			if slices.ContainsFunc(values, func(tag string) bool { return !slices.Contains(i.Tags, tag) }) {
				return false
			}
		default:
			if fmt.Sprint(shown[key]) != values[0] {
				return false
			}
		}
	}
	return true
}

func (c *Cloud) showImage(q *request) (any, error) {
	i, ok := c.image.images.get(q.id("id"))
	if !ok || !c.sees(q, i) {
		return nil, refuse(http.StatusNotFound, "", "Failed to find image %s", q.id("id"))
	}
	return i.shown(), nil
}

package openstacksim

import (
	"cmp"
	"fmt"
	"net/http"
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
	Updated         string

	DiskFormat, ContainerFormat string // qcow2 and bare unless it is said
	Hidden                      bool   // left out of lists that do not ask for it
	Protected                   bool   // cannot be deleted
	Data                        []byte
}

func (i *Image) ident() string { return i.ID }
func (i *Image) owner() string { return i.Owner }
func (i *Image) label() string { return i.Name }
func (i *Image) public() bool  { return i.Visibility == "public" }

func (c *Cloud) startImage() {
	s := &service{name: "glance", kind: "image", root: "/image", base: "/image/v2", render: glanceError}
	c.image = &image{service: s, images: register[Image](c, "image")}
	c.identity.catalog = append(c.identity.catalog, s)
	seed := c.image.images.add(&Image{ID: c.newID("image"), Name: "node", Owner: c.identity.projects["admin"], Status: "active",
		Visibility: "public", Tags: []string{}, Size: 1 << 30, MinDisk: 10, Properties: map[string]string{"os_type": "linux"}, Created: c.stamp()})
	seed.fill()

	// glance/api/versions.py: 300 for the list
	c.document(s, s.root, http.StatusMultipleChoices, func() any {
		return wrap("versions", []any{map[string]any{"id": "v2.16", "status": "CURRENT",
			"links": []any{map[string]string{"rel": "self", "href": c.url + "/image/v2/"}}}})
	})
	c.on(s, "GET", "/images", c.listImages)
	c.on(s, "GET", "/images/{id}", c.showImage)
	c.on(s, "POST", "/images", c.createImage)
	c.on(s, "PATCH", "/images/{id}", c.patchImage)
	c.on(s, "DELETE", "/images/{id}", c.deleteImage)
	c.on(s, "PUT", "/images/{id}/file", c.uploadImage)
	c.on(s, "GET", "/images/{id}/file", c.downloadImage)
	c.on(s, "PUT", "/images/{id}/tags/{tag}", c.tagImage)
	c.on(s, "DELETE", "/images/{id}/tags/{tag}", c.untagImage)
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

// fill gives an image of the seed what one that was uploaded has.
func (i *Image) fill() {
	i.DiskFormat, i.ContainerFormat = cmp.Or(i.DiskFormat, "qcow2"), cmp.Or(i.ContainerFormat, "bare")
	i.Updated = i.Created
}

// shown is glance/api/v2/images.py, ResponseSerializer._format_image.
func (i *Image) shown() map[string]any {
	shown := map[string]any{"id": i.ID, "name": i.Name, "owner": i.Owner, "status": i.Status, "visibility": i.Visibility, "tags": i.Tags,
		"size": i.Size, "virtual_size": nil, "min_disk": i.MinDisk, "min_ram": i.MinRAM, "protected": i.Protected, "os_hidden": i.Hidden,
		"disk_format": orNil(i.DiskFormat), "container_format": orNil(i.ContainerFormat), "checksum": hexOf(i.ID), "os_hash_algo": "sha512",
		"os_hash_value": hexOf(i.ID), "created_at": i.Created, "updated_at": i.Updated,
		"self": "/v2/images/" + i.ID, "file": "/v2/images/" + i.ID + "/file", "schema": "/v2/schemas/image"}
	if i.Status == "queued" {
		shown["size"], shown["checksum"], shown["os_hash_algo"], shown["os_hash_value"] = nil, nil, nil, nil
	}
	for key, value := range i.Properties {
		shown[key] = value
	}
	return shown
}

// reads says whether a project may read an image by its ID: its own, public
// ones, and those of the community (glance/db/sqlalchemy/api.py, is_image_visible).
func (c *Cloud) reads(q *request, i *Image) bool { return c.sees(q, i) || i.Visibility == "community" }

func (c *Cloud) findImage(q *request) (*Image, error) {
	i, ok := c.image.images.get(q.id("id"))
	if !ok || !c.reads(q, i) {
		return nil, refuse(http.StatusNotFound, "", "Failed to find image %s", q.id("id"))
	}
	return i, nil
}

// ownImage is findImage for changes: others may be seen but not changed
// (glance/policies/base.py, ADMIN_OR_PROJECT_MEMBER).
func (c *Cloud) ownImage(q *request, action string) (*Image, error) {
	i, err := c.findImage(q)
	if err == nil && i.Owner != q.project {
		return nil, refuse(http.StatusForbidden, "", "You are not authorized to complete %s action.", action)
	}
	return i, err
}

func (c *Cloud) showImage(q *request) (any, error) {
	i, err := c.findImage(q)
	if err != nil {
		return nil, err
	}
	return i.shown(), nil
}

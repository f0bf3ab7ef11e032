package openstacksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// imageAttributes are the attributes that users set, as they are in Image.
type imageAttributes struct {
	Name            *string   `json:"name"`
	Visibility      *string   `json:"visibility"`
	Tags            *[]string `json:"tags"`
	DiskFormat      *string   `json:"disk_format"`
	ContainerFormat *string   `json:"container_format"`
	MinDisk         *int      `json:"min_disk"`
	MinRAM          *int      `json:"min_ram"`
	Protected       *bool     `json:"protected"`
	Hidden          *bool     `json:"os_hidden"`
}

// readOnly are attributes that users cannot set (glance/api/v2/images.py,
// RequestDeserializer._readonly_properties).
var readOnly = []string{"created_at", "updated_at", "status", "checksum", "size", "virtual_size", "direct_url", "self", "file", "schema",
	"owner", "os_hash_algo", "os_hash_value"}

// set gives an image the attributes of a request; others are properties, whose
// values are texts.
func (i *Image) set(raw json.RawMessage) error {
	var want imageAttributes
	var given map[string]any
	if json.Unmarshal(raw, &given) != nil || json.Unmarshal(raw, &want) != nil {
		return refuse(http.StatusBadRequest, "", "Malformed JSON in request body.")
	}
	changed := *i
	put(&changed.Name, want.Name)
	put(&changed.Visibility, want.Visibility)
	put(&changed.Tags, want.Tags)
	put(&changed.DiskFormat, want.DiskFormat)
	put(&changed.ContainerFormat, want.ContainerFormat)
	put(&changed.MinDisk, want.MinDisk)
	put(&changed.MinRAM, want.MinRAM)
	put(&changed.Protected, want.Protected)
	put(&changed.Hidden, want.Hidden)
	properties := map[string]string{}
	for key, value := range i.Properties {
		properties[key] = value
	}
	for key, value := range given {
		if slices.Contains(readOnly, key) {
			return refuse(http.StatusForbidden, "", "Attribute '%s' is read-only.", key)
		}
		if _, known := attribute(&want, key); known || key == "id" {
			continue
		}
		s, isText := value.(string)
		if !isText {
			return refuse(http.StatusBadRequest, "", "Provided object does not match schema 'image': %v is not of type 'string'", value)
		}
		properties[key] = s
	}
	changed.Properties = properties
	if err := changed.check(); err != nil {
		return err
	}
	*i = changed
	return nil
}

func put[T any](into, value *T) {
	if value != nil {
		*into = *value
	}
}

var (
	diskFormats      = []string{"", "ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso", "ploop"}
	containerFormats = []string{"", "ami", "ari", "aki", "bare", "ovf", "ova", "docker", "compressed"}
)

// check is the schema of glance/api/v2/images.py, get_base_properties, and the
// policy publicize_image, which is for admins.
func (i *Image) check() error {
	for what, list := range map[string][]string{i.DiskFormat: diskFormats, i.ContainerFormat: containerFormats,
		i.Visibility: {"community", "public", "private", "shared"}} {
		if !slices.Contains(list, what) {
			return refuse(http.StatusBadRequest, "", "Provided object does not match schema 'image': '%s' is not one of %v", what, list)
		}
	}
	if i.Visibility == "public" {
		return refuse(http.StatusForbidden, "", "You are not authorized to complete publicize_image action.")
	}
	return nil
}

func (c *Cloud) createImage(q *request) (any, error) {
	i := &Image{ID: c.newID("image"), Owner: q.project, Status: "queued", Visibility: "shared", Tags: []string{}, Created: c.stamp(), Updated: c.stamp()}
	if err := i.set(q.raw); err != nil {
		return nil, err
	}
	var want struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(q.raw, &want) // set has read it
	if want.ID != "" {
		if _, taken := c.image.images.get(want.ID); taken {
			return nil, refuse(http.StatusConflict, "", "Image %s already exists.", want.ID)
		}
		i.ID = want.ID
	}
	c.image.images.add(i)
	q.header.Set("Location", c.url+"/image/v2/images/"+i.ID)
	q.header.Set("OpenStack-image-import-methods", "")
	return i.shown(), nil
}

// patchImage is a JSON patch of the attributes (api-ref, section Update image).
func (c *Cloud) patchImage(q *request) (any, error) {
	i, err := c.ownImage(q, "modify_image")
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(q.Header.Get("Content-Type"), "application/openstack-images-v2") {
		return nil, refuse(http.StatusUnsupportedMediaType, "", "The request body must be of media type application/openstack-images-v2.1-json-patch")
	}
	var changes []struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(q.raw, &changes); err != nil {
		return nil, refuse(http.StatusBadRequest, "", "Request body must be a JSON array of operation objects.")
	}
	changed := *i
	for _, ch := range changes {
		key := strings.TrimPrefix(ch.Path, "/")
		if ch.Op == "remove" {
			if err := changed.unset(key); err != nil {
				return nil, err
			}
			continue
		}
		raw, err := json.Marshal(map[string]json.RawMessage{key: ch.Value})
		if err != nil {
			return nil, err
		}
		if err := changed.set(raw); err != nil {
			return nil, err
		}
	}
	changed.Updated = c.stamp()
	*i = changed
	return i.shown(), nil
}

func (i *Image) unset(key string) error {
	if _, ok := i.Properties[key]; !ok {
		return refuse(http.StatusConflict, "", "Unable to remove %s", key)
	}
	properties := map[string]string{}
	for k, v := range i.Properties {
		if k != key {
			properties[k] = v
		}
	}
	i.Properties = properties
	return nil
}

// deleteImage is glance/api/v2/images.py, delete.
func (c *Cloud) deleteImage(q *request) (any, error) {
	i, err := c.ownImage(q, "delete_image")
	if err != nil {
		return nil, err
	}
	if i.Protected {
		return nil, refuse(http.StatusForbidden, "", "Image %s is protected and cannot be deleted.", i.ID)
	}
	c.image.images.drop(i.ID)
	return nil, nil
}

// uploadImage is glance/api/v2/image_data.py, upload: a queued image with its
// formats becomes active.
func (c *Cloud) uploadImage(q *request) (any, error) {
	i, err := c.ownImage(q, "upload_image")
	if err != nil {
		return nil, err
	}
	switch {
	case q.Header.Get("Content-Type") != "application/octet-stream":
		return nil, refuse(http.StatusUnsupportedMediaType, "", "Content-Type must be application/octet-stream")
	case i.Status != "queued":
		return nil, refuse(http.StatusConflict, "", "Image status transition from %s to saving is not allowed", i.Status)
	case i.DiskFormat == "" || i.ContainerFormat == "": // glance/domain/__init__.py
		return nil, refuse(http.StatusBadRequest, "", "Properties disk_format, container_format must be set prior to saving data.")
	}
	i.Data, i.Size, i.Status, i.Updated = q.raw, int64(len(q.raw)), "active", c.stamp()
	return reply{status: http.StatusNoContent}, nil
}

func (c *Cloud) downloadImage(q *request) (any, error) {
	i, err := c.findImage(q)
	if err != nil {
		return nil, err
	}
	if i.Status != "active" || i.Data == nil { // those of the seed have none
		return reply{status: http.StatusNoContent}, nil
	}
	return reply{http.StatusOK, string(i.Data), http.Header{"Content-Type": {"application/octet-stream"},
		"Content-Length": {fmt.Sprint(len(i.Data))}}}, nil
}

func (c *Cloud) tagImage(q *request) (any, error) {
	i, err := c.ownImage(q, "modify_image")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(i.Tags, q.id("tag")) {
		i.Tags = append(slices.Clone(i.Tags), q.id("tag"))
	}
	return reply{status: http.StatusNoContent}, nil
}

func (c *Cloud) untagImage(q *request) (any, error) {
	i, err := c.ownImage(q, "modify_image")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(i.Tags, q.id("tag")) {
		return nil, refuse(http.StatusNotFound, "", "Tag %s not found.", q.id("tag"))
	}
	i.Tags = slices.DeleteFunc(slices.Clone(i.Tags), func(tag string) bool { return tag == q.id("tag") })
	return nil, nil
}

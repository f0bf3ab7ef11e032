package openstack

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/capok/capok/test/lab/progress"
)

// sourceProperty says from which file an image was uploaded.
const sourceProperty = "capok_source"

// EnsureImage uploads a qcow2 file as a public image, and replaces an image of
// that name that was uploaded from another file. It needs the cloud to be up.
// For zone "node" the file holds one ext4 file system without partitions.
func EnsureImage(ctx context.Context, p *progress.Printer, name, path string) error {
	c, unlock, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.loadPassword(); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("image %s: %w", name, err)
	}
	source := fmt.Sprintf("%s %d %d", filepath.Base(path), info.Size(), info.ModTime().UnixNano())
	admin, err := c.admin(ctx)
	if err != nil {
		return err
	}
	images := kind{url: c.URL(9292) + "/v2/images", plural: "images"}
	found, err := c.removeOthers(ctx, admin, images, name, source)
	if err != nil || found {
		return err
	}
	return p.Phase(ctx, fmt.Sprintf("OpenStack: upload image %s (%d MiB)", name, info.Size()>>20), func(ctx context.Context) error {
		image, err := admin.upload(ctx, images.url, path, object{
			"name": name, "visibility": "public", "disk_format": "qcow2", "container_format": "bare",
			"min_disk": 8, "os_distro": "debian", sourceProperty: source})
		if err != nil {
			return err
		}
		return c.precache(ctx, admin, image)
	})
}

// precache has the node compute fetch and unpack an image in the background,
// so that the first server need not wait for it.
func (c *cloud) precache(ctx context.Context, admin *client, image string) error {
	zones := kind{url: c.URL(8774) + "/v2.1/os-aggregates", plural: "aggregates"}
	have, err := admin.list(ctx, zones, nil)
	if err != nil {
		return err
	}
	for _, zone := range have {
		if zone["name"] == nodeHost {
			err = admin.do(ctx, http.MethodPost, fmt.Sprintf("%s/%v/images", zones.url, zone["id"]), object{"cache": []object{{"id": image}}}, nil)
		}
	}
	return err
}

// removeOthers deletes the images of that name which are not whole or come from
// another source, and says whether there is one that is right.
func (c *cloud) removeOthers(ctx context.Context, admin *client, images kind, name, source string) (found bool, err error) {
	have, err := admin.list(ctx, images, named(name))
	if err != nil {
		return false, err
	}
	for _, image := range have {
		if !found && image["status"] == "active" && image[sourceProperty] == source {
			found = true
			continue
		}
		if err := admin.do(ctx, http.MethodDelete, images.url+"/"+image.id(), nil, nil); err != nil {
			return false, err
		}
		c.forgetImage(image.id())
	}
	return found, nil
}

// upload makes an image out of a file, and returns its ID.
func (c *client) upload(ctx context.Context, images, path string, wanted object) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var image object
	if err := c.do(ctx, http.MethodPost, images, wanted, &image); err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, images+"/"+image.id()+"/file", file)
	if err != nil {
		return "", err
	}
	c.setHeaders(request, "application/octet-stream")
	response, err := c.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return "", fmt.Errorf("upload image: %s", response.Status)
	}
	return image.id(), nil
}

// forgetImage removes the unpacked files of an image that is gone, unless a
// server stands on them.
func (c *cloud) forgetImage(id string) {
	base := c.Path("nova-node", "instances", "_base", id)
	if inUse, err := filepath.Glob(c.Path("nova-node", "instances", "*", "base")); err == nil {
		for _, link := range inUse {
			if target, _ := os.Readlink(link); target == base {
				return
			}
		}
	}
	_ = os.RemoveAll(base)
}

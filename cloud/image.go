package cloud

import (
	"context"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
)

// Imaging is Glance, as much of it as Capok needs.
type Imaging struct {
	glance *gophercloud.ServiceClient
}

// ImageActive is the status of an image that servers can be made from.
const ImageActive = "active"

// Image is a Glance image.
type Image struct {
	ID     string
	Name   string
	Status string
	Tags   []string
}

// ImageFilter selects images, empty fields select everything. All tags must
// be there.
type ImageFilter struct {
	ID   string
	Name string
	Tags []string
}

// Images finds what the filter selects, in every status. One that is hidden or
// only shared is in no list, but can be had by its ID.
func (i *Imaging) Images(ctx context.Context, f ImageFilter) ([]Image, error) {
	if f.ID != "" {
		image, err := images.Get(ctx, i.glance, f.ID).Extract()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return nil, nil // a page of HTML says so; nothing is let go for want of an image
		}
		if err != nil {
			return nil, err
		}
		return []Image{imageFrom(*image)}, nil
	}
	pages, err := images.List(i.glance, images.ListOpts{Name: f.Name, Tags: f.Tags}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := images.ExtractImages(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, imageFrom), nil
}

func imageFrom(image images.Image) Image {
	return Image{ID: image.ID, Name: image.Name, Status: string(image.Status), Tags: image.Tags}
}

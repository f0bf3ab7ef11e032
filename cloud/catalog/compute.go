package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/capok/capok/cloud"
)

// Choice names something by ID or, where that is empty, by name. Field is its
// path in the user's spec, for messages.
type Choice struct {
	ID, Name string
	Field    string
}

func (c Choice) describe(kind string) string {
	if c.ID != "" {
		return fmt.Sprintf("%s with id %s", kind, c.ID)
	}
	return fmt.Sprintf("%s named %q", kind, c.Name)
}

// Flavor finds a flavor.
func (c *Catalog) Flavor(ctx context.Context, want Choice) (cloud.Flavor, error) {
	all, err := remember(c, "flavors", func() ([]cloud.Flavor, error) {
		compute, err := c.session.Compute()
		if err != nil {
			return nil, err
		}
		return compute.Flavors(ctx)
	})
	if err != nil {
		return cloud.Flavor{}, fmt.Errorf("list flavors: %w", err)
	}
	fits := keepIf(all, func(f cloud.Flavor) bool { return fitsChoice(want, f.ID, f.Name) })
	if len(fits) == 0 {
		c.forget("flavors") // it may have been made since
	}
	return one(fits, want.Field, want.describe("flavor"))
}

// ServerGroup finds a server group of the project.
func (c *Catalog) ServerGroup(ctx context.Context, want Choice) (cloud.ServerGroup, error) {
	return remember(c, want, func() (cloud.ServerGroup, error) {
		compute, err := c.session.Compute()
		if err != nil {
			return cloud.ServerGroup{}, err
		}
		all, err := compute.ServerGroups(ctx)
		if err != nil {
			return cloud.ServerGroup{}, fmt.Errorf("list server groups: %w", err)
		}
		fits := keepIf(all, func(g cloud.ServerGroup) bool { return fitsChoice(want, g.ID, g.Name) })
		return one(fits, want.Field, want.describe("server group"))
	})
}

// Image finds an image that is active.
func (c *Catalog) Image(ctx context.Context, want cloud.ImageFilter, field string) (cloud.Image, error) {
	return remember(c, want, func() (cloud.Image, error) {
		imaging, err := c.session.Imaging()
		if err != nil {
			return cloud.Image{}, err
		}
		found, err := imaging.Images(ctx, want)
		if err != nil {
			return cloud.Image{}, fmt.Errorf("list images: %w", err)
		}
		image, err := one(found, field, describeImage(want))
		if err == nil && image.Status != cloud.ImageActive {
			err = cloud.Problemf(cloud.Missing, "%s: image %s is %s, not active; wait for its upload or name another", field, image.ID, image.Status)
		}
		return image, err
	})
}

func describeImage(want cloud.ImageFilter) string {
	what := Choice{ID: want.ID, Name: want.Name}.describe("image")
	if want.ID == "" && want.Name == "" {
		what = "image"
	}
	if len(want.Tags) > 0 {
		what += " with tags " + strings.Join(want.Tags, ", ")
	}
	return what
}

func fitsChoice(want Choice, id, name string) bool {
	if want.ID != "" {
		return id == want.ID
	}
	return name == want.Name
}

func keepIf[T any](all []T, fits func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(t T) bool { return !fits(t) })
}

func (c *Catalog) forget(question any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.answers, fmt.Sprintf("%#v", question))
}

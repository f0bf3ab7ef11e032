package cloud

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/availabilityzones"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
)

// Flavor is a size of servers.
type Flavor struct {
	ID    string
	Name  string
	VCPUs int
	RAM   int // MiB
	Disk  int // GiB; 0: as large as the image
}

// Flavors lists what the project may use.
func (c *Compute) Flavors(ctx context.Context) ([]Flavor, error) {
	pages, err := flavors.ListDetail(c.nova, flavors.ListOpts{AccessType: flavors.AllAccess}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := flavors.ExtractFlavors(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, func(f flavors.Flavor) Flavor {
		return Flavor{ID: f.ID, Name: f.Name, VCPUs: f.VCPUs, RAM: f.RAM, Disk: f.Disk}
	}), nil
}

// AvailabilityZone is a zone of Nova. It is not available while none of its
// hosts is up.
type AvailabilityZone struct {
	Name      string
	Available bool
}

// AvailabilityZones lists Nova's zones.
func (c *Compute) AvailabilityZones(ctx context.Context) ([]AvailabilityZone, error) {
	pages, err := availabilityzones.List(c.nova).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	zones, err := availabilityzones.ExtractAvailabilityZones(pages)
	if err != nil {
		return nil, err
	}
	return convert(zones, func(z availabilityzones.AvailabilityZone) AvailabilityZone {
		return AvailabilityZone{Name: z.ZoneName, Available: z.ZoneState.Available}
	}), nil
}

// ServerGroup is a Nova server group: a placement policy and its members.
type ServerGroup struct {
	ID   string
	Name string
}

// ServerGroups lists the project's server groups; Nova has no filter for them.
func (c *Compute) ServerGroups(ctx context.Context) ([]ServerGroup, error) {
	pages, err := servergroups.List(c.nova, nil).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := servergroups.ExtractServerGroups(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, func(g servergroups.ServerGroup) ServerGroup {
		return ServerGroup{ID: g.ID, Name: g.Name}
	}), nil
}

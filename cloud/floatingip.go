package cloud

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
)

// FloatingIP is an address of an external network that leads to a port.
type FloatingIP struct {
	ID        string
	Mark      string
	IP        string
	NetworkID string // the external network
	PortID    string // empty: leads nowhere
	Status    string
	Tags      []string
}

// FloatingIPSpec is what a new floating IP should be.
type FloatingIPSpec struct {
	Mark      string
	NetworkID string // the external network
	IP        string // empty: any; a given one may need a privileged role
	PortID    string // given at creation, so that its port says whose it is
}

// FloatingIPFilter selects floating IPs, empty fields select everything.
type FloatingIPFilter struct {
	ID, Mark, IP, PortID, NetworkID, ProjectID string
}

// FloatingIPs lists what the filter selects.
func (n *Networking) FloatingIPs(ctx context.Context, f FloatingIPFilter) ([]FloatingIP, error) {
	pages, err := floatingips.List(n.neutron, floatingips.ListOpts{
		ID: f.ID, Description: f.Mark, FloatingIP: f.IP, PortID: f.PortID,
		FloatingNetworkID: f.NetworkID, ProjectID: f.ProjectID,
	}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := floatingips.ExtractFloatingIPs(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, floatingIPFrom), nil
}

// CreateFloatingIP makes a floating IP.
func (n *Networking) CreateFloatingIP(ctx context.Context, want FloatingIPSpec) (FloatingIP, error) {
	created, err := floatingips.Create(ctx, n.neutron, floatingips.CreateOpts{
		Description: want.Mark, FloatingNetworkID: want.NetworkID, FloatingIP: want.IP, PortID: want.PortID,
	}).Extract()
	if err != nil {
		return FloatingIP{}, err
	}
	return floatingIPFrom(*created), nil
}

// AttachFloatingIP makes the address lead to a port; empty: nowhere.
func (n *Networking) AttachFloatingIP(ctx context.Context, id, portID string) (FloatingIP, error) {
	opts := floatingips.UpdateOpts{PortID: new(string)}
	if portID != "" {
		opts.PortID = &portID
	}
	updated, err := floatingips.Update(ctx, n.neutron, id, opts).Extract()
	if err != nil {
		return FloatingIP{}, err
	}
	return floatingIPFrom(*updated), nil
}

// DeleteFloatingIP gives the address back; one that is gone is a success.
func (n *Networking) DeleteFloatingIP(ctx context.Context, id string) error {
	return IgnoreGone(floatingips.Delete(ctx, n.neutron, id).ExtractErr())
}

func floatingIPFrom(f floatingips.FloatingIP) FloatingIP {
	return FloatingIP{ID: f.ID, Mark: f.Description, IP: f.FloatingIP, NetworkID: f.FloatingNetworkID,
		PortID: f.PortID, Status: f.Status, Tags: f.Tags}
}

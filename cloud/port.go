package cloud

import (
	"context"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsbinding"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsecurity"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
)

// routerInterfaces are the owners of ports by which a router is on a subnet:
// ROUTER_INTERFACE_OWNERS of neutron-lib.
var routerInterfaces = []string{"network:router_interface", "network:router_interface_distributed", "network:ha_router_replicated_interface"}

// Port is a Neutron port.
type Port struct {
	ID             string
	Name           string
	Mark           string
	NetworkID      string
	DeviceID       string // the server, router or load balancer that uses it
	DeviceOwner    string
	Status         string
	Tags           []string
	FixedIPs       []FixedIP
	SecurityGroups []string // IDs
	AddressPairs   []AddressPair
}

// OfRouter tells whether a router is on a subnet by this port.
func (p Port) OfRouter() bool { return slices.Contains(routerInterfaces, p.DeviceOwner) }

// FixedIP is an address of a port. As part of a spec, an empty IP means any
// address of the subnet, an empty subnet any subnet of the network.
type FixedIP struct{ SubnetID, IP string }

// AddressPair is one more address that the port may send from.
type AddressPair struct{ IP, MAC string }

// PortSpec is what a new port should be. Nil pointers and empty strings leave
// the choice to Neutron.
type PortSpec struct {
	Name            string
	Mark            string
	NetworkID       string
	FixedIPs        []FixedIP
	SecurityGroups  []string // nil: the project's default group; empty: none
	AddressPairs    []AddressPair
	MAC             string
	VNICType        string
	HostID          string
	Profile         map[string]any
	AdminStateUp    *bool
	PortSecurity    *bool
	PropagateUplink *bool
	Extra           map[string]string // keys merged into the request as they are
}

// PortFilter selects ports, empty fields select everything.
type PortFilter struct {
	ID, Name, Mark, NetworkID, DeviceID, ProjectID string
}

// Ports lists what the filter selects.
func (n *Networking) Ports(ctx context.Context, f PortFilter) ([]Port, error) {
	pages, err := ports.List(n.neutron, ports.ListOpts{
		ID: f.ID, Name: f.Name, Description: f.Mark, NetworkID: f.NetworkID,
		DeviceID: f.DeviceID, ProjectID: f.ProjectID,
	}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := ports.ExtractPorts(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, portFrom), nil
}

// CreatePort makes a port. Invalid: Extra has a key that the spec sets itself.
func (n *Networking) CreatePort(ctx context.Context, want PortSpec) (Port, error) {
	opts := portOpts(want)
	if _, err := opts.ToPortCreateMap(); err != nil {
		return Port{}, Problemf(Invalid, "valueSpecs: %v; remove that key", err)
	}
	created, err := ports.Create(ctx, n.neutron, opts).Extract()
	if err != nil {
		return Port{}, err
	}
	return portFrom(*created), nil
}

func portOpts(want PortSpec) ports.CreateOptsBuilder {
	base := ports.CreateOpts{
		Name: want.Name, Description: want.Mark, NetworkID: want.NetworkID, MACAddress: want.MAC,
		AdminStateUp: want.AdminStateUp, PropagateUplinkStatus: want.PropagateUplink,
		AllowedAddressPairs: pairsTo(want.AddressPairs),
	}
	if want.SecurityGroups != nil {
		base.SecurityGroups = &want.SecurityGroups
	}
	if len(want.FixedIPs) > 0 {
		var ips []ports.IP
		for _, ip := range want.FixedIPs {
			ips = append(ips, ports.IP{SubnetID: ip.SubnetID, IPAddress: ip.IP})
		}
		base.FixedIPs = ips
	}
	if len(want.Extra) > 0 {
		base.ValueSpecs = &want.Extra
	}
	var opts ports.CreateOptsBuilder = base
	if want.VNICType != "" || want.HostID != "" || len(want.Profile) > 0 {
		opts = portsbinding.CreateOptsExt{CreateOptsBuilder: opts, VNICType: want.VNICType, HostID: want.HostID, Profile: want.Profile}
	}
	if want.PortSecurity != nil {
		opts = portsecurity.PortCreateOptsExt{CreateOptsBuilder: opts, PortSecurityEnabled: want.PortSecurity}
	}
	return opts
}

// PortChange is what shall be another on a port; nil stays as it is.
type PortChange struct {
	AddressPairs   *[]AddressPair
	SecurityGroups *[]string // IDs
}

// UpdatePort changes a port, by one request.
func (n *Networking) UpdatePort(ctx context.Context, id string, change PortChange) (Port, error) {
	opts := ports.UpdateOpts{SecurityGroups: change.SecurityGroups}
	if change.AddressPairs != nil {
		pairs := pairsTo(*change.AddressPairs)
		if pairs == nil {
			pairs = []ports.AddressPair{} // nil would not be sent
		}
		opts.AllowedAddressPairs = &pairs
	}
	updated, err := ports.Update(ctx, n.neutron, id, opts).Extract()
	if err != nil {
		return Port{}, err
	}
	return portFrom(*updated), nil
}

// DeletePort removes a port at once; one that is gone is a success.
func (n *Networking) DeletePort(ctx context.Context, id string) error {
	return IgnoreGone(ports.Delete(ctx, n.neutron, id).ExtractErr())
}

func pairsTo(pairs []AddressPair) []ports.AddressPair {
	if len(pairs) == 0 {
		return nil
	}
	return convert(pairs, func(p AddressPair) ports.AddressPair { return ports.AddressPair{IPAddress: p.IP, MACAddress: p.MAC} })
}

func portFrom(p ports.Port) Port {
	port := Port{
		ID: p.ID, Name: p.Name, Mark: p.Description, NetworkID: p.NetworkID, DeviceID: p.DeviceID,
		DeviceOwner: p.DeviceOwner, Status: p.Status, Tags: p.Tags, SecurityGroups: p.SecurityGroups,
	}
	for _, ip := range p.FixedIPs {
		port.FixedIPs = append(port.FixedIPs, FixedIP{SubnetID: ip.SubnetID, IP: ip.IPAddress})
	}
	for _, pair := range p.AllowedAddressPairs {
		port.AddressPairs = append(port.AddressPairs, AddressPair{IP: pair.IPAddress, MAC: pair.MACAddress})
	}
	return port
}

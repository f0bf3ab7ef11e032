package cloud

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsbinding"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsecurity"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
)

// DeviceOwnerRouterInterface marks the ports by which a router is on a subnet.
const DeviceOwnerRouterInterface = "network:router_interface"

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
	ID, Name, Mark, NetworkID, DeviceID, DeviceOwner, ProjectID string
}

// Ports lists what the filter selects.
func (n *Networking) Ports(ctx context.Context, f PortFilter) ([]Port, error) {
	pages, err := ports.List(n.neutron, ports.ListOpts{
		ID: f.ID, Name: f.Name, Description: f.Mark, NetworkID: f.NetworkID,
		DeviceID: f.DeviceID, DeviceOwner: f.DeviceOwner, ProjectID: f.ProjectID,
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

// CreatePort makes a port.
func (n *Networking) CreatePort(ctx context.Context, want PortSpec) (Port, error) {
	created, err := ports.Create(ctx, n.neutron, portOpts(want)).Extract()
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

// SetPortAddressPairs replaces the allowed address pairs.
func (n *Networking) SetPortAddressPairs(ctx context.Context, id string, pairs []AddressPair) (Port, error) {
	opts := pairsTo(pairs)
	if opts == nil {
		opts = []ports.AddressPair{}
	}
	updated, err := ports.Update(ctx, n.neutron, id, ports.UpdateOpts{AllowedAddressPairs: &opts}).Extract()
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

package cloud

import (
	"context"
	"net/netip"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/attributestags"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/external"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/mtu"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsecurity"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
)

// Networking is Neutron, as much of it as Capok needs.
//
// What we make carries our mark as its whole description: that is the only
// field that all kinds take in the create call and that lists can filter by.
// The filter is equality, so nothing else may stand in it.
type Networking struct {
	neutron *gophercloud.ServiceClient
	project string
}

// Network is a Neutron network.
type Network struct {
	ID       string
	Name     string
	Mark     string // description
	Tags     []string
	External bool // router:external
}

// NetworkSpec is what a new network should be.
type NetworkSpec struct {
	Name         string
	Mark         string
	MTU          int   // 0: Neutron's choice
	PortSecurity *bool // nil: Neutron's default
}

// TagFilter is Neutron's way to select by tags: all of Tags, any of TagsAny,
// not all of NotTags, none of NotTagsAny; each is a comma-separated list.
type TagFilter struct{ Tags, TagsAny, NotTags, NotTagsAny string }

// NetworkFilter selects networks, empty fields select everything.
type NetworkFilter struct {
	TagFilter
	ID, Name, Mark, ProjectID string
	External                  *bool
}

type rawNetwork struct {
	networks.Network
	external.NetworkExternalExt
}

// Networks lists what the filter selects, in whatever project: shared and
// external networks belong to others.
func (n *Networking) Networks(ctx context.Context, f NetworkFilter) ([]Network, error) {
	var opts networks.ListOptsBuilder = networks.ListOpts{
		ID: f.ID, Name: f.Name, Description: f.Mark, ProjectID: f.ProjectID,
		Tags: f.Tags, TagsAny: f.TagsAny, NotTags: f.NotTags, NotTagsAny: f.NotTagsAny,
	}
	if f.External != nil {
		opts = external.ListOptsExt{ListOptsBuilder: opts, External: f.External}
	}
	pages, err := networks.List(n.neutron, opts).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	var found []rawNetwork
	if err := networks.ExtractNetworksInto(pages, &found); err != nil {
		return nil, err
	}
	return convert(found, networkFrom), nil
}

// CreateNetwork makes a network.
func (n *Networking) CreateNetwork(ctx context.Context, want NetworkSpec) (Network, error) {
	var opts networks.CreateOptsBuilder = networks.CreateOpts{Name: want.Name, Description: want.Mark}
	if want.MTU > 0 {
		opts = mtu.CreateOptsExt{CreateOptsBuilder: opts, MTU: want.MTU}
	}
	if want.PortSecurity != nil {
		opts = portsecurity.NetworkCreateOptsExt{CreateOptsBuilder: opts, PortSecurityEnabled: want.PortSecurity}
	}
	created, err := networks.Create(ctx, n.neutron, opts).Extract()
	if err != nil {
		return Network{}, err
	}
	return networkFrom(rawNetwork{Network: *created}), nil
}

// DeleteNetwork removes a network; Busy while ports or subnets are on it.
func (n *Networking) DeleteNetwork(ctx context.Context, id string) error {
	return IgnoreGone(networks.Delete(ctx, n.neutron, id).ExtractErr())
}

func networkFrom(r rawNetwork) Network {
	return Network{ID: r.ID, Name: r.Name, Mark: r.Description, Tags: r.Tags, External: r.External}
}

// Subnet is a Neutron subnet.
type Subnet struct {
	ID        string
	Name      string
	Mark      string
	NetworkID string
	CIDR      netip.Prefix
	Gateway   string
	DNS       []string
	Tags      []string
}

// SubnetSpec is what a new subnet should be.
type SubnetSpec struct {
	Name      string
	Mark      string
	NetworkID string
	CIDR      netip.Prefix
	DNS       []string
	Pools     []AddressRange // empty: the whole subnet
}

// AddressRange is an inclusive range of addresses.
type AddressRange struct{ Start, End string }

// SubnetFilter selects subnets, empty fields select everything.
type SubnetFilter struct {
	TagFilter
	ID, Name, Mark, ProjectID, NetworkID, CIDR, GatewayIP string
	IPVersion                                             int
	IPv6AddressMode, IPv6RAMode                           string
}

// Subnets lists what the filter selects.
func (n *Networking) Subnets(ctx context.Context, f SubnetFilter) ([]Subnet, error) {
	pages, err := subnets.List(n.neutron, subnets.ListOpts{
		ID: f.ID, Name: f.Name, Description: f.Mark, ProjectID: f.ProjectID, NetworkID: f.NetworkID,
		CIDR: f.CIDR, GatewayIP: f.GatewayIP, IPVersion: f.IPVersion,
		IPv6AddressMode: f.IPv6AddressMode, IPv6RAMode: f.IPv6RAMode,
		Tags: f.Tags, TagsAny: f.TagsAny, NotTags: f.NotTags, NotTagsAny: f.NotTagsAny,
	}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := subnets.ExtractSubnets(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, subnetFrom), nil
}

// CreateSubnet makes a subnet with DHCP.
func (n *Networking) CreateSubnet(ctx context.Context, want SubnetSpec) (Subnet, error) {
	version := gophercloud.IPv4
	if want.CIDR.Addr().Is6() {
		version = gophercloud.IPv6
	}
	opts := subnets.CreateOpts{
		Name: want.Name, Description: want.Mark, NetworkID: want.NetworkID,
		CIDR: want.CIDR.String(), IPVersion: version, DNSNameservers: want.DNS,
	}
	for _, pool := range want.Pools {
		opts.AllocationPools = append(opts.AllocationPools, subnets.AllocationPool{Start: pool.Start, End: pool.End})
	}
	created, err := subnets.Create(ctx, n.neutron, opts).Extract()
	if err != nil {
		return Subnet{}, err
	}
	return subnetFrom(*created), nil
}

// SetSubnetDNS replaces the name servers that DHCP announces.
func (n *Networking) SetSubnetDNS(ctx context.Context, id string, servers []string) error {
	if servers == nil {
		servers = []string{}
	}
	_, err := subnets.Update(ctx, n.neutron, id, subnets.UpdateOpts{DNSNameservers: &servers}).Extract()
	return err
}

// DeleteSubnet removes a subnet; Busy while ports have addresses of it.
func (n *Networking) DeleteSubnet(ctx context.Context, id string) error {
	return IgnoreGone(subnets.Delete(ctx, n.neutron, id).ExtractErr())
}

func subnetFrom(s subnets.Subnet) Subnet {
	prefix, _ := netip.ParsePrefix(s.CIDR) // Neutron stores only what it could parse
	return Subnet{ID: s.ID, Name: s.Name, Mark: s.Description, NetworkID: s.NetworkID, CIDR: prefix,
		Gateway: s.GatewayIP, DNS: s.DNSNameservers, Tags: s.Tags}
}

// Collections of Neutron's API that can be tagged (api-ref "Standard
// attributes tag extension").
const (
	Networks       = "networks"
	Subnets        = "subnets"
	Routers        = "routers"
	Ports          = "ports"
	SecurityGroups = "security-groups"
	FloatingIPs    = "floatingips"
)

// SetTags replaces the tags of a resource. Tags are for people: our own mark
// is the description.
func (n *Networking) SetTags(ctx context.Context, collection, id string, tags []string) error {
	sorted := slices.Sorted(slices.Values(tags))
	_, err := attributestags.ReplaceAll(ctx, n.neutron, collection, id, attributestags.ReplaceAllOpts{Tags: sorted}).Extract()
	return err
}

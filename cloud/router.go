package cloud

import (
	"context"
	"strconv"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
)

// Router is a Neutron router.
type Router struct {
	ID              string
	Name            string
	Mark            string
	Tags            []string
	ExternalNetwork string // ID; empty: no gateway
	ExternalIPs     []ExternalIP
	Version         string // another after each change of the router or its interfaces; empty: the cloud has none
}

// ExternalIP is an address of a router's gateway. As part of a spec, an empty
// IP means any address of the subnet.
type ExternalIP struct{ SubnetID, IP string }

// RouterSpec is what a new router should be.
type RouterSpec struct {
	Name            string
	Mark            string
	ExternalNetwork string
	ExternalIPs     []ExternalIP
}

// RouterFilter selects routers, empty fields select everything.
type RouterFilter struct {
	TagFilter
	ID, Name, Mark, ProjectID string
}

// Routers lists what the filter selects.
func (n *Networking) Routers(ctx context.Context, f RouterFilter) ([]Router, error) {
	pages, err := routers.List(n.neutron, routers.ListOpts{
		ID: f.ID, Name: f.Name, Description: f.Mark, ProjectID: f.ProjectID,
		Tags: f.Tags, TagsAny: f.TagsAny, NotTags: f.NotTags, NotTagsAny: f.NotTagsAny,
	}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := routers.ExtractRouters(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, routerFrom), nil
}

// CreateRouter makes a router with its gateway.
func (n *Networking) CreateRouter(ctx context.Context, want RouterSpec) (Router, error) {
	created, err := routers.Create(ctx, n.neutron, routers.CreateOpts{
		Name: want.Name, Description: want.Mark,
		GatewayInfo: &routers.GatewayInfo{NetworkID: want.ExternalNetwork, ExternalFixedIPs: gatewayIPs(want.ExternalIPs)},
	}).Extract()
	if err != nil {
		return Router{}, err
	}
	return routerFrom(*created), nil
}

// SetRouterGateway changes network and addresses of the gateway.
func (n *Networking) SetRouterGateway(ctx context.Context, id, network string, ips []ExternalIP) (Router, error) {
	updated, err := routers.Update(ctx, n.neutron, id, routers.UpdateOpts{
		GatewayInfo: &routers.GatewayInfo{NetworkID: network, ExternalFixedIPs: gatewayIPs(ips)},
	}).Extract()
	if err != nil {
		return Router{}, err
	}
	return routerFrom(*updated), nil
}

// DeleteRouter removes a router; Busy while it has interfaces.
func (n *Networking) DeleteRouter(ctx context.Context, id string) error {
	return IgnoreGone(routers.Delete(ctx, n.neutron, id).ExtractErr())
}

// AddRouterInterface puts the router on a subnet, as its gateway. Refused
// (400 "Router already has a port on subnet") when it is there already.
func (n *Networking) AddRouterInterface(ctx context.Context, routerID, subnetID string) error {
	_, err := routers.AddInterface(ctx, n.neutron, routerID, routers.AddInterfaceOpts{SubnetID: subnetID}).Extract()
	return err
}

// RemoveRouterInterface takes the router off a subnet; Gone is success.
func (n *Networking) RemoveRouterInterface(ctx context.Context, routerID, subnetID string) error {
	_, err := routers.RemoveInterface(ctx, n.neutron, routerID, routers.RemoveInterfaceOpts{SubnetID: subnetID}).Extract()
	return IgnoreGone(err)
}

func gatewayIPs(ips []ExternalIP) []routers.ExternalFixedIP {
	var fixed []routers.ExternalFixedIP
	for _, ip := range ips {
		fixed = append(fixed, routers.ExternalFixedIP{SubnetID: ip.SubnetID, IPAddress: ip.IP})
	}
	return fixed
}

func routerFrom(r routers.Router) Router {
	router := Router{ID: r.ID, Name: r.Name, Mark: r.Description, Tags: r.Tags, ExternalNetwork: r.GatewayInfo.NetworkID}
	if r.RevisionNumber > 0 { // api-ref "Revisions"; neutron/db/models/l3.py: interfaces revise their router
		router.Version = strconv.Itoa(r.RevisionNumber)
	}
	for _, ip := range r.GatewayInfo.ExternalFixedIPs {
		router.ExternalIPs = append(router.ExternalIPs, ExternalIP{SubnetID: ip.SubnetID, IP: ip.IPAddress})
	}
	return router
}

package cluster

import (
	"context"
	"fmt"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/internal/lookup"
)

// What the user names is looked up in the catalog; nothing here changes it.

// referredNetwork finds the network and the subnets that the user names.
func referredNetwork(ctx context.Context, p *pass) (cloud.Network, []cloud.Subnet, error) {
	network, err := namedNetwork(ctx, p)
	if err != nil {
		return network, nil, err
	}
	if len(p.infra.Spec.Subnets) == 0 {
		all, err := p.access.Catalog.SubnetsOf(ctx, network.ID)
		if err == nil && len(all) == 0 {
			err = cloud.Problemf(cloud.Missing, "spec.network: network %s has no subnet; create one", network.ID)
		}
		return network, all, err
	}
	var found []cloud.Subnet
	for i, param := range p.infra.Spec.Subnets {
		subnet, err := subnetIn(ctx, p, network.ID, param, fmt.Sprintf("spec.subnets[%d]", i))
		if err != nil {
			return network, nil, err
		}
		found = append(found, subnet)
	}
	return network, found, nil
}

func namedNetwork(ctx context.Context, p *pass) (cloud.Network, error) {
	if p.infra.Spec.Network != nil {
		return p.access.Catalog.Network(ctx, lookup.Network(p.infra.Spec.Network), "spec.network")
	}
	if len(p.infra.Spec.Subnets) == 0 {
		return cloud.Network{}, cloud.Problemf(cloud.Invalid, "spec: name the network of the machines in network or subnets, or have one made by managedSubnets")
	}
	first, err := p.access.Catalog.Subnet(ctx, lookup.Subnet(p.infra.Spec.Subnets[0]), "spec.subnets[0]")
	if err != nil {
		return cloud.Network{}, err
	}
	return p.access.Catalog.Network(ctx, cloud.NetworkFilter{ID: first.NetworkID}, "spec.subnets[0]")
}

// subnetIn finds a subnet of a network, and says so if it is in another one.
func subnetIn(ctx context.Context, p *pass, networkID string, param infrav1.SubnetParam, field string) (cloud.Subnet, error) {
	anywhere := lookup.Subnet(param)
	inside := anywhere
	inside.NetworkID = networkID
	subnet, err := p.access.Catalog.Subnet(ctx, inside, field)
	if cloud.KindOf(err) != cloud.Missing {
		return subnet, err
	}
	other, otherErr := p.access.Catalog.Subnet(ctx, anywhere, field)
	if otherErr != nil {
		return subnet, err
	}
	return subnet, cloud.Problemf(cloud.Invalid, "%s: subnet %s is in network %s, not in network %s; name a subnet of that network",
		field, other.ID, other.NetworkID, networkID)
}

// primarySubnet is where machines and load balancer have their addresses when
// there are several subnets.
func (p *pass) primarySubnet(ctx context.Context) (cloud.Subnet, error) {
	if p.infra.Spec.PrimarySubnet != nil {
		return subnetIn(ctx, p, p.network.ID, *p.infra.Spec.PrimarySubnet, "spec.primarySubnet")
	}
	return p.subnets[0], nil
}

// externalNetwork finds the network of gateways and floating IPs.
func (p *pass) externalNetwork(ctx context.Context) (cloud.Network, error) {
	network, err := p.access.Catalog.ExternalNetwork(ctx, lookup.Network(p.infra.Spec.ExternalNetwork), "spec.externalNetwork")
	if err != nil {
		return network, err
	}
	p.infra.Status.ExternalNetwork = &infrav1.NetworkStatus{ID: network.ID, Name: network.Name, Tags: network.Tags}
	return network, nil
}

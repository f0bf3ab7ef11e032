package catalog

import (
	"cmp"
	"context"
	"fmt"

	"github.com/capok/capok/cloud"
)

// Network finds a network that the user named.
func (c *Catalog) Network(ctx context.Context, want cloud.NetworkFilter, field string) (cloud.Network, error) {
	return remember(c, want, func() (cloud.Network, error) {
		neutron, err := c.session.Networking()
		if err != nil {
			return cloud.Network{}, err
		}
		return mine(func(project string) ([]cloud.Network, error) {
			filter := want
			filter.ProjectID = cmp.Or(want.ProjectID, project)
			return neutron.Networks(ctx, filter)
		}, c.session.ProjectID, field, describe("network", want.ID, want.Name))
	})
}

// ExternalNetwork finds the network that floating IPs and gateways come from:
// what the user named, or the only one that there is.
func (c *Catalog) ExternalNetwork(ctx context.Context, want cloud.NetworkFilter, field string) (cloud.Network, error) {
	external := true
	want.External = &external
	question := struct {
		what string
		cloud.NetworkFilter
	}{"external", want}
	question.External = nil // a pointer would make every question a new one
	return remember(c, question, func() (cloud.Network, error) {
		neutron, err := c.session.Networking()
		if err != nil {
			return cloud.Network{}, err
		}
		found, err := neutron.Networks(ctx, want)
		if err != nil {
			return cloud.Network{}, fmt.Errorf("list external networks: %w", err)
		}
		return one(found, field, describe("external network", want.ID, want.Name))
	})
}

// Subnet finds a subnet that the user named.
func (c *Catalog) Subnet(ctx context.Context, want cloud.SubnetFilter, field string) (cloud.Subnet, error) {
	return remember(c, want, func() (cloud.Subnet, error) {
		neutron, err := c.session.Networking()
		if err != nil {
			return cloud.Subnet{}, err
		}
		return mine(func(project string) ([]cloud.Subnet, error) {
			filter := want
			filter.ProjectID = cmp.Or(want.ProjectID, project)
			return neutron.Subnets(ctx, filter)
		}, c.session.ProjectID, field, describe("subnet", want.ID, want.Name))
	})
}

// Router finds a router that the user named.
func (c *Catalog) Router(ctx context.Context, want cloud.RouterFilter, field string) (cloud.Router, error) {
	return remember(c, want, func() (cloud.Router, error) {
		neutron, err := c.session.Networking()
		if err != nil {
			return cloud.Router{}, err
		}
		return mine(func(project string) ([]cloud.Router, error) {
			filter := want
			filter.ProjectID = cmp.Or(want.ProjectID, project)
			return neutron.Routers(ctx, filter)
		}, c.session.ProjectID, field, describe("router", want.ID, want.Name))
	})
}

// SubnetsOf lists all subnets of a network.
func (c *Catalog) SubnetsOf(ctx context.Context, networkID string) ([]cloud.Subnet, error) {
	return remember(c, "subnets of "+networkID, func() ([]cloud.Subnet, error) {
		neutron, err := c.session.Networking()
		if err != nil {
			return nil, err
		}
		return neutron.Subnets(ctx, cloud.SubnetFilter{NetworkID: networkID})
	})
}

// SecurityGroup finds a security group that the user named.
func (c *Catalog) SecurityGroup(ctx context.Context, want cloud.SecurityGroupFilter, field string) (cloud.SecurityGroup, error) {
	return remember(c, want, func() (cloud.SecurityGroup, error) {
		neutron, err := c.session.Networking()
		if err != nil {
			return cloud.SecurityGroup{}, err
		}
		return mine(func(project string) ([]cloud.SecurityGroup, error) {
			filter := want
			filter.ProjectID = cmp.Or(want.ProjectID, project)
			return neutron.SecurityGroups(ctx, filter)
		}, c.session.ProjectID, field, describe("security group", want.ID, want.Name))
	})
}

// BalancerFlavor finds a flavor of load balancers by its ID or its name.
func (c *Catalog) BalancerFlavor(ctx context.Context, idOrName, field string) (cloud.BalancerFlavor, error) {
	return remember(c, "load balancer flavor "+idOrName, func() (cloud.BalancerFlavor, error) {
		octavia, err := c.session.LoadBalancing()
		if err != nil {
			return cloud.BalancerFlavor{}, err
		}
		all, err := octavia.BalancerFlavors(ctx)
		if err != nil {
			return cloud.BalancerFlavor{}, fmt.Errorf("list load balancer flavors: %w", err)
		}
		fits := keepIf(all, func(f cloud.BalancerFlavor) bool { return f.ID == idOrName || f.Name == idOrName })
		return one(fits, field, fmt.Sprintf("load balancer flavor %q", idOrName))
	})
}

func describe(kind, id, name string) string {
	if id == "" && name == "" {
		return kind
	}
	return Choice{ID: id, Name: name}.describe(kind)
}

// Package lookup turns the parameters by which users name existing networks,
// subnets, routers and security groups into the filters of package cloud.
//
// It only translates; package catalog asks OpenStack.
package lookup

import (
	"strings"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

// Network is the filter for a network. Nil selects every network.
func Network(n *infrav1.NetworkParam) cloud.NetworkFilter {
	if n == nil {
		return cloud.NetworkFilter{}
	}
	by := neutron(n.Filter)
	return cloud.NetworkFilter{ID: n.ID, Name: by.Name, Mark: by.Description, ProjectID: by.ProjectID, TagFilter: tags(by.FilterByNeutronTags)}
}

// Router is the filter for a router.
func Router(r infrav1.RouterParam) cloud.RouterFilter {
	by := neutron(r.Filter)
	return cloud.RouterFilter{ID: r.ID, Name: by.Name, Mark: by.Description, ProjectID: by.ProjectID, TagFilter: tags(by.FilterByNeutronTags)}
}

// SecurityGroup is the filter for a security group.
func SecurityGroup(g infrav1.SecurityGroupParam) cloud.SecurityGroupFilter {
	by := neutron(g.Filter)
	return cloud.SecurityGroupFilter{ID: g.ID, Name: by.Name, Mark: by.Description, ProjectID: by.ProjectID, TagFilter: tags(by.FilterByNeutronTags)}
}

// Subnet is the filter for a subnet.
func Subnet(s infrav1.SubnetParam) cloud.SubnetFilter {
	if s.Filter == nil {
		return cloud.SubnetFilter{ID: s.ID}
	}
	by := s.Filter
	return cloud.SubnetFilter{
		ID: s.ID, Name: by.Name, Mark: by.Description, ProjectID: by.ProjectID, CIDR: by.CIDR, GatewayIP: by.GatewayIP,
		IPVersion: int(by.IPVersion), IPv6AddressMode: by.IPv6AddressMode, IPv6RAMode: by.IPv6RAMode,
		TagFilter: tags(by.FilterByNeutronTags),
	}
}

func neutron(by *infrav1.NeutronFilter) infrav1.NeutronFilter {
	if by == nil {
		return infrav1.NeutronFilter{}
	}
	return *by
}

// tags joins lists as Neutron's query has them.
func tags(t infrav1.FilterByNeutronTags) cloud.TagFilter {
	return cloud.TagFilter{
		Tags: strings.Join(t.Tags, ","), TagsAny: strings.Join(t.TagsAny, ","),
		NotTags: strings.Join(t.NotTags, ","), NotTagsAny: strings.Join(t.NotTagsAny, ","),
	}
}

package cloud

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/rules"
)

// SecurityGroup is a Neutron security group with its rules.
type SecurityGroup struct {
	ID    string
	Name  string
	Mark  string
	Tags  []string
	Rules []SecurityRule
}

// SecurityRule allows some traffic. ID is empty in a wish. Everything else is
// as Neutron's API has it; empty or zero means "any".
type SecurityRule struct {
	ID             string
	Description    string
	Direction      string // ingress, egress
	EtherType      string // IPv4, IPv6
	Protocol       string // tcp, udp, icmp, a number
	PortMin        int    // for icmp: the type
	PortMax        int    // for icmp: the code
	RemoteGroupID  string
	RemoteIPPrefix string
}

// SecurityGroupFilter selects groups, empty fields select everything.
type SecurityGroupFilter struct {
	TagFilter
	ID, Name, Mark, ProjectID string
}

// SecurityGroups lists what the filter selects, with all their rules.
func (n *Networking) SecurityGroups(ctx context.Context, f SecurityGroupFilter) ([]SecurityGroup, error) {
	pages, err := groups.List(n.neutron, groups.ListOpts{
		ID: f.ID, Name: f.Name, Description: f.Mark, ProjectID: f.ProjectID,
		Tags: f.Tags, TagsAny: f.TagsAny, NotTags: f.NotTags, NotTagsAny: f.NotTagsAny,
	}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := groups.ExtractGroups(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, securityGroupFrom), nil
}

// CreateSecurityGroup makes a group; Neutron puts two rules into it that let
// everything out.
func (n *Networking) CreateSecurityGroup(ctx context.Context, name, mark string) (SecurityGroup, error) {
	created, err := groups.Create(ctx, n.neutron, groups.CreateOpts{Name: name, Description: mark}).Extract()
	if err != nil {
		return SecurityGroup{}, err
	}
	return securityGroupFrom(*created), nil
}

// DeleteSecurityGroup removes a group; Busy while ports have it.
func (n *Networking) DeleteSecurityGroup(ctx context.Context, id string) error {
	return IgnoreGone(groups.Delete(ctx, n.neutron, id).ExtractErr())
}

// CreateSecurityRules adds rules to a group, all in one request: either all
// are made or none.
func (n *Networking) CreateSecurityRules(ctx context.Context, groupID string, wanted []SecurityRule) ([]SecurityRule, error) {
	opts := convert(wanted, func(r SecurityRule) rules.CreateOpts {
		return rules.CreateOpts{
			SecGroupID: groupID, Description: r.Description,
			Direction: rules.RuleDirection(r.Direction), EtherType: rules.RuleEtherType(r.EtherType),
			Protocol: rules.RuleProtocol(r.Protocol), PortRangeMin: r.PortMin, PortRangeMax: r.PortMax,
			RemoteGroupID: r.RemoteGroupID, RemoteIPPrefix: r.RemoteIPPrefix,
		}
	})
	created, err := rules.CreateBulk(ctx, n.neutron, opts).Extract()
	if err != nil {
		return nil, err
	}
	return convert(created, securityRuleFrom), nil
}

// DeleteSecurityRule removes a rule; one that is gone is a success.
func (n *Networking) DeleteSecurityRule(ctx context.Context, id string) error {
	return IgnoreGone(rules.Delete(ctx, n.neutron, id).ExtractErr())
}

func securityGroupFrom(g groups.SecGroup) SecurityGroup {
	return SecurityGroup{ID: g.ID, Name: g.Name, Mark: g.Description, Tags: g.Tags, Rules: convert(g.Rules, securityRuleFrom)}
}

func securityRuleFrom(r rules.SecGroupRule) SecurityRule {
	return SecurityRule{
		ID: r.ID, Description: r.Description, Direction: r.Direction, EtherType: r.EtherType, Protocol: r.Protocol,
		PortMin: r.PortRangeMin, PortMax: r.PortRangeMax, RemoteGroupID: r.RemoteGroupID, RemoteIPPrefix: r.RemoteIPPrefix,
	}
}

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/cloud/secgroup"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// ensureSecurityGroups makes the groups of control plane and workers, and
// keeps their rules.
func ensureSecurityGroups(ctx context.Context, p *pass) step.Result {
	if p.infra.Spec.ManagedSecurityGroups == nil {
		return step.NotNeeded()
	}
	if p.network.ID == "" {
		return step.WaitEvent(infrav1.WaitingForNetwork, "the rules need to know the subnets, which are not there yet")
	}
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	status := &p.infra.Status
	controlPlane, err := ensureGroup(ctx, p, neutron, infrav1.ControlPlaneGroup, &status.ControlPlaneSecurityGroup)
	if err != nil {
		return step.Fail(err)
	}
	worker, err := ensureGroup(ctx, p, neutron, infrav1.WorkerGroup, &status.WorkerSecurityGroup)
	if err != nil {
		return step.Fail(err)
	}
	want := secgroup.Desired(desiredRules(p, controlPlane.ID, worker.ID))
	if err := ensureRules(ctx, p, neutron, controlPlane, want.ControlPlane); err != nil {
		return step.Fail(err)
	}
	if err := ensureRules(ctx, p, neutron, worker, want.Worker); err != nil {
		return step.Fail(err)
	}
	return step.Done()
}

func ensureGroup(ctx context.Context, p *pass, neutron *cloud.Networking, role infrav1.ManagedSecurityGroupName, status **infrav1.SecurityGroupStatus) (cloud.SecurityGroup, error) {
	name := naming.SecurityGroup(p.infra.Namespace, p.name, string(role))
	named := slices.DeleteFunc(slices.Clone(p.seen.SecurityGroups), func(g cloud.SecurityGroup) bool { return g.Name != name })
	known := ""
	if *status != nil {
		known = (*status).ID
	}
	group, found, err := keepOne(ctx, p, securityGroups(neutron), named, known)
	if err != nil {
		return group, err
	}
	if !found {
		p.wrote(snapshot.SecurityGroups)
		if group, err = neutron.CreateSecurityGroup(ctx, name, p.mark); err != nil {
			return group, fmt.Errorf("create security group %s: %w", name, err)
		}
		p.journal.Notef("SecurityGroupCreated", "created security group %s (%s)", name, group.ID)
	}
	*status = &infrav1.SecurityGroupStatus{ID: group.ID, Name: group.Name}
	return group, p.tag(ctx, neutron, cloud.SecurityGroups, group.ID, group.Tags)
}

func ensureRules(ctx context.Context, p *pass, neutron *cloud.Networking, group cloud.SecurityGroup, want []cloud.SecurityRule) error {
	changes := secgroup.Diff(want, group.Rules)
	if changes.None() {
		return nil
	}
	p.wrote(snapshot.SecurityGroups)
	if len(changes.Create) > 0 {
		if _, err := neutron.CreateSecurityRules(ctx, group.ID, changes.Create); err != nil {
			return fmt.Errorf("add %d rules to security group %s: %w", len(changes.Create), group.Name, err)
		}
	}
	for _, rule := range changes.Delete {
		if err := neutron.DeleteSecurityRule(ctx, rule.ID); err != nil {
			return fmt.Errorf("delete rule %s of security group %s: %w", rule.ID, group.Name, err)
		}
	}
	p.journal.Notef("SecurityGroupUpdated", "added %d rules to security group %s and deleted %d", len(changes.Create), group.Name, len(changes.Delete))
	return nil
}

func desiredRules(p *pass, controlPlaneID, workerID string) secgroup.Wish {
	spec := p.infra.Spec.ManagedSecurityGroups
	ids := map[infrav1.ManagedSecurityGroupName]string{infrav1.ControlPlaneGroup: controlPlaneID, infrav1.WorkerGroup: workerID}
	return secgroup.Wish{
		ControlPlaneID: controlPlaneID, WorkerID: workerID,
		APIPorts:     p.apiPorts(),
		ClusterCIDRs: p.subnetRanges(),
		AllowAll:     spec.AllowAllInClusterTraffic != nil && *spec.AllowAllInClusterTraffic,
		ControlPlane: customRules(ids, spec.ClusterNodesSecurityGroupRules, spec.ControlPlaneNodesSecurityGroupRules),
		Worker:       customRules(ids, spec.ClusterNodesSecurityGroupRules, spec.WorkerNodesSecurityGroupRules),
	}
}

// customRules resolves the user's rules: one for each managed group on the
// other side.
func customRules(ids map[infrav1.ManagedSecurityGroupName]string, lists ...[]infrav1.SecurityGroupRuleSpec) []cloud.SecurityRule {
	var rules []cloud.SecurityRule
	for _, spec := range slices.Concat(lists...) {
		rule := cloud.SecurityRule{
			Description: spec.Description, Direction: string(spec.Direction), EtherType: string(spec.EtherType), Protocol: spec.Protocol,
			PortMin: number(spec.PortRangeMin), PortMax: number(spec.PortRangeMax),
			RemoteGroupID: spec.RemoteGroupID, RemoteIPPrefix: spec.RemoteIPPrefix,
		}
		if len(spec.RemoteManagedGroups) == 0 {
			rules = append(rules, rule)
		}
		for _, group := range spec.RemoteManagedGroups {
			rule.RemoteGroupID = ids[group]
			rules = append(rules, rule)
		}
	}
	return rules
}

func number(n *int64) int {
	if n == nil {
		return 0
	}
	return int(*n)
}

// apiPort is the port of the endpoint.
func (p *pass) apiPort() int32 {
	return cmp.Or(p.infra.Spec.ControlPlaneEndpoint.Port, p.api().Port, infrav1.DefaultAPIServerPort)
}

// apiPorts are the ports by which control-plane machines are reached from
// anywhere: the endpoint's, the API server's own if that is another, and the
// additional ones of the load balancer.
func (p *pass) apiPorts() []int {
	ports := []int{int(p.apiPort())}
	if p.cluster != nil && p.cluster.Spec.ClusterNetwork.APIServerPort > 0 {
		ports = append(ports, int(p.cluster.Spec.ClusterNetwork.APIServerPort))
	}
	return append(ports, p.additionalPorts()...)
}

func (p *pass) additionalPorts() []int {
	var ports []int
	if p.balanced() {
		for _, port := range p.api().ManagedLoadBalancer.AdditionalPorts {
			ports = append(ports, int(port))
		}
	}
	return ports
}

// removeSecurityGroups deletes the groups. Rules that name the other group go
// with it.
func removeSecurityGroups(ctx context.Context, p *pass) step.Result {
	if result, waiting := p.waitForMachines(); waiting {
		return result
	}
	if p.infra.Spec.ManagedSecurityGroups == nil {
		return step.Done()
	}
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	return removeAll(ctx, p, securityGroups(neutron), p.seen.SecurityGroups)
}

// subnetRanges are the ranges of the machines' subnets.
func (p *pass) subnetRanges() []netip.Prefix {
	var ranges []netip.Prefix
	for _, subnet := range p.subnets {
		ranges = append(ranges, subnet.CIDR)
	}
	return ranges
}

// subnetIDs are the IDs of the machines' subnets.
func (p *pass) subnetIDs() []string {
	var ids []string
	for _, subnet := range p.subnets {
		ids = append(ids, subnet.ID)
	}
	return ids
}

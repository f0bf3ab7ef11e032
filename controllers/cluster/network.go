package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// ensureNetwork makes the network with its subnets, or finds those that the
// user names; these are never changed.
func ensureNetwork(ctx context.Context, p *pass) step.Result {
	ensure := referredNetwork
	if p.managed() {
		ensure = ensureOwnNetwork
	}
	network, found, err := ensure(ctx, p)
	if err != nil {
		return step.Fail(err)
	}
	p.network, p.subnets = network, found
	p.infra.Status.Network = networkStatus(network, found)
	if _, err := p.primarySubnet(ctx); err != nil {
		return step.Fail(err)
	}
	return step.Done()
}

func ensureOwnNetwork(ctx context.Context, p *pass) (cloud.Network, []cloud.Subnet, error) {
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return cloud.Network{}, nil, err
	}
	network, err := ensureOneNetwork(ctx, p, neutron)
	if err != nil {
		return network, nil, err
	}
	var all []cloud.Subnet
	for _, want := range p.infra.Spec.ManagedSubnets {
		subnet, err := ensureSubnet(ctx, p, neutron, network, want)
		if err != nil {
			return network, nil, err
		}
		all = append(all, subnet)
	}
	return network, all, nil
}

func ensureOneNetwork(ctx context.Context, p *pass, neutron *cloud.Networking) (cloud.Network, error) {
	known := ""
	if p.infra.Status.Network != nil {
		known = p.infra.Status.Network.ID
	}
	network, found, err := keepOne(ctx, p, networks(neutron), p.seen.Networks, known)
	if err != nil {
		return network, err
	}
	if !found {
		want := cloud.NetworkSpec{Name: naming.Cluster(p.infra.Namespace, p.name), Mark: p.mark}
		if tuned := p.infra.Spec.ManagedNetwork; tuned != nil {
			want.MTU, want.PortSecurity = int(tuned.MTU), tuned.EnablePortSecurity
		}
		p.wrote(snapshot.Networks)
		if network, err = neutron.CreateNetwork(ctx, want); err != nil {
			return network, fmt.Errorf("create network %s: %w", want.Name, err)
		}
		p.journal.Notef("NetworkCreated", "created network %s (%s)", network.Name, network.ID)
	}
	return network, p.tag(ctx, neutron, cloud.Networks, network.ID, network.Tags)
}

func ensureSubnet(ctx context.Context, p *pass, neutron *cloud.Networking, network cloud.Network, want infrav1.SubnetSpec) (cloud.Subnet, error) {
	cidr, err := netip.ParsePrefix(want.CIDR)
	if err != nil {
		return cloud.Subnet{}, cloud.Problemf(cloud.Invalid, "spec.managedSubnets: %q is no address range such as 10.6.0.0/24", want.CIDR)
	}
	same := slices.DeleteFunc(slices.Clone(p.seen.Subnets), func(s cloud.Subnet) bool {
		return s.NetworkID != network.ID || s.CIDR != cidr
	})
	subnet, found, err := keepOne(ctx, p, subnets(neutron), same, "")
	if err != nil {
		return subnet, err
	}
	if !found {
		if subnet, err = createSubnet(ctx, p, neutron, network, want); err != nil {
			return subnet, err
		}
	}
	if !slices.Equal(subnet.DNS, want.DNSNameservers) {
		p.wrote(snapshot.Subnets)
		if err := neutron.SetSubnetDNS(ctx, subnet.ID, want.DNSNameservers); err != nil {
			return subnet, fmt.Errorf("change the DNS servers of subnet %s: %w", subnet.ID, err)
		}
		p.journal.Notef("SubnetUpdated", "changed the DNS servers of subnet %s to %s", subnet.ID, strings.Join(want.DNSNameservers, ", "))
	}
	return subnet, p.tag(ctx, neutron, cloud.Subnets, subnet.ID, subnet.Tags)
}

func createSubnet(ctx context.Context, p *pass, neutron *cloud.Networking, network cloud.Network, want infrav1.SubnetSpec) (cloud.Subnet, error) {
	spec := cloud.SubnetSpec{
		Name: naming.Cluster(p.infra.Namespace, p.name), Mark: p.mark, NetworkID: network.ID,
		CIDR: netip.MustParsePrefix(want.CIDR), DNS: want.DNSNameservers,
	}
	for _, pool := range want.AllocationPools {
		spec.Pools = append(spec.Pools, cloud.AddressRange{Start: pool.Start, End: pool.End})
	}
	p.wrote(snapshot.Subnets)
	subnet, err := neutron.CreateSubnet(ctx, spec)
	if err != nil {
		return subnet, fmt.Errorf("create subnet %s: %w", want.CIDR, err)
	}
	p.journal.Notef("SubnetCreated", "created subnet %s (%s)", want.CIDR, subnet.ID)
	return subnet, nil
}

// removeNetwork deletes subnets, then the network, once nothing of the cluster
// is on them. What others left there is named.
func removeNetwork(ctx context.Context, p *pass) step.Result {
	if !p.managed() {
		return step.Done()
	}
	if !p.routerGone || !p.endpointGone {
		return step.WaitEvent(infrav1.Deleting, "the network goes after router and endpoint")
	}
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	for _, network := range p.seen.Networks {
		if result, inTheWay := portsInTheWay(ctx, neutron, network); inTheWay {
			return result
		}
	}
	if len(p.seen.Subnets) > 0 {
		return removeAll(ctx, p, subnets(neutron), p.seen.Subnets)
	}
	return removeAll(ctx, p, networks(neutron), p.seen.Networks)
}

// portsInTheWay looks for ports that keep the network from being deleted.
// Neutron deletes those of its own DHCP agents by itself.
func portsInTheWay(ctx context.Context, neutron *cloud.Networking, network cloud.Network) (step.Result, bool) {
	ports, err := neutron.Ports(ctx, cloud.PortFilter{NetworkID: network.ID})
	if err != nil {
		return step.Fail(fmt.Errorf("list the ports of network %s: %w", network.ID, err)), true
	}
	var names []string
	for _, port := range ports {
		if port.DeviceOwner != "network:dhcp" && port.DeviceOwner != "network:distributed" {
			names = append(names, fmt.Sprintf("%s of %s", port.ID, owner(port)))
		}
	}
	if len(names) == 0 {
		return step.Result{}, false
	}
	return step.Wait(infrav1.Busy, fmt.Sprintf("network %s still has the ports %s: delete what they belong to", network.ID, shortList(names)), portPoll), true
}

func owner(port cloud.Port) string {
	if port.DeviceOwner == "" && port.DeviceID == "" {
		return "nobody"
	}
	return strings.TrimSpace(port.DeviceOwner + " " + port.DeviceID)
}

// shortList names the first five of a list.
func shortList(names []string) string {
	const most = 5
	slices.Sort(names)
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func networkStatus(network cloud.Network, subnets []cloud.Subnet) *infrav1.NetworkStatusWithSubnets {
	status := &infrav1.NetworkStatusWithSubnets{NetworkStatus: infrav1.NetworkStatus{ID: network.ID, Name: network.Name, Tags: network.Tags}}
	for _, s := range subnets {
		status.Subnets = append(status.Subnets, infrav1.SubnetStatus{ID: s.ID, Name: s.Name, CIDR: s.CIDR.String(), Tags: s.Tags})
	}
	return status
}

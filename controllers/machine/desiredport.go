package machine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/internal/lookup"
)

// desiredPort resolves what the user asks for into what Neutron is asked for.
func desiredPort(ctx context.Context, p *pass, index int) (cloud.PortSpec, error) {
	opts := p.portOpts()[index]
	field := fmt.Sprintf("spec.ports[%d]", index)
	network, ips, err := p.place(ctx, opts, field)
	if err != nil {
		return cloud.PortSpec{}, err
	}
	groups, err := p.portGroups(ctx, opts, field)
	if err != nil {
		return cloud.PortSpec{}, err
	}
	return cloud.PortSpec{
		Name: naming.Port(p.machine.Name, opts.NameSuffix, index), Mark: p.mark,
		NetworkID: network, FixedIPs: ips, SecurityGroups: groups,
		AddressPairs: addressPairs(opts), MAC: opts.MACAddress, VNICType: opts.VNICType, HostID: opts.HostID,
		Profile: profile(opts.Profile), AdminStateUp: opts.AdminStateUp, PortSecurity: opts.EnablePortSecurity,
		PropagateUplink: opts.PropagateUplinkStatus, Extra: extra(opts.ValueSpecs),
	}, nil
}

// place finds the network and the subnets of a port.
func (p *pass) place(ctx context.Context, opts infrav1.PortOpts, field string) (networkID string, ips []cloud.FixedIP, err error) {
	if opts.Network != nil {
		network, err := p.access.Catalog.Network(ctx, lookup.Network(opts.Network), field+".network")
		if err != nil {
			return "", nil, err
		}
		networkID = network.ID
	}
	for i, wish := range opts.FixedIPs {
		ip := cloud.FixedIP{IP: wish.IPAddress}
		if wish.Subnet != nil {
			subnet, err := p.subnet(ctx, *wish.Subnet, networkID, fmt.Sprintf("%s.fixedIPs[%d].subnet", field, i))
			if err != nil {
				return "", nil, err
			}
			ip.SubnetID, networkID = subnet.ID, subnet.NetworkID
		}
		ips = append(ips, ip)
	}
	if networkID != "" {
		return networkID, ips, nil
	}
	if len(ips) == 0 {
		ips, err = p.clusterSubnets(ctx)
	}
	return p.infra.Status.Network.ID, ips, err
}

// subnet finds a subnet that the user named: in the network, if that is known.
func (p *pass) subnet(ctx context.Context, param infrav1.SubnetParam, networkID, field string) (cloud.Subnet, error) {
	want := lookup.Subnet(param)
	want.NetworkID = networkID
	return p.access.Catalog.Subnet(ctx, want, field)
}

// clusterSubnets is where a machine has its addresses by default: in the
// primary subnet, or in each of the cluster's subnets.
func (p *pass) clusterSubnets(ctx context.Context) ([]cloud.FixedIP, error) {
	if primary := p.infra.Spec.PrimarySubnet; primary != nil {
		subnet, err := p.subnet(ctx, *primary, p.infra.Status.Network.ID, "OpenStackCluster spec.primarySubnet")
		return []cloud.FixedIP{{SubnetID: subnet.ID}}, err
	}
	var ips []cloud.FixedIP
	for _, subnet := range p.infra.Status.Network.Subnets {
		ips = append(ips, cloud.FixedIP{SubnetID: subnet.ID})
	}
	return ips, nil
}

// portGroups is the port's own security groups, else the managed one of the
// machine's role with the machine's own. Nil leaves it to Neutron.
func (p *pass) portGroups(ctx context.Context, opts infrav1.PortOpts, field string) ([]string, error) {
	if opts.EnablePortSecurity != nil && !*opts.EnablePortSecurity {
		return []string{}, nil
	}
	wishes, path := opts.SecurityGroups, field+".securityGroups"
	var ids []string
	if len(wishes) == 0 {
		wishes, path = p.machine.Spec.SecurityGroups, "spec.securityGroups"
		ids, _ = p.managedGroup() // ensurePorts waited for it
	}
	for i, wish := range wishes {
		group, err := p.access.Catalog.SecurityGroup(ctx, lookup.SecurityGroup(wish), fmt.Sprintf("%s[%d]", path, i))
		if err != nil {
			return nil, err
		}
		ids = append(ids, group.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// managedGroup is the cluster's own group for the machine's role, if wanted.
// There are none while the cluster has not made it.
func (p *pass) managedGroup() (ids []string, made bool) {
	if p.infra.Spec.ManagedSecurityGroups == nil {
		return nil, true
	}
	group := p.infra.Status.WorkerSecurityGroup
	if p.controlPlane() {
		group = p.infra.Status.ControlPlaneSecurityGroup
	}
	if group == nil || group.ID == "" {
		return nil, false
	}
	return []string{group.ID}, true
}

func addressPairs(opts infrav1.PortOpts) []cloud.AddressPair {
	var pairs []cloud.AddressPair
	for _, pair := range opts.AllowedAddressPairs {
		pairs = append(pairs, cloud.AddressPair{IP: pair.IPAddress, MAC: pair.MACAddress})
	}
	return pairs
}

// samePairs compares what is there with what is wanted. Neutron fills in the
// port's own MAC address where none was given.
func samePairs(have, want []cloud.AddressPair) bool {
	return len(have) == len(want) && !slices.ContainsFunc(want, func(w cloud.AddressPair) bool {
		return !slices.ContainsFunc(have, func(h cloud.AddressPair) bool {
			return h.IP == w.IP && (w.MAC == "" || strings.EqualFold(h.MAC, w.MAC))
		})
	})
}

func profile(want *infrav1.BindingProfile) map[string]any {
	if want == nil {
		return nil
	}
	profile := map[string]any{}
	if want.OVSHWOffload != nil && *want.OVSHWOffload {
		profile["capabilities"] = []string{"switchdev"}
	}
	if want.TrustedVF != nil && *want.TrustedVF {
		profile["trusted"] = "true"
	}
	return profile
}

func extra(specs []infrav1.ValueSpec) map[string]string {
	extra := map[string]string{}
	for _, spec := range specs {
		extra[spec.Key] = spec.Value
	}
	return extra
}

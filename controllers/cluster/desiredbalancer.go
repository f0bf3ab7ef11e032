package cluster

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/internal/lookup"
)

// place is where a load balancer has its address. Without subnets, Octavia
// chooses one of the network.
type place struct {
	network cloud.Network
	subnets []cloud.Subnet
}

// vipPlace is what the user says, else the cluster's primary subnet.
func (p *pass) vipPlace(ctx context.Context) (place, error) {
	spec := p.api().ManagedLoadBalancer
	at := place{network: p.network}
	if spec.Network == nil && len(spec.Subnets) == 0 {
		primary, err := p.primarySubnet(ctx)
		at.subnets = []cloud.Subnet{primary}
		return at, err
	}
	if spec.Network != nil {
		network, err := p.access.Catalog.Network(ctx, lookup.Network(spec.Network), "spec.apiServer.managedLoadBalancer.network")
		if err != nil {
			return at, err
		}
		at.network = network
	}
	for i, param := range spec.Subnets {
		subnet, err := subnetIn(ctx, p, at.network.ID, param, fmt.Sprintf("spec.apiServer.managedLoadBalancer.subnets[%d]", i))
		if err != nil {
			return at, err
		}
		at.subnets = append(at.subnets, subnet)
	}
	return at, nil
}

// desiredBalancer is all but the flavor, which matters only at creation.
func desiredBalancer(p *pass, at place) cloud.BalancerSpec {
	spec := p.api().ManagedLoadBalancer
	want := cloud.BalancerSpec{
		Name:     naming.APIBalancer(p.infra.Namespace, p.name),
		Tags:     append([]string{p.mark, naming.APIBalancerTag(p.mark)}, p.infra.Spec.Tags...),
		Provider: spec.Provider, AvailabilityZone: spec.AvailabilityZone, VIP: p.vip(at),
	}
	if len(at.subnets) > 0 {
		want.VIPSubnet = at.subnets[0].ID
	} else {
		want.VIPNetwork = at.network.ID
	}
	for _, port := range append([]int{int(p.apiPort())}, p.additionalPorts()...) {
		want.Listeners = append(want.Listeners, desiredListener(p, at, port))
	}
	return want
}

// vip is the address that the load balancer has to have: the fixed one, or
// the endpoint's when it is made again. Empty: any.
func (p *pass) vip(at place) string {
	if fixed := p.api().FixedIP; fixed != "" || p.floating() {
		return fixed
	}
	for _, subnet := range at.subnets {
		if ip := p.endpointIP(); subnet.CIDR.Contains(ip) {
			return ip.String()
		}
	}
	return ""
}

func desiredListener(p *pass, at place, port int) cloud.ListenerSpec {
	name := naming.APIListener(p.infra.Namespace, p.name, port)
	algorithm := "ROUND_ROBIN"
	if p.api().ManagedLoadBalancer.Provider == "ovn" {
		algorithm = "SOURCE_IP_PORT" // the only one that it knows
	}
	return cloud.ListenerSpec{
		Name: name, Protocol: "TCP", Port: port, AllowedCIDRs: allowedCIDRs(p, at),
		Pool: cloud.PoolSpec{Name: name, Protocol: "TCP", Algorithm: algorithm, Monitor: desiredMonitor(p, name)},
	}
}

func desiredMonitor(p *pass, name string) *cloud.MonitorSpec {
	tuned := infrav1.APIServerLoadBalancerMonitor{}
	if p.api().ManagedLoadBalancer.Monitor != nil {
		tuned = *p.api().ManagedLoadBalancer.Monitor
	}
	return &cloud.MonitorSpec{
		Name: name, Type: "TCP",
		Delay: int(cmp.Or(tuned.Delay, 10)), Timeout: int(cmp.Or(tuned.Timeout, 5)),
		Retries: int(cmp.Or(tuned.MaxRetries, 5)), RetryDown: int(cmp.Or(tuned.MaxRetriesDown, 3)),
	}
}

// allowedCIDRs is who may reach the load balancer: when that is limited, the
// cluster's own machines, directly or through their router, always may.
func allowedCIDRs(p *pass, at place) []string {
	given := p.api().ManagedLoadBalancer.AllowedCIDRs
	if len(given) == 0 {
		return nil
	}
	own := p.subnetRanges()
	for _, subnet := range at.subnets {
		own = append(own, subnet.CIDR)
	}
	if p.infra.Status.Router != nil {
		for _, address := range p.infra.Status.Router.IPs {
			if ip, err := netip.ParseAddr(address); err == nil {
				own = append(own, netip.PrefixFrom(ip, ip.BitLen()))
			}
		}
	}
	var all []string
	for _, prefix := range own {
		if prefix.Addr().Is4() { // Octavia takes only ranges of the VIP's family
			all = append(all, prefix.Masked().String())
		}
	}
	return uniq(given, all)
}

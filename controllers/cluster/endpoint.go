package cluster

import (
	"context"
	"fmt"
	"net/netip"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/loadbalancer"
	"github.com/capok/capok/internal/step"
)

// ensureEndpoint gives the Kubernetes API an address: that of a load balancer
// with or without a floating IP, the one that is given, a floating IP that the
// machine controller attaches to a control-plane machine, or a fixed one.
func ensureEndpoint(ctx context.Context, p *pass) step.Result {
	host := p.infra.Spec.ControlPlaneEndpoint.Host
	switch {
	case p.network.ID == "":
		return step.WaitEvent(infrav1.WaitingForNetwork, "the network is not there yet")
	case !p.routerReady && (p.floating() || p.balanced()):
		return step.WaitEvent(infrav1.WaitingForRouter, "the router is not there yet")
	case p.balanced():
		return ensureBalancer(ctx, p)
	case host != "":
		return step.Done() // given, or made by an earlier pass
	case p.floating():
		return reserveFloatingIP(ctx, p)
	case p.api().FixedIP != "":
		p.setEndpoint(p.api().FixedIP)
		return step.Done()
	case p.cluster != nil && p.cluster.Spec.ControlPlaneEndpoint.Host != "":
		return step.Done() // whoever runs the control plane set it
	}
	return step.WaitEvent(infrav1.WaitingForControlPlaneEndpoint,
		"the spec asks for no address of the Kubernetes API: set apiServer.managedLoadBalancer, apiServer.enableFloatingIP or apiServer.fixedIP, or controlPlaneEndpoint")
}

// setEndpoint tells Cluster API the address; it is never changed.
func (p *pass) setEndpoint(host string) {
	endpoint := &p.infra.Spec.ControlPlaneEndpoint
	if endpoint.Host == "" {
		*endpoint = clusterv1.APIEndpoint{Host: host, Port: p.apiPort()}
		p.journal.Notef("EndpointSet", "the Kubernetes API is at %s:%d", endpoint.Host, endpoint.Port)
	}
}

// endpointIP is the address that the endpoint has already, if it is one.
func (p *pass) endpointIP() netip.Addr {
	ip, _ := netip.ParseAddr(p.infra.Spec.ControlPlaneEndpoint.Host)
	return ip
}

// waitForMachines keeps what machines use until they are gone.
func (p *pass) waitForMachines() (step.Result, bool) {
	if len(p.machines) == 0 {
		return step.Result{}, false
	}
	return step.WaitEvent(infrav1.WaitingForMachines, fmt.Sprintf("the OpenStackMachines %s go first", shortList(p.machines))), true
}

// removeEndpoint gives the floating IP back, then deletes the load balancer
// with everything below it. What the user brought along stays.
func removeEndpoint(ctx context.Context, p *pass) step.Result {
	if result, waiting := p.waitForMachines(); waiting {
		return result
	}
	if len(p.seen.FloatingIPs) > 0 {
		neutron, err := p.access.Session.Networking()
		if err != nil {
			return step.Fail(err)
		}
		return removeAll(ctx, p, floatingIPs(neutron), p.seen.FloatingIPs)
	}
	octavia, err := p.access.Session.LoadBalancing()
	if !p.balanced() || cloud.KindOf(err) == cloud.Missing {
		p.endpointGone = true
		return step.Done()
	}
	if err != nil {
		return step.Fail(err)
	}
	return removeBalancers(ctx, p, octavia)
}

func removeBalancers(ctx context.Context, p *pass, octavia *cloud.LoadBalancing) step.Result {
	left := present(p.seen.Balancers)
	if len(left) == 0 {
		return proveBalancerGone(ctx, p, octavia)
	}
	for _, b := range left {
		if loadbalancer.Changing(b) {
			return step.Wait(infrav1.Deleting, fmt.Sprintf("load balancer %s is %s; Octavia takes no other change until that is done", b.ID, b.Status), balancerPoll)
		}
	}
	return removeAll(ctx, p, balancers(octavia), left)
}

// proveBalancerGone asks for the load balancer that we knew by its ID.
func proveBalancerGone(ctx context.Context, p *pass, octavia *cloud.LoadBalancing) step.Result {
	known := p.knownBalancer()
	if known != "" {
		b, err := octavia.Balancer(ctx, known)
		switch {
		case err == nil && b.Status != cloud.LoadBalancerDeleted:
			return step.Wait(infrav1.Deleting, fmt.Sprintf("load balancer %s is %s", b.ID, b.Status), balancerPoll)
		case err != nil && cloud.KindOf(err) != cloud.Gone:
			return step.Fail(fmt.Errorf("look up load balancer %s: %w", known, err))
		}
	}
	p.endpointGone = true
	return step.Done()
}

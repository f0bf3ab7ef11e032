package cluster

import (
	"context"
	"fmt"
	"slices"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/lookup"
	"github.com/capok/capok/internal/step"
)

// ensureRouter connects our network to the external one. A network that the
// user brings has a router already, or needs none.
func ensureRouter(ctx context.Context, p *pass) step.Result {
	if !p.managed() || (!p.external() && p.infra.Spec.Router == nil) {
		p.routerReady = true
		return step.NotNeeded()
	}
	if p.network.ID == "" {
		return step.WaitEvent(infrav1.WaitingForNetwork, "the network is not there yet")
	}
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	router, err := ensureOneRouter(ctx, p, neutron)
	if err != nil {
		return step.Fail(err)
	}
	p.infra.Status.Router = routerStatus(router)
	if err := ensureInterfaces(ctx, p, neutron, router); err != nil {
		return step.Fail(err)
	}
	p.routerReady = true
	return step.Done()
}

// ensureOneRouter makes the router with its gateway, or finds the one that the
// user names.
func ensureOneRouter(ctx context.Context, p *pass, neutron *cloud.Networking) (cloud.Router, error) {
	if p.infra.Spec.Router != nil {
		return p.access.Catalog.Router(ctx, lookup.Router(*p.infra.Spec.Router), "spec.router")
	}
	want, err := desiredRouter(ctx, p)
	if err != nil {
		return cloud.Router{}, err
	}
	known := ""
	if p.infra.Status.Router != nil {
		known = p.infra.Status.Router.ID
	}
	router, found, err := keepOne(ctx, p, routers(neutron), p.seen.Routers, known)
	switch {
	case err != nil:
		return router, err
	case !found:
		p.wrote(snapshot.Routers)
		if router, err = neutron.CreateRouter(ctx, want); err != nil {
			return router, fmt.Errorf("create router %s: %w", want.Name, err)
		}
		p.journal.Notef("RouterCreated", "created router %s (%s)", router.Name, router.ID)
	case !sameGateway(want, router):
		p.wrote(snapshot.Routers)
		if router, err = neutron.SetRouterGateway(ctx, router.ID, want.ExternalNetwork, want.ExternalIPs); err != nil {
			return router, fmt.Errorf("set the gateway of router %s: %w", router.ID, err)
		}
		p.journal.Notef("RouterUpdated", "set the gateway of router %s to network %s", router.ID, want.ExternalNetwork)
	}
	return router, p.tag(ctx, neutron, cloud.Routers, router.ID, router.Tags)
}

func desiredRouter(ctx context.Context, p *pass) (cloud.RouterSpec, error) {
	external, err := p.externalNetwork(ctx)
	if err != nil {
		return cloud.RouterSpec{}, err
	}
	want := cloud.RouterSpec{Name: naming.Cluster(p.infra.Namespace, p.name), Mark: p.mark, ExternalNetwork: external.ID}
	if p.infra.Spec.ManagedRouter == nil {
		return want, nil
	}
	for i, ip := range p.infra.Spec.ManagedRouter.ExternalIPs {
		subnet, err := subnetIn(ctx, p, external.ID, ip.Subnet, fmt.Sprintf("spec.managedRouter.externalIPs[%d].subnet", i))
		if err != nil {
			return want, err
		}
		want.ExternalIPs = append(want.ExternalIPs, cloud.ExternalIP{SubnetID: subnet.ID, IP: ip.FixedIP})
	}
	return want, nil
}

// sameGateway compares before anything is sent: a PUT with the same addresses
// still makes Neutron rebuild the gateway.
func sameGateway(want cloud.RouterSpec, have cloud.Router) bool {
	if want.ExternalNetwork != have.ExternalNetwork {
		return false
	}
	return !slices.ContainsFunc(want.ExternalIPs, func(w cloud.ExternalIP) bool {
		return !slices.ContainsFunc(have.ExternalIPs, func(h cloud.ExternalIP) bool {
			return h.SubnetID == w.SubnetID && (w.IP == "" || w.IP == h.IP)
		})
	})
}

// ensureInterfaces puts the router on our subnets.
func ensureInterfaces(ctx context.Context, p *pass, neutron *cloud.Networking, router cloud.Router) error {
	if p.access.Proofs.Hold(router.ID, router.Version, p.subnetIDs()) {
		return nil
	}
	var ports []cloud.Port
	if p.infra.Spec.Router != nil || len(p.seen.Routers) > 0 { // one that this pass made has none yet
		var err error
		if ports, err = neutron.Ports(ctx, cloud.PortFilter{DeviceID: router.ID, NetworkID: p.network.ID}); err != nil {
			return fmt.Errorf("list the interfaces of router %s: %w", router.ID, err)
		}
	}
	complete := true
	for _, subnet := range p.subnets {
		if slices.ContainsFunc(ports, func(port cloud.Port) bool { return isOn(port, subnet.ID) }) {
			continue
		}
		complete = false
		if err := neutron.AddRouterInterface(ctx, router.ID, subnet.ID); err != nil {
			return fmt.Errorf("put router %s on subnet %s: %w", router.ID, subnet.ID, err)
		}
		p.journal.Notef("RouterInterfaceAdded", "put router %s on subnet %s", router.ID, subnet.ID)
	}
	if complete {
		p.access.Proofs.Keep(router.ID, router.Version, p.subnetIDs())
	}
	return nil
}

func isOn(port cloud.Port, subnetID string) bool {
	return slices.ContainsFunc(port.FixedIPs, func(ip cloud.FixedIP) bool { return ip.SubnetID == subnetID })
}

// removeRouter takes the router off our subnets, and deletes it if it is ours.
func removeRouter(ctx context.Context, p *pass) step.Result {
	if !p.managed() {
		p.routerGone = true
		return step.Done()
	}
	if !p.endpointGone {
		return step.WaitEvent(infrav1.Deleting, "the router goes after the endpoint, whose floating IP leads through it")
	}
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	if err := removeInterfaces(ctx, p, neutron); err != nil {
		return step.Fail(err)
	}
	result := removeAll(ctx, p, routers(neutron), p.seen.Routers)
	p.routerGone = len(p.seen.Routers) == 0
	return result
}

// removeInterfaces takes routers off our subnets: whatever router it is, the
// subnet goes, and the router stays unless it is ours. The interfaces are what
// proves it: a router that the spec names may not be found by that any more.
func removeInterfaces(ctx context.Context, p *pass, neutron *cloud.Networking) error {
	for _, network := range p.seen.Networks {
		ports, err := neutron.Ports(ctx, cloud.PortFilter{NetworkID: network.ID})
		if err != nil {
			return fmt.Errorf("list the ports of network %s: %w", network.ID, err)
		}
		for _, port := range ports {
			if !port.OfRouter() {
				continue
			}
			if err := takeOff(ctx, p, neutron, port); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeOff takes a router off the subnets of one of its interfaces.
func takeOff(ctx context.Context, p *pass, neutron *cloud.Networking, port cloud.Port) error {
	for _, ip := range port.FixedIPs {
		if err := neutron.RemoveRouterInterface(ctx, port.DeviceID, ip.SubnetID); err != nil {
			return fmt.Errorf("take router %s off subnet %s: %w", port.DeviceID, ip.SubnetID, err)
		}
		p.journal.Notef("RouterInterfaceRemoved", "took router %s off subnet %s", port.DeviceID, ip.SubnetID)
	}
	return nil
}

func routerStatus(router cloud.Router) *infrav1.RouterStatus {
	status := &infrav1.RouterStatus{ID: router.ID, Name: router.Name, Tags: router.Tags}
	for _, ip := range router.ExternalIPs {
		status.IPs = append(status.IPs, ip.IP)
	}
	status.IPs = uniq(status.IPs)
	return status
}

package cluster

import (
	"cmp"
	"context"
	"fmt"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// reserveFloatingIP makes the floating IP of an endpoint without a load
// balancer. It leads nowhere until the machine controller attaches it to a
// control-plane machine.
func reserveFloatingIP(ctx context.Context, p *pass) step.Result {
	ip, err := ensureFloatingIP(ctx, p, "")
	if err != nil {
		return step.Fail(err)
	}
	p.setEndpoint(ip.IP)
	return step.Done()
}

// ensureFloatingIP makes the floating IP of the endpoint, or takes the one that
// the user names, and makes it lead to a port if one is given.
func ensureFloatingIP(ctx context.Context, p *pass, portID string) (cloud.FloatingIP, error) {
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return cloud.FloatingIP{}, err
	}
	ip, found, err := findFloatingIP(ctx, p, neutron)
	if err != nil {
		return ip, err
	}
	if !found {
		if ip, err = createFloatingIP(ctx, p, neutron, portID); err != nil {
			return ip, err
		}
	}
	if ip.PortID != "" && ip.PortID != portID && ip.Mark != p.mark {
		return ip, cloud.Problemf(cloud.Invalid, "spec.apiServer.floatingIP: floating IP %s is used by port %s; name one that is free, or detach it", ip.IP, ip.PortID)
	}
	if portID != "" && ip.PortID != portID {
		p.wrote(snapshot.FloatingIPs)
		if ip, err = neutron.AttachFloatingIP(ctx, ip.ID, portID); err != nil {
			return ip, fmt.Errorf("attach floating IP %s to port %s: %w", ip.ID, portID, err)
		}
		p.journal.Notef("FloatingIPAttached", "attached floating IP %s to port %s", ip.IP, portID)
	}
	if ip.Mark != p.mark {
		return ip, nil // the user's: not tagged
	}
	return ip, p.tag(ctx, neutron, cloud.FloatingIPs, ip.ID, ip.Tags)
}

// address is the floating IP that it has to be; empty: any.
func (p *pass) address() string {
	if p.api().FloatingIP != "" {
		return p.api().FloatingIP
	}
	if ip := p.endpointIP(); ip.IsValid() {
		return ip.String() // it was deleted behind our back
	}
	return ""
}

// findFloatingIP looks for ours, then for one of the user's with the address.
func findFloatingIP(ctx context.Context, p *pass, neutron *cloud.Networking) (cloud.FloatingIP, bool, error) {
	preferred := ""
	for _, ip := range p.seen.FloatingIPs {
		if ip.IP == p.address() {
			preferred = ip.ID
		}
	}
	ip, found, err := keepOne(ctx, p, floatingIPs(neutron), p.seen.FloatingIPs, preferred)
	if found || err != nil || p.address() == "" {
		return ip, found, err
	}
	users, err := neutron.FloatingIPs(ctx, cloud.FloatingIPFilter{IP: p.address(), ProjectID: p.access.Session.ProjectID})
	if err != nil {
		return ip, false, fmt.Errorf("look for floating IP %s: %w", p.address(), err)
	}
	if len(users) == 0 {
		return ip, false, nil
	}
	return users[0], true, nil
}

func createFloatingIP(ctx context.Context, p *pass, neutron *cloud.Networking, portID string) (cloud.FloatingIP, error) {
	external, err := p.externalNetwork(ctx)
	if err != nil {
		return cloud.FloatingIP{}, err
	}
	p.wrote(snapshot.FloatingIPs)
	ip, err := neutron.CreateFloatingIP(ctx, cloud.FloatingIPSpec{Mark: p.mark, NetworkID: external.ID, IP: p.address(), PortID: portID})
	if err != nil {
		return ip, fmt.Errorf("create floating IP %s: %w", cmp.Or(p.address(), "of network "+external.Name), err)
	}
	p.journal.Notef("FloatingIPCreated", "created floating IP %s (%s)", ip.IP, ip.ID)
	return ip, nil
}

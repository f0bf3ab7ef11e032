package machine

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/loadbalancer"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// ensureMember puts a control-plane machine behind the API endpoint: into the
// pools of the load balancer, or under the endpoint's floating IP.
func ensureMember(ctx context.Context, p *pass) step.Result {
	if !p.controlPlane() {
		return step.NotNeeded()
	}
	if p.server.ID == "" || len(p.ports) == 0 {
		return step.WaitEvent(infrav1.WaitingForServer, "the machine joins the API endpoint once it has a server")
	}
	if !p.balanced() {
		return ensureFloatingIP(ctx, p)
	}
	balancer, found := p.seen.Balancer(naming.APIBalancerTag(p.mark))
	if !found {
		return step.Wait(infrav1.WaitingForLoadBalancer, "the load balancer of the API is not there, see APIEndpointReady of the OpenStackCluster", balancerPoll)
	}
	address, ok := p.memberAddress()
	if !ok {
		return step.Fail(cloud.Problemf(cloud.Invalid, "spec.ports[0]: the first port has no address to reach the API at"))
	}
	if p.access.Proofs.Hold(p.server.ID, balancer.Version(p.clock.Now()), address) {
		return step.Done()
	}
	return p.joinPools(ctx, balancer, address)
}

// joinPools makes the machine a member of each pool of the load balancer, one
// in each pass, and remembers when it is one of all.
func (p *pass) joinPools(ctx context.Context, balancer cloud.Balancer, address cloud.FixedIP) step.Result {
	if loadbalancer.Changing(balancer) {
		return step.Wait(infrav1.Updating, fmt.Sprintf("load balancer %s is %s", balancer.ID, balancer.Status), balancerPoll)
	}
	balancing, err := p.access.Session.LoadBalancing()
	if err != nil {
		return step.Fail(err)
	}
	missing, err := p.missingMembers(ctx, balancing, balancer, address)
	if err != nil {
		return step.Fail(err)
	}
	if len(missing) == 0 {
		p.access.Proofs.Keep(p.server.ID, balancer.Version(p.clock.Now()), address)
		return step.Done()
	}
	p.wrote(snapshot.Balancers)
	next := missing[0] // one change at a time: it makes the load balancer busy
	if err := balancing.AddMember(ctx, next.pool, next.spec); err != nil {
		return step.Fail(fmt.Errorf("add the machine to pool %s: %w", next.pool, err))
	}
	p.journal.Notef("APIMemberAdded", "added %s to the load balancer of the API", next.spec.Address)
	return step.Wait(infrav1.Updating, "the load balancer of the API takes the machine in", balancerPoll)
}

// missingMembers finds the pools that the machine is not in, or not with its
// address.
func (p *pass) missingMembers(ctx context.Context, balancing *cloud.LoadBalancing, balancer cloud.Balancer, at cloud.FixedIP) ([]membership, error) {
	listeners, err := balancing.Listeners(ctx, balancer.ID)
	if err != nil {
		return nil, fmt.Errorf("list the listeners of load balancer %s: %w", balancer.ID, err)
	}
	var missing []membership
	for _, listener := range listeners {
		if listener.PoolID == "" {
			continue // the cluster has not made it yet
		}
		want := cloud.MemberSpec{
			Name:    naming.APIMember(p.machine.Namespace, p.clusterName(), listener.Port, p.machine.Name),
			Address: at.IP, Port: p.memberPort(listener.Port), SubnetID: at.SubnetID,
		}
		members, err := balancing.Members(ctx, listener.PoolID)
		if err != nil {
			return nil, fmt.Errorf("list the members of pool %s: %w", listener.PoolID, err)
		}
		if !has(members, want) {
			missing = append(missing, membership{pool: listener.PoolID, spec: want})
		}
	}
	return missing, nil
}

// memberPort is where the machine listens for what comes to a port of the load
// balancer: the same, but for the Kubernetes API, if its own port is set.
func (p *pass) memberPort(listener int) int {
	own := p.cluster.Spec.ClusterNetwork.APIServerPort
	if own != 0 && listener == int(p.infra.Spec.ControlPlaneEndpoint.Port) {
		return int(own)
	}
	return listener
}

func has(members []cloud.Member, want cloud.MemberSpec) bool {
	for _, m := range members {
		if m.Address == want.Address && m.Port == want.Port {
			return true
		}
	}
	return false
}

// memberAddress is where the machine serves the API: the first address of its
// first port, IPv4 if it has one.
func (p *pass) memberAddress() (cloud.FixedIP, bool) {
	var best cloud.FixedIP
	for _, ip := range p.ports[0].FixedIPs {
		parsed, err := netip.ParseAddr(ip.IP)
		if err == nil && parsed.Is4() {
			return ip, true
		}
		if best.IP == "" {
			best = ip
		}
	}
	return best, best.IP != ""
}

// ensureFloatingIP makes the endpoint's floating IP lead to a control-plane
// machine, if it leads nowhere.
func ensureFloatingIP(ctx context.Context, p *pass) step.Result {
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	fip, found, err := p.endpointIP(ctx, neutron)
	if err != nil {
		return step.Fail(err)
	}
	if !found {
		return step.NotNeeded() // the endpoint is somebody else's business
	}
	if fip.PortID != "" {
		return step.Done() // of this machine or another one
	}
	p.wrote(snapshot.FloatingIPs)
	p.wrote(snapshot.Servers) // Nova tells their addresses
	if _, err := neutron.AttachFloatingIP(ctx, fip.ID, p.ports[0].ID); err != nil {
		return step.Fail(fmt.Errorf("attach floating IP %s to port %s: %w", fip.IP, p.ports[0].ID, err))
	}
	p.journal.Notef("FloatingIPAttached", "attached floating IP %s of the API", fip.IP)
	// The server was looked at before: its addresses get the new one at the next look.
	return step.Wait(infrav1.Updating, "floating IP "+fip.IP+" of the API was attached to the machine", addressPoll)
}

// endpointIP finds the floating IP of the endpoint: one with our mark, or the
// one that the user named, which has none.
func (p *pass) endpointIP(ctx context.Context, neutron *cloud.Networking) (cloud.FloatingIP, bool, error) {
	host := p.infra.Spec.ControlPlaneEndpoint.Host
	isEndpoint := func(f cloud.FloatingIP) bool { return f.IP == host }
	if i := slices.IndexFunc(p.seen.FloatingIPs, isEndpoint); i >= 0 {
		return p.seen.FloatingIPs[i], true, nil
	}
	if api := p.infra.Spec.APIServer; api == nil || api.FloatingIP != host {
		return cloud.FloatingIP{}, false, nil
	}
	named, err := neutron.FloatingIPs(ctx, cloud.FloatingIPFilter{IP: host, ProjectID: p.access.Session.ProjectID})
	if err != nil {
		return cloud.FloatingIP{}, false, fmt.Errorf("look for floating IP %s: %w", host, err)
	}
	i := slices.IndexFunc(named, isEndpoint)
	if i < 0 {
		return cloud.FloatingIP{}, false, nil
	}
	return named[i], true, nil
}

// removeMember takes the machine out of the load balancer, so that no request
// goes to a server that is about to end.
func removeMember(ctx context.Context, p *pass) step.Result {
	balancer, found := p.seen.Balancer(naming.APIBalancerTag(p.mark))
	switch {
	case !found, p.clusterEnds():
		p.memberGone = true // a worker, or no load balancer, or it goes as a whole
		return step.Done()
	case loadbalancer.Changing(balancer):
		return step.Wait(infrav1.Deleting, fmt.Sprintf("load balancer %s is %s; it lets the machine go after that", balancer.ID, balancer.Status), balancerPoll)
	}
	balancing, err := p.access.Session.LoadBalancing()
	if err != nil {
		return step.Fail(err)
	}
	left, err := p.membersLeft(ctx, balancing, balancer)
	if err != nil {
		return step.Fail(err)
	}
	if len(left) == 0 {
		p.memberGone = true
		return step.Done()
	}
	p.wrote(snapshot.Balancers)
	if err := balancing.DeleteMember(ctx, left[0].pool, left[0].id); err != nil {
		return step.Fail(fmt.Errorf("take the machine out of pool %s: %w", left[0].pool, err))
	}
	p.journal.Notef("APIMemberRemoved", "took the machine out of the load balancer of the API")
	return step.Wait(infrav1.Deleting, "the load balancer of the API lets the machine go", balancerPoll)
}

// clusterEnds tells whether the whole cluster is being deleted.
func (p *pass) clusterEnds() bool {
	return p.cluster == nil || !p.cluster.DeletionTimestamp.IsZero()
}

func (p *pass) hasAddress(address string) bool {
	for i := range p.portOpts() {
		for _, port := range p.portsNamed(p.portName(i)) {
			if slices.ContainsFunc(port.FixedIPs, func(ip cloud.FixedIP) bool { return ip.IP == address }) {
				return true
			}
		}
	}
	return false
}

// membership is a machine's place in a pool: one that is there has an ID, one
// that is wanted a spec.
type membership struct {
	pool string
	id   string
	spec cloud.MemberSpec
}

// membersLeft finds the machine in the pools: by its name, since its ports may
// be gone already, and by the addresses of its ports, since ensureMember takes
// a member for the machine's that has its address.
func (p *pass) membersLeft(ctx context.Context, balancing *cloud.LoadBalancing, balancer cloud.Balancer) ([]membership, error) {
	listeners, err := balancing.Listeners(ctx, balancer.ID)
	if err != nil {
		return nil, fmt.Errorf("list the listeners of load balancer %s: %w", balancer.ID, err)
	}
	var left []membership
	for _, listener := range listeners {
		if listener.PoolID == "" {
			continue
		}
		members, err := balancing.Members(ctx, listener.PoolID)
		if err != nil {
			return nil, fmt.Errorf("list the members of pool %s: %w", listener.PoolID, err)
		}
		name := naming.APIMember(p.machine.Namespace, p.clusterName(), listener.Port, p.machine.Name)
		for _, m := range members {
			if m.Name == name || p.hasAddress(m.Address) {
				left = append(left, membership{pool: listener.PoolID, id: m.ID})
			}
		}
	}
	return left, nil
}

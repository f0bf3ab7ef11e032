package cluster

import (
	"context"
	"fmt"
	"slices"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/loadbalancer"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// ensureBalancer makes the load balancer of the Kubernetes API, gives it its
// floating IP, and keeps what may change on it.
func ensureBalancer(ctx context.Context, p *pass) step.Result {
	octavia, err := p.access.Session.LoadBalancing()
	if err != nil {
		return step.Fail(err)
	}
	place, err := p.vipPlace(ctx)
	if err != nil {
		return step.Fail(err)
	}
	want := desiredBalancer(p, place)
	balancer, found, err := findBalancer(ctx, p, octavia)
	switch {
	case err != nil:
		return step.Fail(err)
	case !found:
		return createBalancer(ctx, p, octavia, want)
	}
	host := balancer.VIP
	status := balancerStatus(balancer, place, want)
	p.infra.Status.APIServerManagedLoadBalancer = status
	if p.floating() {
		ip, err := ensureFloatingIP(ctx, p, balancer.VIPPortID)
		if err != nil {
			return step.Fail(err)
		}
		status.IP, host = ip.IP, ip.IP
	}
	return settleBalancer(ctx, p, octavia, balancer, settling{want, host})
}

// settling is what a load balancer becomes once Octavia has made it.
type settling struct {
	want cloud.BalancerSpec
	host string // of the endpoint
}

func settleBalancer(ctx context.Context, p *pass, octavia *cloud.LoadBalancing, balancer cloud.Balancer, to settling) step.Result {
	switch {
	case loadbalancer.Changing(balancer):
		return step.Wait(progress(p), fmt.Sprintf("load balancer %s is %s", balancer.ID, balancer.Status), balancerPoll)
	case balancer.Status == cloud.LoadBalancerError:
		return mendBalancer(ctx, p, octavia, balancer)
	}
	version := balancer.Version(p.clock.Now())
	if p.access.Proofs.Hold(balancer.ID, version, to.want) {
		p.setEndpoint(to.host)
		return step.Done()
	}
	seen, err := loadbalancer.Observe(ctx, octavia, balancer)
	if err != nil {
		return step.Fail(err)
	}
	ops := loadbalancer.Plan(to.want, seen)
	if len(ops) == 0 {
		p.access.Proofs.Keep(balancer.ID, version, to.want)
		p.setEndpoint(to.host)
		return step.Done()
	}
	p.wrote(snapshot.Balancers)
	done, err := loadbalancer.Apply(ctx, octavia, ops)
	for _, op := range done {
		p.journal.Notef("LoadBalancerUpdated", "load balancer %s: %s", balancer.ID, op)
	}
	if err != nil && cloud.KindOf(err) != cloud.Busy {
		return step.Fail(err)
	}
	return step.Wait(infrav1.Updating, fmt.Sprintf("load balancer %s: %s", balancer.ID, ops[0]), balancerPoll)
}

// progress is the reason while Octavia works.
func progress(p *pass) string {
	if p.infra.Spec.ControlPlaneEndpoint.Host == "" {
		return infrav1.Creating
	}
	return infrav1.Updating
}

// mendBalancer makes a load balancer anew that never worked: nothing can use
// it yet. One that worked is left to people.
func mendBalancer(ctx context.Context, p *pass, octavia *cloud.LoadBalancing, balancer cloud.Balancer) step.Result {
	if p.infra.Spec.ControlPlaneEndpoint.Host != "" {
		return step.Wait(infrav1.LoadBalancerFault, fmt.Sprintf(
			"load balancer %s is in ERROR: have the cloud's operator fail it over, or delete it with all its parts, and it is made again", balancer.ID), balancerRetry)
	}
	p.wrote(snapshot.Balancers)
	if err := octavia.DeleteBalancer(ctx, balancer.ID); err != nil {
		return step.Fail(fmt.Errorf("delete load balancer %s, which is in ERROR: %w", balancer.ID, err))
	}
	p.journal.Warnf("LoadBalancerDeleted", "deleted load balancer %s, which Octavia could not make", balancer.ID)
	return step.Wait(infrav1.LoadBalancerFault, fmt.Sprintf("Octavia could not make load balancer %s; it was deleted and is made again", balancer.ID), balancerRetry)
}

// findBalancer looks for ours, and by its ID for the one that the status
// knows: only a GET proves that it is gone.
func findBalancer(ctx context.Context, p *pass, octavia *cloud.LoadBalancing) (cloud.Balancer, bool, error) {
	tag, known := naming.APIBalancerTag(p.mark), p.knownBalancer()
	tagged := slices.DeleteFunc(present(p.seen.Balancers), func(b cloud.Balancer) bool { return !slices.Contains(b.Tags, tag) })
	found, ok, err := keepOne(ctx, p, balancers(octavia), tagged, known)
	if ok || err != nil || known == "" {
		return found, ok, err
	}
	found, err = octavia.Balancer(ctx, known)
	switch {
	case cloud.KindOf(err) == cloud.Gone:
		return found, false, nil
	case err != nil:
		return found, false, fmt.Errorf("look up load balancer %s: %w", known, err)
	}
	return found, found.Status != cloud.LoadBalancerDeleted, nil
}

// present leaves out what Octavia only remembers.
func present(all []cloud.Balancer) []cloud.Balancer {
	return slices.DeleteFunc(slices.Clone(all), func(b cloud.Balancer) bool { return b.Status == cloud.LoadBalancerDeleted })
}

func (p *pass) knownBalancer() string {
	if p.infra.Status.APIServerManagedLoadBalancer == nil {
		return ""
	}
	return p.infra.Status.APIServerManagedLoadBalancer.ID
}

func createBalancer(ctx context.Context, p *pass, octavia *cloud.LoadBalancing, want cloud.BalancerSpec) step.Result {
	if name := p.api().ManagedLoadBalancer.Flavor; name != "" {
		flavor, err := p.access.Catalog.BalancerFlavor(ctx, name, "spec.apiServer.managedLoadBalancer.flavor")
		if err != nil {
			return step.Fail(err)
		}
		want.FlavorID = flavor.ID
	}
	p.wrote(snapshot.Balancers)
	if _, err := loadbalancer.Apply(ctx, octavia, loadbalancer.Plan(want, nil)); err != nil {
		return step.Fail(err)
	}
	p.journal.Notef("LoadBalancerCreated", "created load balancer %s", want.Name)
	return step.Wait(infrav1.Creating, fmt.Sprintf("load balancer %s is being made", want.Name), balancerPoll)
}

func balancerStatus(b cloud.Balancer, at place, want cloud.BalancerSpec) *infrav1.LoadBalancerStatus {
	return &infrav1.LoadBalancerStatus{
		ID: b.ID, Name: b.Name, InternalIP: b.VIP, Tags: uniq(b.Tags), AllowedCIDRs: want.Listeners[0].AllowedCIDRs,
		LoadBalancerNetwork: networkStatus(at.network, at.subnets),
	}
}

package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/capok/capok/cloud"
)

// Observed is a load balancer with what hangs below it, but for members.
type Observed struct {
	cloud.Balancer
	Listeners []cloud.Listener
	Pools     []cloud.Pool
	Monitors  []cloud.Monitor
}

// Observe looks at what hangs below a load balancer: two requests and one for
// each pool that has a monitor. Gone means that it is being deleted meanwhile.
func Observe(ctx context.Context, octavia *cloud.LoadBalancing, balancer cloud.Balancer) (*Observed, error) {
	seen := &Observed{Balancer: balancer}
	var err error
	if seen.Listeners, err = octavia.Listeners(ctx, balancer.ID); err != nil {
		return nil, fmt.Errorf("list the listeners of load balancer %s: %w", balancer.ID, err)
	}
	if seen.Pools, err = octavia.Pools(ctx, balancer.ID); err != nil {
		return nil, fmt.Errorf("list the pools of load balancer %s: %w", balancer.ID, err)
	}
	for _, pool := range seen.Pools {
		if pool.MonitorID == "" {
			continue
		}
		monitor, err := octavia.Monitor(ctx, pool.MonitorID)
		if err != nil {
			return nil, fmt.Errorf("look up the monitor of pool %s: %w", pool.ID, err)
		}
		seen.Monitors = append(seen.Monitors, monitor)
	}
	return seen, nil
}

// Changing tells whether Octavia takes no change of the load balancer now,
// because another is on its way (api-ref "Provisioning status codes").
func Changing(b cloud.Balancer) bool {
	return strings.HasPrefix(b.Status, "PENDING_")
}

// Backend is the pool behind one port of a load balancer, with its members.
type Backend struct {
	Port    int // of the listener
	PoolID  string
	Members []cloud.Member
}

// Member finds a member by its name.
func (b Backend) Member(name string) (cloud.Member, bool) {
	i := slices.IndexFunc(b.Members, func(m cloud.Member) bool { return m.Name == name })
	if i < 0 {
		return cloud.Member{}, false
	}
	return b.Members[i], true
}

// Backends finds the pools of a load balancer and who is in them, ordered by
// port: one request and one for each pool. A listener that has no pool yet is
// left out. Gone means that the load balancer, or a pool of it, was deleted.
func Backends(ctx context.Context, octavia *cloud.LoadBalancing, balancerID string) ([]Backend, error) {
	listeners, err := octavia.Listeners(ctx, balancerID)
	if err != nil {
		return nil, fmt.Errorf("list the listeners of load balancer %s: %w", balancerID, err)
	}
	slices.SortFunc(listeners, func(a, b cloud.Listener) int { return a.Port - b.Port })
	var backends []Backend
	for _, l := range listeners {
		if l.PoolID == "" {
			continue
		}
		members, err := octavia.Members(ctx, l.PoolID)
		if err != nil {
			return nil, fmt.Errorf("list the members of pool %s: %w", l.PoolID, err)
		}
		backends = append(backends, Backend{Port: l.Port, PoolID: l.PoolID, Members: members})
	}
	return backends, nil
}

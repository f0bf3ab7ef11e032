package loadbalancer

import (
	"context"
	"fmt"
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

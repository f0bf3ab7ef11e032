package loadbalancer

import (
	"context"
	"fmt"
	"strings"

	"github.com/capok/capok/cloud"
)

// Op is one request that changes a load balancer. It prints as one line.
type Op interface {
	fmt.Stringer
	apply(context.Context, *cloud.LoadBalancing) error
}

// Apply carries out ops in their order until one fails, and returns those that
// were carried out. An error of the kind Busy is usual: look again and plan
// anew when Octavia is done.
func Apply(ctx context.Context, octavia *cloud.LoadBalancing, ops []Op) (done []Op, err error) {
	for _, op := range ops {
		if err := op.apply(ctx, octavia); err != nil {
			return done, fmt.Errorf("%s: %w", op, err)
		}
		done = append(done, op)
	}
	return done, nil
}

// CreateWhole makes the load balancer with everything below it.
type CreateWhole struct{ Want cloud.BalancerSpec }

func (o CreateWhole) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	_, err := octavia.CreateBalancer(ctx, o.Want)
	return err
}

func (o CreateWhole) String() string {
	return fmt.Sprintf("create load balancer %s with %d listeners", o.Want.Name, len(o.Want.Listeners))
}

// AddListener adds a listener; its pool comes next.
type AddListener struct {
	BalancerID string
	Want       cloud.ListenerSpec
}

func (o AddListener) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	return octavia.AddListener(ctx, o.BalancerID, o.Want)
}

func (o AddListener) String() string { return fmt.Sprintf("add listener for port %d", o.Want.Port) }

// AddPool adds a pool to a listener; its monitor comes next.
type AddPool struct {
	ListenerID string
	Port       int // of the listener
	Want       cloud.PoolSpec
}

func (o AddPool) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	return octavia.AddPool(ctx, o.ListenerID, o.Want)
}

func (o AddPool) String() string { return fmt.Sprintf("add pool behind port %d", o.Port) }

// AddMonitor adds a health monitor to a pool.
type AddMonitor struct {
	PoolID string
	Port   int // of the listener
	Want   cloud.MonitorSpec
}

func (o AddMonitor) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	return octavia.AddMonitor(ctx, o.PoolID, o.Want)
}

func (o AddMonitor) String() string { return fmt.Sprintf("add monitor behind port %d", o.Port) }

// SetMonitor changes the times and numbers of a health monitor.
type SetMonitor struct {
	ID   string
	Port int // of the listener
	Want cloud.MonitorSpec
}

func (o SetMonitor) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	return octavia.SetMonitor(ctx, o.ID, o.Want)
}

func (o SetMonitor) String() string {
	return fmt.Sprintf("set monitor behind port %d to %d/%d/%d/%d", o.Port, o.Want.Delay, o.Want.Timeout, o.Want.Retries, o.Want.RetryDown)
}

// SetAllowedCIDRs replaces who may reach a listener.
type SetAllowedCIDRs struct {
	ListenerID string
	Port       int
	CIDRs      []string
}

func (o SetAllowedCIDRs) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	return octavia.SetAllowedCIDRs(ctx, o.ListenerID, o.CIDRs)
}

func (o SetAllowedCIDRs) String() string {
	who := "everybody"
	if len(o.CIDRs) > 0 {
		who = strings.Join(o.CIDRs, ", ")
	}
	return fmt.Sprintf("let %s reach port %d", who, o.Port)
}

// DropListener removes a listener. Its pool stays behind, and is dropped next.
type DropListener struct {
	ID   string
	Port int
}

func (o DropListener) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	return octavia.DeleteListener(ctx, o.ID)
}

func (o DropListener) String() string { return fmt.Sprintf("drop listener for port %d", o.Port) }

// DropPool removes a pool that no listener leads to, with its members.
type DropPool struct{ ID, Name string }

func (o DropPool) apply(ctx context.Context, octavia *cloud.LoadBalancing) error {
	return octavia.DeletePool(ctx, o.ID)
}

func (o DropPool) String() string { return "drop pool " + o.Name }

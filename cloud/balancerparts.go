package cloud

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
)

// Listener is a listener of a load balancer.
type Listener struct {
	ID           string
	Name         string
	Protocol     string
	Port         int
	PoolID       string
	AllowedCIDRs []string
}

// Pool is a pool of a load balancer.
type Pool struct {
	ID        string
	Name      string
	Protocol  string
	Algorithm string
	MonitorID string
}

// Monitor is the health monitor of a pool.
type Monitor struct {
	ID string
	MonitorSpec
}

// Member is a member of a pool.
type Member struct {
	ID string
	MemberSpec
}

// Listeners lists a load balancer's listeners.
func (l *LoadBalancing) Listeners(ctx context.Context, balancerID string) ([]Listener, error) {
	pages, err := listeners.List(l.octavia, listeners.ListOpts{LoadbalancerID: balancerID}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := listeners.ExtractListeners(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, func(r listeners.Listener) Listener {
		return Listener{ID: r.ID, Name: r.Name, Protocol: r.Protocol, Port: r.ProtocolPort,
			PoolID: r.DefaultPoolID, AllowedCIDRs: r.AllowedCIDRs}
	}), nil
}

// Pools lists a load balancer's pools.
func (l *LoadBalancing) Pools(ctx context.Context, balancerID string) ([]Pool, error) {
	pages, err := pools.List(l.octavia, pools.ListOpts{LoadbalancerID: balancerID}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := pools.ExtractPools(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, func(r pools.Pool) Pool {
		return Pool{ID: r.ID, Name: r.Name, Protocol: r.Protocol, Algorithm: r.LBMethod, MonitorID: r.MonitorID}
	}), nil
}

// Monitor looks a health monitor up by ID.
func (l *LoadBalancing) Monitor(ctx context.Context, id string) (Monitor, error) {
	r, err := monitors.Get(ctx, l.octavia, id).Extract()
	if err != nil {
		return Monitor{}, err
	}
	return Monitor{ID: r.ID, MonitorSpec: MonitorSpec{Name: r.Name, Type: r.Type, Delay: r.Delay, Timeout: r.Timeout,
		Retries: r.MaxRetries, RetryDown: r.MaxRetriesDown}}, nil
}

// Members lists a pool's members.
func (l *LoadBalancing) Members(ctx context.Context, poolID string) ([]Member, error) {
	pages, err := pools.ListMembers(l.octavia, poolID, nil).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := pools.ExtractMembers(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, func(r pools.Member) Member {
		return Member{ID: r.ID, MemberSpec: MemberSpec{Name: r.Name, Address: r.Address, Port: r.ProtocolPort, SubnetID: r.SubnetID}}
	}), nil
}

// AddListener adds a listener, without its pool: Octavia takes a tree only
// when it makes a load balancer (octavia/api/v2/controllers/listener.py, post).
func (l *LoadBalancing) AddListener(ctx context.Context, balancerID string, want ListenerSpec) error {
	opts := listenerOpts(want)
	opts.LoadbalancerID, opts.DefaultPool = balancerID, nil
	_, err := listeners.Create(ctx, l.octavia, opts).Extract()
	return err
}

// SetAllowedCIDRs replaces who may reach a listener; empty: everybody.
func (l *LoadBalancing) SetAllowedCIDRs(ctx context.Context, listenerID string, cidrs []string) error {
	if cidrs == nil {
		cidrs = []string{}
	}
	_, err := listeners.Update(ctx, l.octavia, listenerID, listeners.UpdateOpts{AllowedCIDRs: &cidrs}).Extract()
	return err
}

// DeleteListener removes a listener; one that is gone is a success.
func (l *LoadBalancing) DeleteListener(ctx context.Context, id string) error {
	return IgnoreGone(listeners.Delete(ctx, l.octavia, id).ExtractErr())
}

// AddPool adds a pool to a listener that has none, without its monitor.
func (l *LoadBalancing) AddPool(ctx context.Context, listenerID string, want PoolSpec) error {
	opts := poolOpts(want)
	opts.ListenerID, opts.Monitor = listenerID, nil
	_, err := pools.Create(ctx, l.octavia, opts).Extract()
	return err
}

// DeletePool removes a pool; one that is gone is a success.
func (l *LoadBalancing) DeletePool(ctx context.Context, id string) error {
	return IgnoreGone(pools.Delete(ctx, l.octavia, id).ExtractErr())
}

// AddMonitor adds a health monitor to a pool that has none.
func (l *LoadBalancing) AddMonitor(ctx context.Context, poolID string, want MonitorSpec) error {
	opts := monitorOpts(want)
	opts.PoolID = poolID
	_, err := monitors.Create(ctx, l.octavia, opts).Extract()
	return err
}

// SetMonitor changes the times and numbers of a health monitor.
func (l *LoadBalancing) SetMonitor(ctx context.Context, id string, want MonitorSpec) error {
	_, err := monitors.Update(ctx, l.octavia, id, monitors.UpdateOpts{
		Delay: want.Delay, Timeout: want.Timeout, MaxRetries: want.Retries, MaxRetriesDown: want.RetryDown,
	}).Extract()
	return err
}

// AddMember adds one member to a pool.
func (l *LoadBalancing) AddMember(ctx context.Context, poolID string, want MemberSpec) error {
	_, err := pools.CreateMember(ctx, l.octavia, poolID, memberOpts(want)).Extract()
	return err
}

// DeleteMember removes a member; one that is gone is a success.
func (l *LoadBalancing) DeleteMember(ctx context.Context, poolID, id string) error {
	return IgnoreGone(pools.DeleteMember(ctx, l.octavia, poolID, id).ExtractErr())
}

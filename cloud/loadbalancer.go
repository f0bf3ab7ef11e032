package cloud

import (
	"context"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
)

// LoadBalancing is Octavia, as much of it as Capok needs. Package loadbalancer
// decides what to do with it.
type LoadBalancing struct {
	octavia *gophercloud.ServiceClient
	project string
}

// Provisioning statuses (Octavia's api-ref, "Provisioning status codes").
const (
	LoadBalancerActive  = "ACTIVE"
	LoadBalancerError   = "ERROR"
	LoadBalancerDeleted = "DELETED"
)

// Balancer is a load balancer without its children.
type Balancer struct {
	ID        string
	Name      string
	Tags      []string
	Status    string // provisioning: ACTIVE, ERROR, PENDING_CREATE, ...
	Operating string // ONLINE, DEGRADED, ...
	VIP       string
	VIPPortID string
	VIPSubnet string
	Provider  string
	Updated   time.Time // when it or what is below it changed last, to the second; zero: never
}

// Version is another after each change of the load balancer and of what is below it:
// Octavia dates it anew (octavia/db/base_models.py, updated_at), to the second. What is
// younger than a minute may change again at the same date: it has none yet.
func (b Balancer) Version(now time.Time) string {
	if b.Updated.IsZero() || now.Sub(b.Updated) < time.Minute {
		return ""
	}
	return b.Updated.Format(time.RFC3339)
}

// BalancerSpec is a whole load balancer, made by one request.
type BalancerSpec struct {
	Name             string
	Tags             []string
	Provider         string // empty: Octavia's default
	FlavorID         string
	AvailabilityZone string
	VIPNetwork       string // one of network or subnet is needed
	VIPSubnet        string
	VIP              string // empty: any address
	Listeners        []ListenerSpec
}

// ListenerSpec is a listener with its pool.
type ListenerSpec struct {
	Name         string
	Protocol     string // TCP, ...
	Port         int
	AllowedCIDRs []string // empty: everybody
	Pool         PoolSpec
}

// PoolSpec is a pool with its monitor and members.
type PoolSpec struct {
	Name      string
	Protocol  string
	Algorithm string // ROUND_ROBIN, SOURCE_IP_PORT (ovn), ...
	Monitor   *MonitorSpec
	Members   []MemberSpec
}

// MonitorSpec is a health monitor. Delay and Timeout are seconds.
type MonitorSpec struct {
	Name                               string
	Type                               string // TCP, ...
	Delay, Timeout, Retries, RetryDown int
}

// MemberSpec is a member of a pool.
type MemberSpec struct {
	Name     string
	Address  string
	Port     int
	SubnetID string
}

// BalancerFlavor is a size of load balancers.
type BalancerFlavor struct{ ID, Name string }

// BalancerFlavors lists the sizes that load balancers can have.
func (l *LoadBalancing) BalancerFlavors(ctx context.Context) ([]BalancerFlavor, error) {
	pages, err := flavors.List(l.octavia, flavors.ListOpts{}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := flavors.ExtractFlavors(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, func(f flavors.Flavor) BalancerFlavor { return BalancerFlavor{ID: f.ID, Name: f.Name} }), nil
}

// Balancers lists the project's load balancers with all of the tags.
func (l *LoadBalancing) Balancers(ctx context.Context, tags ...string) ([]Balancer, error) {
	pages, err := loadbalancers.List(l.octavia, loadbalancers.ListOpts{Tags: tags, ProjectID: l.project}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := loadbalancers.ExtractLoadBalancers(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, balancerFrom), nil
}

// Balancer looks a load balancer up by ID.
func (l *LoadBalancing) Balancer(ctx context.Context, id string) (Balancer, error) {
	got, err := loadbalancers.Get(ctx, l.octavia, id).Extract()
	if err != nil {
		return Balancer{}, err
	}
	return balancerFrom(*got), nil
}

// CreateBalancer makes a load balancer with everything below it.
func (l *LoadBalancing) CreateBalancer(ctx context.Context, want BalancerSpec) (Balancer, error) {
	created, err := loadbalancers.Create(ctx, l.octavia, loadbalancers.CreateOpts{
		Name: want.Name, Tags: want.Tags, Provider: want.Provider, FlavorID: want.FlavorID,
		AvailabilityZone: want.AvailabilityZone, VipNetworkID: want.VIPNetwork, VipSubnetID: want.VIPSubnet,
		VipAddress: want.VIP, Listeners: convert(want.Listeners, listenerOpts),
	}).Extract()
	if err != nil {
		return Balancer{}, err
	}
	return balancerFrom(*created), nil
}

// DeleteBalancer removes a load balancer with everything below it; one that
// is gone is a success. Busy while it changes.
func (l *LoadBalancing) DeleteBalancer(ctx context.Context, id string) error {
	return IgnoreGone(loadbalancers.Delete(ctx, l.octavia, id, loadbalancers.DeleteOpts{Cascade: true}).ExtractErr())
}

func listenerOpts(want ListenerSpec) listeners.CreateOpts {
	pool := poolOpts(want.Pool)
	return listeners.CreateOpts{
		Name: want.Name, Protocol: listeners.Protocol(want.Protocol), ProtocolPort: want.Port,
		AllowedCIDRs: want.AllowedCIDRs, DefaultPool: &pool,
	}
}

func poolOpts(want PoolSpec) pools.CreateOpts {
	opts := pools.CreateOpts{
		Name: want.Name, Protocol: pools.Protocol(want.Protocol), LBMethod: pools.LBMethod(want.Algorithm),
		Members: convert(want.Members, memberOpts),
	}
	if want.Monitor != nil {
		opts.Monitor = monitorOpts(*want.Monitor)
	}
	return opts
}

func monitorOpts(want MonitorSpec) monitors.CreateOpts {
	return monitors.CreateOpts{
		Name: want.Name, Type: want.Type, Delay: want.Delay, Timeout: want.Timeout,
		MaxRetries: want.Retries, MaxRetriesDown: want.RetryDown,
	}
}

func memberOpts(want MemberSpec) pools.CreateMemberOpts {
	return pools.CreateMemberOpts{Name: want.Name, Address: want.Address, ProtocolPort: want.Port, SubnetID: want.SubnetID}
}

func balancerFrom(b loadbalancers.LoadBalancer) Balancer {
	return Balancer{
		ID: b.ID, Name: b.Name, Tags: b.Tags, Status: b.ProvisioningStatus, Operating: b.OperatingStatus,
		VIP: b.VipAddress, VIPPortID: b.VipPortID, VIPSubnet: b.VipSubnetID, Provider: b.Provider,
		Updated: b.UpdatedAt,
	}
}

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/cluster-api/util/patch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/step"
)

// pass is one look at one cluster, shared by its steps.
type pass struct {
	infra   *infrav1.OpenStackCluster
	cluster *clusterv1.Cluster // nil: gone already
	name    string             // of the Cluster
	mark    string
	clock   clock.PassiveClock
	journal step.Journal

	access *identity.Access
	seen   *snapshot.Snapshot

	// What earlier steps tell later ones.
	network     cloud.Network  // ID is empty: not yet
	subnets     []cloud.Subnet // of the machines
	routerReady bool           // the network reaches the external one, or need not by us

	// The same for removal.
	machines     []string // names of machines that are still there
	endpointGone bool
	routerGone   bool

	written []snapshot.Kind // what this pass may have changed
}

func newPass(infra *infrav1.OpenStackCluster, cluster *clusterv1.Cluster, clock clock.PassiveClock) *pass {
	p := &pass{infra: infra, cluster: cluster, name: infra.Labels[clusterv1.ClusterNameLabel], mark: infra.Annotations[infrav1.MarkAnnotation], clock: clock}
	if cluster != nil {
		p.name = cluster.Name
	}
	p.name = cmp.Or(p.name, infra.Name)
	return p
}

// open logs in, to the project that holds what was made so far.
func (r *Reconciler) open(ctx context.Context, p *pass) error {
	access, err := r.Identities.Open(ctx, p.infra.Namespace, p.infra.Spec.IdentityRef)
	if err != nil {
		return err
	}
	if err := access.For(p.infra, infrav1.ClusterFinalizer); err != nil {
		return err
	}
	if err := r.sole(ctx, p.infra); err != nil {
		return err
	}
	p.access = access
	return nil
}

// writer names this controller among those who look at the same lists.
const writer = "cluster"

// look takes the snapshot that the steps work from.
func (r *Reconciler) look(ctx context.Context, p *pass) error {
	seen, err := p.access.Observer.See(ctx, snapshot.Query{Mark: p.mark, Kinds: p.kinds(), Writer: writer})
	if err != nil {
		return err
	}
	p.seen = seen
	conditions.Set(p.infra, metav1.Condition{Type: infrav1.CredentialsValid, Status: metav1.ConditionTrue, Reason: infrav1.Available})
	return nil
}

// lookForMachines finds the machines that a deletion waits for.
func (r *Reconciler) lookForMachines(ctx context.Context, p *pass) error {
	if p.infra.DeletionTimestamp.IsZero() {
		return nil
	}
	all := &infrav1.OpenStackMachineList{}
	if err := r.Client.List(ctx, all, client.InNamespace(p.infra.Namespace), client.MatchingLabels{clusterv1.ClusterNameLabel: p.name}); err != nil {
		return fmt.Errorf("list OpenStackMachines: %w", err)
	}
	for i := range all.Items {
		p.machines = append(p.machines, all.Items[i].Name)
	}
	return nil
}

// kinds is what the steps of this cluster may have made. All of it follows
// from parts of the spec that cannot be taken back.
func (p *pass) kinds() []snapshot.Kind {
	var kinds []snapshot.Kind
	if p.managed() {
		kinds = append(kinds, snapshot.Networks, snapshot.Subnets)
		if p.external() && p.infra.Spec.Router == nil {
			kinds = append(kinds, snapshot.Routers)
		}
	}
	if p.infra.Spec.ManagedSecurityGroups != nil {
		kinds = append(kinds, snapshot.SecurityGroups)
	}
	if p.floating() {
		kinds = append(kinds, snapshot.FloatingIPs)
	}
	if _, err := p.access.Session.LoadBalancing(); p.balanced() && cloud.KindOf(err) != cloud.Missing {
		kinds = append(kinds, snapshot.Balancers) // a cloud without Octavia has none: the step says so
	}
	return kinds
}

// managed tells whether the network is ours.
func (p *pass) managed() bool { return len(p.infra.Spec.ManagedSubnets) > 0 }

// external tells whether the cluster has a way to the outside.
func (p *pass) external() bool {
	enabled := p.infra.Spec.EnableExternalNetwork
	return enabled == nil || *enabled
}

// api is what the spec says of the API server, with nothing unset.
func (p *pass) api() infrav1.APIServer {
	if p.infra.Spec.APIServer == nil {
		return infrav1.APIServer{}
	}
	return *p.infra.Spec.APIServer
}

// balanced tells whether a load balancer stands before the Kubernetes API.
func (p *pass) balanced() bool { return p.api().ManagedLoadBalancer.IsEnabled() }

// floating tells whether the endpoint is to have a floating IP.
func (p *pass) floating() bool {
	enabled := p.api().EnableFloatingIP
	return p.external() && (enabled == nil || *enabled)
}

// wrote notes a change, so that the next look is younger than it. It comes
// before the request: one whose answer is lost may have taken effect.
func (p *pass) wrote(kind snapshot.Kind) {
	p.written = append(p.written, kind)
}

// left names what the cluster has in OpenStack, as far as it is known.
func (p *pass) left() string {
	status, known := p.infra.Status, []string{}
	add := func(kind, id string) {
		if id != "" {
			known = append(known, kind+" "+id)
		}
	}
	if lb := status.APIServerManagedLoadBalancer; lb != nil {
		add("load balancer", lb.ID)
	}
	if p.managed() && status.Router != nil && p.infra.Spec.Router == nil {
		add("router", status.Router.ID)
	}
	if p.managed() && status.Network != nil {
		add("network", status.Network.ID)
	}
	if group := status.ControlPlaneSecurityGroup; group != nil {
		add("security group", group.ID)
	}
	if group := status.WorkerSecurityGroup; group != nil {
		add("security group", group.ID)
	}
	return strings.Join(append(known, "whatever else carries "+p.mark), ", ")
}

// life is the cluster with its steps.
func (r *Reconciler) life(p *pass) step.Life[*pass] {
	return step.Life[*pass]{
		Object: p.infra, Steps: clusterSteps, Finalizer: infrav1.ClusterFinalizer,
		Left: p.left(), Journal: &p.journal, Now: r.Clock.Now(),
	}
}

// conclude writes down what the pass came to. The changes are dated to the end
// of the pass: a list that a machine began while a request was under way need
// not show what it made.
func (r *Reconciler) conclude(ctx context.Context, patcher *patch.Helper, p *pass) error {
	for _, kind := range p.written {
		p.access.Observer.Wrote(p.mark, writer, kind)
	}
	return r.life(p).Store(ctx, patcher, r.Events)
}

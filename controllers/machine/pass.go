package machine

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/cluster-api/util/patch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/step"
)

// pass is one look at one machine, shared by its steps.
type pass struct {
	owners

	machine *infrav1.OpenStackMachine
	mark    string // of the cluster
	tag     string // of the machine
	clock   clock.PassiveClock
	secrets client.Reader
	journal step.Journal
	wake    func() // has the machine looked at once more

	// access and seen are nil while the machine waits for others before
	// anything of it can be in OpenStack: then nobody looks.
	access *identity.Access
	seen   *snapshot.Snapshot

	// What earlier steps tell later ones.
	ports      []cloud.Port // all that are wanted, in their order; nil: not yet
	volumeID   string       // of the root volume; empty: not yet, or none wanted
	server     cloud.Server // ID is empty while there is none
	serverGone bool         // proved
	memberGone bool         // no traffic goes to the machine any more

	written []snapshot.Kind // what this pass may have changed
}

func (r *Reconciler) newPass(machine *infrav1.OpenStackMachine, o owners) *pass {
	mark := machine.Annotations[infrav1.MarkAnnotation]
	return &pass{owners: o, machine: machine, mark: mark, tag: naming.MachineTag(mark, machine.Name), clock: r.Clock, secrets: r.Client, wake: r.wakes(machine)}
}

// controlPlane tells whether the machine serves the Kubernetes API. The label
// is on both objects: one of them may be gone.
func (p *pass) controlPlane() bool {
	_, labelled := p.machine.Labels[clusterv1.MachineControlPlaneLabel]
	return labelled || p.owners.machine != nil && util.IsControlPlaneMachine(p.owners.machine)
}

func (p *pass) clusterName() string {
	return p.machine.Labels[clusterv1.ClusterNameLabel]
}

// waits says what must come before anything is made; the zero value: nothing.
func (p *pass) waits() (reason, message string) {
	provisioned := p.cluster.Status.Initialization.InfrastructureProvisioned
	switch {
	case provisioned == nil || !*provisioned:
		return infrav1.WaitingForClusterInfrastructure, fmt.Sprintf("OpenStackCluster %s is not ready yet, see its conditions", p.infra.Name)
	case p.infra.Status.Network == nil || p.infra.Status.Network.ID == "":
		return infrav1.WaitingForNetwork, fmt.Sprintf("OpenStackCluster %s reports no network yet, see its conditions", p.infra.Name)
	case p.owners.machine.Spec.Bootstrap.DataSecretName == nil:
		return infrav1.WaitingForBootstrapData, "the bootstrap provider has not produced user data yet"
	}
	return "", ""
}

// early tells whether nothing of the machine can be in OpenStack yet.
func (p *pass) early() bool {
	if !p.machine.DeletionTimestamp.IsZero() || p.machine.Spec.ProviderID != "" || p.machine.Status.InstanceID != "" {
		return false
	}
	reason, _ := p.waits()
	return reason != ""
}

// look opens OpenStack and takes the snapshot that the steps work from.
func (r *Reconciler) look(ctx context.Context, p *pass) error {
	if p.early() {
		return nil
	}
	ref := p.machine.Spec.IdentityRef
	if ref == nil && p.infra != nil {
		ref = &p.infra.Spec.IdentityRef
	}
	if ref == nil {
		return cloud.Problemf(cloud.NoCredentials, "neither the machine nor an OpenStackCluster names credentials")
	}
	access, err := r.Identities.Open(ctx, p.machine.Namespace, *ref)
	if err != nil {
		return err
	}
	if err := access.For(p.machine, infrav1.MachineFinalizer); err != nil {
		return err
	}
	if err := r.sole(ctx, p.machine); err != nil {
		return err
	}
	p.access = access
	seen, err := access.Observer.See(ctx, snapshot.Query{Mark: p.mark, Kinds: p.kinds(), Writer: p.tag})
	if err != nil {
		return err
	}
	p.seen = seen
	conditions.Set(p.machine, metav1.Condition{Type: infrav1.CredentialsValid, Status: metav1.ConditionTrue, Reason: infrav1.Available})
	return nil
}

// kinds is what the steps of this machine need to see.
func (p *pass) kinds() []snapshot.Kind {
	kinds := []snapshot.Kind{snapshot.Servers, snapshot.Ports}
	if p.machine.Spec.RootVolume != nil {
		kinds = append(kinds, snapshot.Volumes)
	}
	if p.controlPlane() {
		kinds = append(kinds, p.endpointKinds()...)
	}
	return kinds
}

// endpointKinds is how the Kubernetes API is reached: by a load balancer, which
// a cloud without Octavia cannot have, or by a floating IP.
func (p *pass) endpointKinds() []snapshot.Kind {
	if !p.balanced() {
		return []snapshot.Kind{snapshot.FloatingIPs}
	}
	if _, err := p.access.Session.LoadBalancing(); cloud.KindOf(err) == cloud.Missing {
		return nil
	}
	return []snapshot.Kind{snapshot.Balancers}
}

// balanced tells whether a load balancer stands before the Kubernetes API.
func (p *pass) balanced() bool {
	return p.infra != nil && p.infra.Spec.APIServer != nil && p.infra.Spec.APIServer.ManagedLoadBalancer.IsEnabled()
}

// wrote notes a change, so that the next look is younger than it. It comes
// before the request: one whose answer is lost may have taken effect.
func (p *pass) wrote(kind snapshot.Kind) {
	p.written = append(p.written, kind)
}

// await is the result of a step that waits for the server: we are woken when its
// status changes, and look ourselves a while later if nobody woke us.
func (p *pass) await(reason, message string) step.Result {
	p.access.Observer.Watch.Await(p.server, p.wake)
	return step.Wait(reason, message, serverPoll)
}

// life is the machine with its steps.
func (r *Reconciler) life(p *pass) step.Life[*pass] {
	return step.Life[*pass]{
		Object: p.machine, Steps: machineSteps, Finalizer: infrav1.MachineFinalizer,
		Left: "everything that carries " + p.tag, Journal: &p.journal, Now: r.Clock.Now(),
	}
}

// conclude writes down what the pass came to. The changes are dated to the end
// of the pass: a list that another machine began while a request was under way
// need not show what it made.
func (r *Reconciler) conclude(ctx context.Context, patcher *patch.Helper, p *pass) error {
	for _, kind := range p.written {
		p.access.Observer.Wrote(p.mark, p.tag, kind)
	}
	return r.life(p).Store(ctx, patcher, r.Events)
}

// Package machine reconciles OpenStackMachines: ports, root volume, server and
// place behind the Kubernetes API of a machine.
//
// Read Reconcile first, then steps.go: the whole life of a machine on one
// screen. Every step is a file of its own. This package decides what should be
// there; how OpenStack is asked for it is in package cloud.
package machine

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/patch"
	"sigs.k8s.io/cluster-api/util/paused"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/setup"
)

// Reconciler makes OpenStack look as OpenStackMachines say.
type Reconciler struct {
	Client     client.Client
	Identities *identity.Provider
	Events     events.EventRecorder
	Clock      clock.PassiveClock
	// WatchFilter limits the reconciler to objects with this value of the
	// label cluster.x-k8s.io/watch-filter. Empty: all objects.
	WatchFilter string

	queue queue // of the running controller
}

// queue is where a machine is put that is to be looked at now.
type queue interface{ Add(item reconcile.Request) }

// +kubebuilder:rbac:groups=infrastructure.cluster.x-k8s.io,resources=openstackmachines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=infrastructure.cluster.x-k8s.io,resources=openstackmachines/status,verbs=patch
// +kubebuilder:rbac:groups=infrastructure.cluster.x-k8s.io,resources=openstackclusters,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machines,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconcile is one look at a machine and at most one small change to each of
// its resources.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	machine := &infrav1.OpenStackMachine{}
	if err := r.Client.Get(ctx, request.NamespacedName, machine); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	owners, err := r.owners(ctx, machine)
	if err != nil || owners.missing(machine) || !r.mine(machine) {
		return ctrl.Result{}, err // the watch on Machines wakes us
	}
	if isPaused, requeue, err := paused.EnsurePausedCondition(ctx, r.Client, owners.cluster, machine); isPaused || requeue || err != nil {
		return setup.Again(requeue && !isPaused), err // the condition was just written: status alone does not wake us
	}
	if claimed, err := r.claim(ctx, machine, owners); !claimed || err != nil {
		return ctrl.Result{}, err // the finalizer was just written, which wakes us; or the cluster has no mark yet
	}
	return r.pass(ctx, machine, owners)
}

// pass looks, runs the steps and writes down what they came to.
func (r *Reconciler) pass(ctx context.Context, machine *infrav1.OpenStackMachine, owners owners) (_ ctrl.Result, err error) {
	patcher, err := patch.NewHelper(machine, r.Client)
	if err != nil {
		return ctrl.Result{}, err
	}
	p := r.newPass(machine, owners)
	defer func() { err = errors.Join(err, r.conclude(ctx, patcher, p)) }()
	if err := r.look(ctx, p); err != nil {
		return r.life(p).Block(err).Requeue()
	}
	return r.life(p).Run(ctx, p).Requeue()
}

// owners are the objects that a machine belongs to. When it is being deleted,
// any of them may be gone already.
type owners struct {
	machine *clusterv1.Machine
	cluster *clusterv1.Cluster
	infra   *infrav1.OpenStackCluster
}

// missing tells whether it is too early to do anything. What carries our
// finalizer can be deleted with whatever is left.
func (o owners) missing(machine *infrav1.OpenStackMachine) bool {
	deletable := !machine.DeletionTimestamp.IsZero() && controllerutil.ContainsFinalizer(machine, infrav1.MachineFinalizer)
	return !deletable && (o.machine == nil || o.cluster == nil || o.infra == nil)
}

func (r *Reconciler) owners(ctx context.Context, machine *infrav1.OpenStackMachine) (o owners, err error) {
	o.machine, err = util.GetOwnerMachine(ctx, r.Client, machine.ObjectMeta)
	if client.IgnoreNotFound(err) != nil {
		return o, err
	}
	name := machine.Labels[clusterv1.ClusterNameLabel]
	if o.machine != nil {
		name = o.machine.Spec.ClusterName
	}
	if name == "" {
		return o, nil
	}
	cluster := &clusterv1.Cluster{}
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: machine.Namespace, Name: name}, cluster); err != nil {
		return o, client.IgnoreNotFound(err)
	}
	o.cluster = cluster
	infra := &infrav1.OpenStackCluster{}
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: machine.Namespace, Name: cluster.Spec.InfrastructureRef.Name}, infra)
	if apierrors.IsNotFound(err) {
		return o, nil
	}
	o.infra = infra
	return o, err
}

// claim writes the finalizer, and the cluster's mark, before anything is made
// in OpenStack: from then on the machine can be deleted on its own. It tells
// whether that was so before.
func (r *Reconciler) claim(ctx context.Context, machine *infrav1.OpenStackMachine, o owners) (bool, error) {
	if controllerutil.ContainsFinalizer(machine, infrav1.MachineFinalizer) && machine.Annotations[infrav1.MarkAnnotation] != "" {
		return true, nil
	}
	claimed := controllerutil.ContainsFinalizer(machine, infrav1.MachineFinalizer)
	if o.infra == nil || o.infra.Annotations[infrav1.MarkAnnotation] == "" {
		return claimed, nil // a mark that was lost is told of where we look
	}
	if !machine.DeletionTimestamp.IsZero() && !claimed {
		return false, nil
	}
	before := client.MergeFromWithOptions(machine.DeepCopy(), client.MergeFromWithOptimisticLock{})
	controllerutil.AddFinalizer(machine, infrav1.MachineFinalizer)
	if machine.Annotations == nil {
		machine.Annotations = map[string]string{}
	}
	machine.Annotations[infrav1.MarkAnnotation] = o.infra.Annotations[infrav1.MarkAnnotation]
	return false, r.Client.Patch(ctx, machine, before)
}

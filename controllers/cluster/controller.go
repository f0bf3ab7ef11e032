// Package cluster reconciles OpenStackClusters: network, router, security
// groups and the endpoint of the Kubernetes API.
//
// Read Reconcile first, then steps.go: the whole life of a cluster on one
// screen. Every step is a file of its own. This package decides what should be
// there; how OpenStack is asked for it is in package cloud. Not for machines,
// nor for their place behind the endpoint: that is package machine.
package cluster

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/patch"
	"sigs.k8s.io/cluster-api/util/paused"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/setup"
)

// Reconciler makes OpenStack look as OpenStackClusters say.
type Reconciler struct {
	Client     client.Client
	Identities *identity.Provider
	Events     events.EventRecorder
	Clock      clock.PassiveClock
	// WatchFilter limits the reconciler to objects with this value of the
	// label cluster.x-k8s.io/watch-filter. Empty: all objects.
	WatchFilter string
}

// +kubebuilder:rbac:groups=infrastructure.cluster.x-k8s.io,resources=openstackclusters,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=infrastructure.cluster.x-k8s.io,resources=openstackclusters/status,verbs=patch
// +kubebuilder:rbac:groups=infrastructure.cluster.x-k8s.io,resources=openstackmachines;openstackclusteridentities,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets;namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconcile is one look at a cluster and at most one small change to each of
// its resources.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (_ ctrl.Result, err error) {
	infra := &infrav1.OpenStackCluster{}
	if err := r.Client.Get(ctx, request.NamespacedName, infra); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	cluster, err := util.GetOwnerCluster(ctx, r.Client, infra.ObjectMeta)
	if client.IgnoreNotFound(err) != nil || !r.concerns(infra, cluster) {
		return ctrl.Result{}, client.IgnoreNotFound(err) // Cluster API wakes us when it owns the object
	}
	if isPaused, requeue, err := paused.EnsurePausedCondition(ctx, r.Client, cluster, infra); isPaused || requeue || err != nil {
		return setup.Again(requeue && !isPaused), err // the condition was just written: status alone does not wake us
	}
	patcher, err := patch.NewHelper(infra, r.Client)
	if err != nil {
		return ctrl.Result{}, err
	}
	p := newPass(infra, cluster, r.Clock)
	defer func() { err = errors.Join(err, r.conclude(ctx, patcher, p)) }()
	if err := r.open(ctx, p); err != nil {
		return r.life(p).Block(err).Requeue()
	}
	if claimed, err := r.claim(ctx, infra); !claimed || err != nil {
		return ctrl.Result{}, err // the finalizer was just written, which wakes us
	}
	return r.run(ctx, p)
}

// concerns tells whether there is anything to do. What carries our finalizer
// can be deleted without its Cluster; without the finalizer nothing of it was
// ever in OpenStack.
func (r *Reconciler) concerns(infra *infrav1.OpenStackCluster, cluster *clusterv1.Cluster) bool {
	if !r.mine(infra) {
		return false
	}
	if !infra.DeletionTimestamp.IsZero() {
		return controllerutil.ContainsFinalizer(infra, infrav1.ClusterFinalizer)
	}
	return cluster != nil
}

// run looks and lets the steps run: what they all did once is provisioned.
func (r *Reconciler) run(ctx context.Context, p *pass) (ctrl.Result, error) {
	if err := r.lookForMachines(ctx, p); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.look(ctx, p); err != nil {
		return r.life(p).Block(err).Requeue()
	}
	outcome := r.life(p).Run(ctx, p)
	if outcome.Done() && p.infra.DeletionTimestamp.IsZero() {
		done := true
		p.infra.Status.Initialization.Provisioned = &done
	}
	return outcome.Requeue()
}

// claim mints the mark and writes it together with the finalizer, before
// anything is made in OpenStack. It tells whether that was so before. The
// lock keeps a stale cache from minting a second mark over the first.
func (r *Reconciler) claim(ctx context.Context, infra *infrav1.OpenStackCluster) (bool, error) {
	if controllerutil.ContainsFinalizer(infra, infrav1.ClusterFinalizer) && infra.Annotations[infrav1.MarkAnnotation] != "" {
		return true, nil
	}
	// Access.For let no object pass that has the finalizer and lost its mark.
	claimed := infra.DeepCopy()
	controllerutil.AddFinalizer(claimed, infrav1.ClusterFinalizer)
	if claimed.Annotations[infrav1.MarkAnnotation] == "" {
		if claimed.Annotations == nil {
			claimed.Annotations = map[string]string{}
		}
		claimed.Annotations[infrav1.MarkAnnotation] = naming.NewMark()
	}
	lock := client.MergeFromWithOptions(infra.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, claimed, lock); err != nil {
		return false, fmt.Errorf("write finalizer and mark: %w", err)
	}
	return false, nil
}

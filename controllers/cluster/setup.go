package cluster

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/cluster-api/util/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/setup"
)

// SetupWithManager adds the reconciler to a manager, with all that wakes it.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error {
	b := ctrl.NewControllerManagedBy(mgr).
		Named("openstackcluster").
		For(&infrav1.OpenStackCluster{}, builder.WithPredicates(predicate.NewPredicateFuncs(r.mine), setup.NotStatusAlone())).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(infraOf), builder.WithPredicates(clusterChanged())).
		Watches(&infrav1.OpenStackMachine{}, handler.EnqueueRequestsFromMapFunc(r.infraOfMachine), builder.WithPredicates(setup.DeletionsOnly())).
		WithOptions(options)
	return r.Identities.WakeBy(b, r.infrasConcerned).Complete(r)
}

// mine leaves out what others manage, or what another instance watches.
func (r *Reconciler) mine(object client.Object) bool {
	if annotations.IsExternallyManaged(object) {
		return false
	}
	return r.WatchFilter == "" || labels.HasWatchLabel(object, r.WatchFilter)
}

// infraOf maps a Cluster to its OpenStackCluster.
func infraOf(_ context.Context, object client.Object) []reconcile.Request {
	cluster, ok := object.(*clusterv1.Cluster)
	if !ok || cluster.Spec.InfrastructureRef.Kind != "OpenStackCluster" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: cluster.Namespace, Name: cluster.Spec.InfrastructureRef.Name}}}
}

// infraOfMachine maps an OpenStackMachine to the OpenStackCluster of its
// Cluster, which may be gone: the deletion of the one may wait for the other.
func (r *Reconciler) infraOfMachine(ctx context.Context, machine client.Object) []reconcile.Request {
	name := machine.GetLabels()[clusterv1.ClusterNameLabel]
	return r.infras(ctx, machine.GetNamespace(), func(infra *infrav1.OpenStackCluster) bool {
		return name != "" && infra.Labels[clusterv1.ClusterNameLabel] == name
	})
}

// infrasConcerned maps a change of credentials to the OpenStackClusters that use
// them, so that they go on as soon as it is mended.
func (r *Reconciler) infrasConcerned(ctx context.Context, change identity.Change) []reconcile.Request {
	return r.infras(ctx, change.Namespace, func(infra *infrav1.OpenStackCluster) bool {
		return change.Concerns(infra.Namespace, infra.Spec.IdentityRef)
	})
}

// infras finds OpenStackClusters to wake, in a namespace or, if that is empty, in all.
// Every Secret that changes does so, in a
// namespace that may hold thousands: they are looked at in the cache, not copied out
// of it.
func (r *Reconciler) infras(ctx context.Context, namespace string, is func(*infrav1.OpenStackCluster) bool) []reconcile.Request {
	all := &infrav1.OpenStackClusterList{}
	if r.Client.List(ctx, all, client.InNamespace(namespace), client.UnsafeDisableDeepCopy) != nil {
		return nil // the cache is not filled yet: then every object is looked at soon
	}
	var requests []reconcile.Request
	for i := range all.Items {
		if infra := &all.Items[i]; is(infra) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(infra)})
		}
	}
	return requests
}

// clusterChanged lets through what matters of a Cluster: pausing, its spec
// (an endpoint that others set), and that it is there at all.
func clusterChanged() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc:  func(e event.UpdateEvent) bool { return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() },
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

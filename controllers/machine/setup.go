package machine

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/setup"
)

// SetupWithManager starts the reconciler with the manager and says what wakes
// it: the machine itself, its Machine (bootstrap data, failure domain), its
// cluster (provisioned, unpaused), its credentials, and the end of another
// control-plane machine, whose floating IP it may have to take; beside these its
// server, see wakes.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, options controller.Options) error {
	ofCluster, err := util.ClusterToTypedObjectsMapper(r.Client, &infrav1.OpenStackMachineList{}, mgr.GetScheme())
	if err != nil {
		return fmt.Errorf("map clusters to machines: %w", err)
	}
	ofMachine := util.MachineToInfrastructureMapFunc(infrav1.GroupVersion.WithKind("OpenStackMachine"))
	b := ctrl.NewControllerManagedBy(mgr).
		Named("openstackmachine").
		For(&infrav1.OpenStackMachine{}, builder.WithPredicates(predicate.NewPredicateFuncs(r.mine), setup.NotStatusAlone())).
		Watches(&clusterv1.Machine{}, handler.EnqueueRequestsFromMapFunc(ofMachine), builder.WithPredicates(setup.NotStatusAlone())).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(ofCluster), builder.WithPredicates(provisionedOrChanged())).
		Watches(&infrav1.OpenStackCluster{}, handler.EnqueueRequestsFromMapFunc(r.ofOpenStackCluster)).
		Watches(&infrav1.OpenStackMachine{}, handler.EnqueueRequestsFromMapFunc(r.siblings), builder.WithPredicates(setup.DeletionsOnly())).
		WatchesRawSource(source.Func(r.start)).
		WithOptions(options)
	return r.Identities.WakeBy(b, r.concerned).Complete(r)
}

// start keeps the queue of the controller that starts.
func (r *Reconciler) start(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.queue = q
	return nil
}

// wakes is called when the server of the machine changed.
func (r *Reconciler) wakes(machine *infrav1.OpenStackMachine) func() {
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(machine)}
	return func() {
		if r.queue != nil {
			r.queue.Add(request)
		}
	}
}

// mine leaves out what another instance watches.
func (r *Reconciler) mine(object client.Object) bool {
	return r.WatchFilter == "" || labels.HasWatchLabel(object, r.WatchFilter)
}

// provisionedOrChanged lets through what machines wait for of their Cluster.
func provisionedOrChanged() predicate.Predicate {
	provisioned := func(object client.Object) bool {
		cluster, ok := object.(*clusterv1.Cluster)
		done := ok && cluster.Status.Initialization.InfrastructureProvisioned != nil
		return done && *cluster.Status.Initialization.InfrastructureProvisioned
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || provisioned(e.ObjectOld) != provisioned(e.ObjectNew)
	}}
}

// siblings wakes the other control-plane machines of a cluster.
func (r *Reconciler) siblings(ctx context.Context, gone client.Object) []reconcile.Request {
	if _, controlPlane := gone.GetLabels()[clusterv1.MachineControlPlaneLabel]; !controlPlane {
		return nil
	}
	return r.requests(ctx, gone.GetNamespace(), func(m *infrav1.OpenStackMachine) bool {
		_, controlPlane := m.Labels[clusterv1.MachineControlPlaneLabel]
		return controlPlane
	}, client.MatchingLabels{clusterv1.ClusterNameLabel: gone.GetLabels()[clusterv1.ClusterNameLabel]})
}

// ofOpenStackCluster wakes the machines of a cluster: its network, groups and
// mark are what they wait for.
func (r *Reconciler) ofOpenStackCluster(ctx context.Context, object client.Object) []reconcile.Request {
	name := object.GetLabels()[clusterv1.ClusterNameLabel]
	for _, owner := range object.GetOwnerReferences() {
		if owner.Kind == "Cluster" {
			name = owner.Name
		}
	}
	return r.requests(ctx, object.GetNamespace(), all, client.MatchingLabels{clusterv1.ClusterNameLabel: name})
}

// concerned maps a change of credentials to the machines that use them: by a
// reference of their own, or by their cluster's.
func (r *Reconciler) concerned(ctx context.Context, change identity.Change) []reconcile.Request {
	clusters := &infrav1.OpenStackClusterList{}
	if err := r.Client.List(ctx, clusters, client.InNamespace(change.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "List clusters to wake machines of")
	}
	named := map[client.ObjectKey]bool{}
	for _, infra := range clusters.Items {
		if change.Concerns(infra.Namespace, infra.Spec.IdentityRef) {
			named[client.ObjectKey{Namespace: infra.Namespace, Name: infra.Labels[clusterv1.ClusterNameLabel]}] = true
		}
	}
	return r.requests(ctx, change.Namespace, func(m *infrav1.OpenStackMachine) bool {
		if m.Spec.IdentityRef != nil {
			return change.Concerns(m.Namespace, *m.Spec.IdentityRef)
		}
		return named[client.ObjectKey{Namespace: m.Namespace, Name: m.Labels[clusterv1.ClusterNameLabel]}]
	})
}

// all lets through every machine.
func all(*infrav1.OpenStackMachine) bool { return true }

// requests finds the machines to wake. Every event does so, in a namespace that may
// hold thousands of machines: they are looked at in the cache, not copied out of it.
func (r *Reconciler) requests(ctx context.Context, namespace string, wanted func(*infrav1.OpenStackMachine) bool, options ...client.ListOption) []reconcile.Request {
	machines := &infrav1.OpenStackMachineList{}
	if err := r.Client.List(ctx, machines, append(options, client.InNamespace(namespace), client.UnsafeDisableDeepCopy)...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "List machines to wake")
		return nil
	}
	var requests []reconcile.Request
	for i := range machines.Items {
		if wanted(&machines.Items[i]) && r.mine(&machines.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&machines.Items[i])})
		}
	}
	return requests
}

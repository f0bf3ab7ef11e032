package machine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/predicates"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// SetupWithManager starts the reconciler with the manager and says what wakes
// it: the machine itself, its Machine (bootstrap data, failure domain), its
// cluster (provisioned, unpaused) and its credentials.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, options controller.Options) error {
	ofCluster, err := util.ClusterToTypedObjectsMapper(r.Client, &infrav1.OpenStackMachineList{}, mgr.GetScheme())
	if err != nil {
		return fmt.Errorf("map clusters to machines: %w", err)
	}
	log := ctrl.LoggerFrom(ctx)
	kind := infrav1.GroupVersion.WithKind("OpenStackMachine")
	return ctrl.NewControllerManagedBy(mgr).
		For(&infrav1.OpenStackMachine{}).
		WithOptions(options).
		WithEventFilter(predicates.ResourceHasFilterLabel(mgr.GetScheme(), log, r.WatchFilter)).
		Watches(&clusterv1.Machine{}, handler.EnqueueRequestsFromMapFunc(util.MachineToInfrastructureMapFunc(kind))).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(ofCluster)).
		Watches(&infrav1.OpenStackCluster{}, handler.EnqueueRequestsFromMapFunc(r.ofOpenStackCluster)).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.ofSecret)).
		Complete(r)
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
	return r.requests(ctx, object.GetNamespace(), func(m *infrav1.OpenStackMachine) bool {
		return m.Labels[clusterv1.ClusterNameLabel] == name
	})
}

// ofSecret wakes the machines that name a Secret themselves. Those that use
// the cluster's credentials are woken by what the cluster makes of them.
func (r *Reconciler) ofSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	return r.requests(ctx, secret.GetNamespace(), func(m *infrav1.OpenStackMachine) bool {
		return m.Spec.IdentityRef != nil && m.Spec.IdentityRef.Name == secret.GetName()
	})
}

func (r *Reconciler) requests(ctx context.Context, namespace string, wanted func(*infrav1.OpenStackMachine) bool) []reconcile.Request {
	machines := &infrav1.OpenStackMachineList{}
	if err := r.Client.List(ctx, machines, client.InNamespace(namespace)); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "List machines to wake")
		return nil
	}
	var requests []reconcile.Request
	for i := range machines.Items {
		if wanted(&machines.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&machines.Items[i])})
		}
	}
	return requests
}

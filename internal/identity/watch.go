package identity

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/capok/capok/api/infrastructure/v1alpha1"
	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// Change is a change of something that decides on access to OpenStack.
type Change struct {
	// Namespace is where all are who may be concerned; empty: anywhere.
	Namespace string
	// Secret is a Secret in Namespace; empty: none.
	Secret string
	// Identities are OpenStackClusterIdentities, by name; nil: all.
	Identities map[string]bool
}

// Concerns tells whether it may give access, or take it, to who refers to an
// identity in a namespace.
func (c Change) Concerns(namespace string, ref infrav1.IdentityRef) bool {
	if ref.Type == infrav1.IdentityClusterIdentity {
		return (c.Namespace == "" || c.Namespace == namespace) && (c.Identities == nil || c.Identities[ref.Name])
	}
	return c.Secret != "" && c.Secret == ref.Name && c.Namespace == namespace
}

// Users finds the objects to look at after each of the changes.
type Users func(context.Context, Change) []reconcile.Request

// WakeBy has a controller look at objects when the credentials change that they use.
// Of Secrets and Namespaces only metadata is watched and kept.
func (p *Provider) WakeBy(b *builder.Builder, users Users) *builder.Builder {
	wake := func(changes func(context.Context, client.Object) []Change) handler.EventHandler {
		return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) (requests []reconcile.Request) {
			for _, change := range changes(ctx, object) {
				requests = append(requests, users(ctx, change)...)
			}
			return requests
		})
	}
	return b.
		WatchesMetadata(&corev1.Secret{}, wake(p.ofSecret), builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).
		WatchesMetadata(&corev1.Namespace{}, wake(ofNamespace), builder.WithPredicates(predicate.LabelChangedPredicate{})).
		Watches(&v1alpha1.OpenStackClusterIdentity{}, wake(ofIdentity), builder.WithPredicates(predicate.GenerationChangedPredicate{}))
}

// ofSecret is about who names the Secret, and who names an identity that does.
func (p *Provider) ofSecret(ctx context.Context, secret client.Object) []Change {
	changes := []Change{{Namespace: secret.GetNamespace(), Secret: secret.GetName(), Identities: map[string]bool{}}}
	all := &v1alpha1.OpenStackClusterIdentityList{}
	if err := p.reader.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "List identities that lend the Secret")
		return changes
	}
	lent := map[string]bool{}
	for i := range all.Items {
		if ref := all.Items[i].Spec.SecretRef; ref.Namespace == secret.GetNamespace() && ref.Name == secret.GetName() {
			lent[all.Items[i].Name] = true
		}
	}
	if len(lent) > 0 {
		changes = append(changes, Change{Identities: lent})
	}
	return changes
}

func ofNamespace(_ context.Context, namespace client.Object) []Change {
	return []Change{{Namespace: namespace.GetName()}}
}

func ofIdentity(_ context.Context, identity client.Object) []Change {
	return []Change{{Identities: map[string]bool{identity.GetName(): true}}}
}

package machine

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/internal/identity"
)

// sole refuses a copy of an older machine: with its server, or with its mark
// and name. The server, volume and ports are the original's; the deletion of
// the copy would take them.
func (r *Reconciler) sole(ctx context.Context, machine *infrav1.OpenStackMachine) error {
	all := &infrav1.OpenStackMachineList{}
	if err := r.Client.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil { // they are only read
		return fmt.Errorf("list OpenStackMachines: %w", err)
	}
	for i := range all.Items {
		if other := &all.Items[i]; alike(other, machine) && identity.Older(other, machine) {
			return cloud.Problemf(cloud.Invalid, "this is a copy of OpenStackMachine %s/%s, to which the server belongs: delete this object, and make it without the providerID, annotations and finalizers of the other",
				other.Namespace, other.Name)
		}
	}
	return nil
}

// alike tells whether two machines would find the same in OpenStack.
func alike(a, b *infrav1.OpenStackMachine) bool {
	if a.Spec.ProviderID != "" && idFrom(a.Spec.ProviderID) == idFrom(b.Spec.ProviderID) {
		return true
	}
	mark := a.Annotations[infrav1.MarkAnnotation]
	return mark != "" && mark == b.Annotations[infrav1.MarkAnnotation] && a.Name == b.Name
}

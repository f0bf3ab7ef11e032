package cluster

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/internal/identity"
)

// sole refuses an object whose mark an older one has. Who copies an object to
// make another cluster of it, or restores it into another namespace, copies the
// annotation, too: both would use, and the deletion of one would remove, what
// carries the mark.
func (r *Reconciler) sole(ctx context.Context, infra *infrav1.OpenStackCluster) error {
	mark := infra.Annotations[infrav1.MarkAnnotation]
	if mark == "" {
		return nil
	}
	all := &infrav1.OpenStackClusterList{}
	if err := r.Client.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil { // they are only read
		return fmt.Errorf("list OpenStackClusters: %w", err)
	}
	for i := range all.Items {
		if other := &all.Items[i]; other.Annotations[infrav1.MarkAnnotation] == mark && identity.Older(other, infra) {
			return cloud.Problemf(cloud.Invalid, "the annotation %s is that of OpenStackCluster %s/%s, whose resources in OpenStack it tells: delete this object, and make it without the annotations and finalizers of the other",
				infrav1.MarkAnnotation, other.Namespace, other.Name)
		}
	}
	return nil
}

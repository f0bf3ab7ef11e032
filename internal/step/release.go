package step

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

// wayOut is what a person can do about resources that cannot be removed.
const wayOut = "; mend that, or set the annotation " + infrav1.ReleaseAnnotation + `: "true" to leave them in OpenStack`

// Released tells whether the user lets an object go that is being deleted,
// whatever cannot be removed staying in OpenStack.
func Released(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero() && object.GetAnnotations()[infrav1.ReleaseAnnotation] == "true"
}

// Stuck adds what is left and the way out to an error that ends a removal
// until a person does something. Other errors stay as they are.
func Stuck(err error, left string) error {
	switch kind := cloud.KindOf(err); kind {
	case cloud.None, cloud.Gone, cloud.Busy, cloud.Unavailable, cloud.QuotaExceeded, cloud.NoCapacity:
		return err // it heals by itself
	default:
		return cloud.Problemf(kind, "%s; still in OpenStack: %s%s", cloud.Explain(err), left, wayOut)
	}
}

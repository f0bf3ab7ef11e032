package step

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

// wayOut is what a person can do about resources that cannot be removed.
const wayOut = "; mend that, or set the annotation " + infrav1.ReleaseAnnotation + `: "true" to leave them in OpenStack`

// patience is how long a removal may take that shows no error before the user
// may let the object go: something can be stuck in OpenStack without one.
const patience = 10 * time.Minute

// mayGo tells whether the removal of an object ends here although something may
// be left: the user wants it, and the error stays until a person does something,
// or it does not come to an end.
func mayGo(object client.Object, err error, now time.Time) bool {
	since := object.GetDeletionTimestamp()
	wanted := !since.IsZero() && object.GetAnnotations()[infrav1.ReleaseAnnotation] == "true"
	return wanted && (stays(err) || now.Sub(since.Time) > patience)
}

// stays tells an error that a person has to end from one that heals by itself.
func stays(err error) bool {
	switch cloud.KindOf(err) {
	case cloud.None, cloud.Gone, cloud.Busy, cloud.Unavailable, cloud.Throttled, cloud.QuotaExceeded, cloud.NoCapacity:
		return false
	default:
		return true
	}
}

// stuck adds what is left and the way out to an error that ends a removal
// until a person does something. Other errors stay as they are.
func stuck(err error, left string) error {
	if !stays(err) {
		return err
	}
	return cloud.Problemf(cloud.KindOf(err), "%s; still in OpenStack: %s%s", cloud.Explain(err), left, wayOut)
}

package setup

import (
	"maps"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// NotStatusAlone leaves out what a controller writes itself at the end of a
// pass: it would wake itself and look at OpenStack once more for nothing.
func NotStatusAlone() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, now := e.ObjectOld, e.ObjectNew
		return before.GetGeneration() != now.GetGeneration() ||
			!maps.Equal(before.GetAnnotations(), now.GetAnnotations()) ||
			!maps.Equal(before.GetLabels(), now.GetLabels()) ||
			len(before.GetOwnerReferences()) != len(now.GetOwnerReferences())
	}}
}

// DeletionsOnly lets through that an object is gone.
func DeletionsOnly() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// Again asks for another pass at once, if wanted: a status that was just
// written does not wake anybody.
func Again(wanted bool) ctrl.Result {
	if !wanted {
		return ctrl.Result{}
	}
	return ctrl.Result{RequeueAfter: time.Millisecond}
}

// Package step runs the ordered steps of a reconcile and writes down what
// every one said. It is the only framework of the project.
//
// A controller lists its steps in the order of creation. In every pass all of
// them run, top to bottom, or bottom to top when the object is being deleted:
// a step whose input is missing says so by a one-line guard. So every
// condition is set in every pass, by this package alone, and independent work
// goes on beside slow work. Nothing waits inside a step.
//
// Read [Life] first, then the results in result.go.
package step

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// Step is one part of an object's life in the cloud. P is what the steps of a
// controller share in one pass.
type Step[P any] struct {
	// Condition is the type of the condition that tells of this step.
	Condition string
	// Ensure makes it so: guard, desired, diff, and at most one change to each
	// resource.
	Ensure func(context.Context, P) Result
	// Remove makes it gone. Nil: there is nothing to remove.
	Remove func(context.Context, P) Result
}

// ensure runs all steps in their order, and concludes them in the conditions
// of the object.
func ensure[P any](ctx context.Context, object conditions.Setter, steps []Step[P], pass P) Outcome {
	var outcome Outcome
	for _, s := range steps {
		result := s.Ensure(ctx, pass)
		result.count(s.Condition)
		outcome.add(result)
		tell(object, result, result.condition(s.Condition))
	}
	ready(object, steps)
	return outcome
}

// remove runs all steps in reverse order, and concludes them in the conditions
// of the object. What may be left is named to who has to do something about it.
func remove[P any](ctx context.Context, l Life[P], pass P) Outcome {
	var outcome Outcome
	first := ""
	for i := len(l.Steps) - 1; i >= 0; i-- {
		s := l.Steps[i]
		result := Done()
		if s.Remove != nil {
			result = s.Remove(ctx, pass)
		}
		if result.err != nil {
			result = Fail(stuck(result.err, l.Left))
		}
		result.count(s.Condition)
		outcome.add(result)
		if !result.done() && first == "" {
			first = result.message
		}
		tell(l.Object, result, result.removal(s.Condition))
	}
	// What is removed first is what all else waits for: the summary tells of that.
	conditions.Set(l.Object, metav1.Condition{Type: infrav1.Deleting, Status: metav1.ConditionTrue, Reason: infrav1.Deleting, Message: first})
	conditions.Set(l.Object, metav1.Condition{Type: infrav1.Ready, Status: metav1.ConditionFalse, Reason: infrav1.Deleting, Message: first})
	return outcome
}

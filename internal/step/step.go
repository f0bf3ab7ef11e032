// Package step runs the ordered steps of a reconcile and writes down what
// every one said. It is the only framework of the project.
//
// A controller lists its steps in the order of creation. In every pass all of
// them run, top to bottom, or bottom to top when the object is being deleted:
// a step whose input is missing says so by a one-line guard. So every
// condition is set in every pass, by this package alone, and independent work
// goes on beside slow work. Nothing waits inside a step.
//
// Read [Run] first, then the results in result.go.
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

// Run ensures all steps in their order, and concludes them in the conditions
// of the object.
func Run[P any](ctx context.Context, object conditions.Setter, steps []Step[P], pass P) Outcome {
	var outcome Outcome
	for _, s := range steps {
		result := s.Ensure(ctx, pass)
		outcome.add(result)
		conditions.Set(object, result.condition(s.Condition))
	}
	summarize(object, steps)
	return outcome
}

// RunRemoval removes all steps in reverse order, and concludes them in the
// conditions of the object. Outcome.Done says that nothing is left; what may be
// until then is named to who has to do something about it.
func RunRemoval[P any](ctx context.Context, object conditions.Setter, steps []Step[P], pass P, mayBeLeft string) Outcome {
	var outcome Outcome
	left := ""
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		result := Done()
		if s.Remove != nil {
			result = s.Remove(ctx, pass)
		}
		if result.err != nil {
			result = Fail(Stuck(result.err, mayBeLeft))
		}
		outcome.add(result)
		if !result.done() && left == "" {
			left = result.text()
		}
		conditions.Set(object, result.removal(s.Condition))
	}
	conditions.Set(object, metav1.Condition{Type: infrav1.Deleting, Status: metav1.ConditionTrue, Reason: infrav1.Deleting, Message: left})
	// What is removed first is what all else waits for: Ready tells of that.
	conditions.Set(object, metav1.Condition{Type: infrav1.Ready, Status: metav1.ConditionFalse, Reason: infrav1.Deleting, Message: left})
	return outcome
}

// Block concludes a pass that could not run its steps, because the cloud
// could not be looked at: the named condition tells why, those of the steps
// keep what was known before.
func Block(object conditions.Setter, condition string, err error) Outcome {
	result := Fail(err)
	var outcome Outcome
	outcome.add(result)
	c := result.condition(condition)
	conditions.Set(object, c)
	conditions.Set(object, readyFrom(c))
	return outcome
}

// summarize sets Ready from the conditions of the steps: the first that is
// not True tells what the object waits for.
func summarize[P any](object conditions.Setter, steps []Step[P]) {
	ready := metav1.Condition{Type: infrav1.Ready, Status: metav1.ConditionTrue, Reason: infrav1.Available}
	for _, s := range steps {
		c := conditions.Get(object, s.Condition)
		if c == nil || c.Status == metav1.ConditionTrue {
			continue
		}
		ready = readyFrom(*c)
		break
	}
	conditions.Set(object, ready)
}

func readyFrom(c metav1.Condition) metav1.Condition {
	return metav1.Condition{Type: infrav1.Ready, Status: c.Status, Reason: c.Reason, Message: c.Type + ": " + c.Message}
}

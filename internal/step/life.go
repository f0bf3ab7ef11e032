package step

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/cluster-api/util/patch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// Object is a Kubernetes object that stands for something in OpenStack.
type Object interface {
	client.Object
	conditions.Setter
}

// Life is an object in one pass, with the steps that make and remove what it
// stands for. A pass ends in Run, or in Block if the cloud could not be looked
// at; then comes Store.
type Life[P any] struct {
	Object    Object
	Steps     []Step[P]
	Finalizer string
	// Left names what the object may have in OpenStack.
	Left    string
	Journal *Journal
	Now     time.Time
}

// Run ensures the steps, or removes them when the object is being deleted, and
// lets the object go once nothing is left.
func (l Life[P]) Run(ctx context.Context, pass P) Outcome {
	if l.Object.GetDeletionTimestamp().IsZero() {
		return ensure(ctx, l.Object, l.Steps, pass)
	}
	outcome := remove(ctx, l, pass)
	switch {
	case outcome.Done():
		return l.letGo()
	case mayGo(l.Object, outcome.failed, l.Now):
		return l.release()
	}
	return outcome
}

// Block concludes a pass that could not run its steps: CredentialsValid tells
// why, the conditions of the steps keep what was known before.
func (l Life[P]) Block(err error) Outcome {
	if mayGo(l.Object, err, l.Now) {
		return l.release()
	}
	if !l.Object.GetDeletionTimestamp().IsZero() {
		err = stuck(err, l.Left)
	}
	result := Fail(err)
	result.count(infrav1.CredentialsValid)
	var outcome Outcome
	outcome.add(result)
	c := result.condition(infrav1.CredentialsValid)
	tell(l.Object, result, c)
	tell(l.Object, result, readyFrom(c))
	return outcome
}

// release lets the object go although something of it may be left.
func (l Life[P]) release() Outcome {
	l.Journal.Warnf("ResourcesReleased", "left in OpenStack: %s", l.Left)
	Released.Inc()
	return l.letGo()
}

func (l Life[P]) letGo() Outcome {
	controllerutil.RemoveFinalizer(l.Object, l.Finalizer)
	return Outcome{gone: true}
}

// storeTimeout is how long the API server may take to store what a pass came
// to.
const storeTimeout = 15 * time.Second

// Store writes down what the pass came to, then tells of what it did: also when
// the pass ran out of time or the manager is told to stop.
func (l Life[P]) Store(ctx context.Context, patcher *patch.Helper, recorder events.EventRecorder) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	owned := []string{infrav1.Ready, infrav1.CredentialsValid, infrav1.Deleting}
	for _, s := range l.Steps {
		owned = append(owned, s.Condition)
	}
	if err := patcher.Patch(ctx, l.Object, patch.WithOwnedConditions{Conditions: owned}); err != nil {
		return fmt.Errorf("write the status: %w", err)
	}
	l.Journal.Publish(recorder, l.Object)
	return nil
}

// ready sets the summary from the conditions of the steps: the first that is
// not True tells what the object waits for.
func ready[P any](object conditions.Setter, steps []Step[P]) {
	summary := metav1.Condition{Type: infrav1.Ready, Status: metav1.ConditionTrue, Reason: infrav1.Available}
	for _, s := range steps {
		c := conditions.Get(object, s.Condition)
		if c == nil || c.Status == metav1.ConditionTrue {
			continue
		}
		summary = readyFrom(*c)
		break
	}
	conditions.Set(object, summary)
}

func readyFrom(c metav1.Condition) metav1.Condition {
	return metav1.Condition{Type: infrav1.Ready, Status: c.Status, Reason: c.Reason, Message: c.Type + ": " + c.Message}
}

package step

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

// Result is what a step says at the end. Make one with Done, NotNeeded, Wait,
// WaitEvent, Unsure or Fail.
type Result struct {
	status  metav1.ConditionStatus
	reason  string
	message string
	after   time.Duration // 0: no timer
	err     error
}

// Done means that all is as it should be.
func Done() Result {
	return Result{status: metav1.ConditionTrue, reason: infrav1.Available}
}

// NotNeeded means that the spec does not ask for this.
func NotNeeded() Result {
	return Result{status: metav1.ConditionTrue, reason: infrav1.NotNeeded}
}

// Wait means that we must look again after a while: OpenStack sends no events.
func Wait(reason, message string, after time.Duration) Result {
	return Result{status: metav1.ConditionFalse, reason: reason, message: message, after: after}
}

// WaitEvent means that a watch will wake us: no timer.
func WaitEvent(reason, message string) Result {
	return Result{status: metav1.ConditionFalse, reason: reason, message: message}
}

// Unsure means that nobody can tell at the moment, such as Nova's UNKNOWN.
// The condition is Unknown, which no health check takes for sickness.
func Unsure(message string, after time.Duration) Result {
	return Result{status: metav1.ConditionUnknown, reason: infrav1.OpenStackUnavailable, message: message, after: after}
}

// Fail means that an attempt ended in an error. Its kind decides when it is
// tried again, and the reason. That OpenStack does not answer says nothing
// about what runs: the condition is then Unknown.
func Fail(err error) Result {
	status := metav1.ConditionFalse
	if kind := cloud.KindOf(err); kind == cloud.Unavailable || kind == cloud.Throttled {
		status = metav1.ConditionUnknown
	}
	return Result{status: status, reason: Reason(err), message: cloud.Explain(err), err: err}
}

// reasons translates kinds of errors into the vocabulary of conditions.
var reasons = map[cloud.Kind]string{
	cloud.Gone:          infrav1.NotFound,
	cloud.Busy:          infrav1.Busy,
	cloud.Unavailable:   infrav1.OpenStackUnavailable,
	cloud.Throttled:     infrav1.Throttled,
	cloud.QuotaExceeded: infrav1.QuotaExceeded,
	cloud.NoCapacity:    infrav1.NoCapacity,
	cloud.Refused:       infrav1.RefusedByOpenStack,
	cloud.Missing:       infrav1.NotFound,
	cloud.Ambiguous:     infrav1.Ambiguous,
	cloud.Unauthorized:  infrav1.CredentialsRejected,
	cloud.Forbidden:     infrav1.PermissionDenied,
	cloud.Invalid:       infrav1.InvalidSpec,
	cloud.NoCredentials: infrav1.CredentialsMissing,
	cloud.NotAllowed:    infrav1.IdentityNotAllowed,
}

// Reason is the condition reason of an error.
func Reason(err error) string {
	return reasons[cloud.KindOf(err)]
}

func (r Result) done() bool { return r.status == metav1.ConditionTrue }

// tell sets a condition of an object. Of a request that we held ourselves it
// tells only if nothing was known before: what is there did not change by it.
func tell(object conditions.Setter, r Result, c metav1.Condition) {
	if cloud.KindOf(r.err) == cloud.Throttled && conditions.Has(object, c.Type) {
		return
	}
	conditions.Set(object, c)
}

// condition tells of a step that is being ensured.
func (r Result) condition(name string) metav1.Condition {
	return metav1.Condition{Type: name, Status: r.status, Reason: r.reason, Message: r.message}
}

// removal tells of a step that is being removed: what is gone is not ready
// either.
func (r Result) removal(name string) metav1.Condition {
	c := r.condition(name)
	if r.done() {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, infrav1.Deleting, "removed"
	}
	return c
}

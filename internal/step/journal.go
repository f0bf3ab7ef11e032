package step

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
)

// Journal buffers the events of a pass: one for each change that we made, in
// the past tense, such as ServerCreated. They are published after the status
// was written, so that who reads an event finds what it tells of.
type Journal struct {
	entries []entry
}

type entry struct{ kind, reason, note string }

// Notef records a change that was made.
func (j *Journal) Notef(reason, format string, args ...any) {
	j.entries = append(j.entries, entry{corev1.EventTypeNormal, reason, fmt.Sprintf(format, args...)})
}

// Warnf records a change that a person may not have expected.
func (j *Journal) Warnf(reason, format string, args ...any) {
	j.entries = append(j.entries, entry{corev1.EventTypeWarning, reason, fmt.Sprintf(format, args...)})
}

// Publish sends the events of the object and forgets them.
func (j *Journal) Publish(recorder events.EventRecorder, object runtime.Object) {
	for _, e := range j.entries {
		recorder.Eventf(object, nil, e.kind, e.reason, "Reconcile", "%s", e.note)
	}
	j.entries = nil
}

package cloud

import (
	"context"
	"time"
)

// forgiveness is how long a failure speaks for those who come after it.
const forgiveness = 2 * time.Second

// Failure is an attempt that failed a while ago. Whoever waited for the same
// attempt takes its error instead of trying in turn: else an OpenStack that
// does not answer holds up one worker after the other, and with them the
// clusters of everybody else. The zero value is none.
type Failure struct {
	err   error
	until time.Time
}

// NewFailure notes that an attempt failed. It is good for as long as the
// attempt took, so that a cloud is waited for half of the time at most. That
// the caller went away says nothing about the cloud.
func NewFailure(ctx context.Context, err error, began, now time.Time) Failure {
	if ctx.Err() != nil {
		return Failure{}
	}
	return Failure{err: err, until: now.Add(max(forgiveness, now.Sub(began)))}
}

// Recent returns the error while it is good.
func (f Failure) Recent(now time.Time) error {
	if now.Before(f.until) {
		return f.err
	}
	return nil
}

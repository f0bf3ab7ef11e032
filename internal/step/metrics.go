package step

import "github.com/prometheus/client_golang/prometheus"

var (
	// Failures counts the steps that ended in an error, by the type of the condition
	// that tells of it and by its reason; CredentialsValid stands for passes that could
	// not look at the cloud at all.
	Failures = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "capok_step_failures_total",
		Help: "Steps of reconciles that ended in an error.",
	}, []string{"condition", "reason"})

	// Released counts the objects that were let go because their users said so, while
	// something of them may be left in OpenStack.
	Released = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "capok_objects_released_total",
		Help: "Objects let go by annotation although something may be left in OpenStack.",
	})
)

// count counts a result that is an error.
func (r Result) count(condition string) {
	if r.err != nil {
		Failures.WithLabelValues(condition, r.reason).Inc()
	}
}

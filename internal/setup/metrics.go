package setup

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// Metrics registers what the manager measures beside what controller-runtime does.
// docs/monitoring.md tells what each means.
func Metrics(registry prometheus.Registerer) {
	registry.MustRegister(cloud.Requests, cloud.RequestSeconds, cloud.Held, snapshot.Age, step.Failures, step.Released)
}

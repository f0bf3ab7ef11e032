package conformance

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/capok/capok/test/openstacksim"
)

// cloudVariable names a cloud in the clouds.yaml of OS_CLIENT_CONFIG_FILE; without
// it the suite makes a simulated cloud.
const cloudVariable = "CAPOK_CONFORMANCE_CLOUD"

// The cloud that the suite is put to, and how patient one has to be with it.
var (
	cloud   *api
	target  = "the simulator"
	held    atomic.Int32
	patient = patience{within: 10 * time.Second, look: 10 * time.Millisecond}
)

// patience is how long a change may take and how often one looks.
type patience struct{ within, look time.Duration }

func TestConformance(t *testing.T) {
	RegisterFailHandler(Fail)
	if name := os.Getenv(cloudVariable); name != "" {
		target = "cloud " + name
		patient = patience{within: 3 * time.Minute, look: time.Second}
	}
	EnforceDefaultTimeoutsWhenUsingContexts()
	SetDefaultEventuallyTimeout(patient.within)
	SetDefaultEventuallyPollingInterval(patient.look)
	RunSpecs(t, "how OpenStack behaves: "+target)
}

var _ = BeforeSuite(func(ctx SpecContext) {
	if name := os.Getenv(cloudVariable); name != "" {
		cloud = login(ctx, readClouds(os.Getenv("OS_CLIENT_CONFIG_FILE"), name))
	} else {
		cloud = login(ctx, simulated(ctx))
	}
	offer = seen(ctx)
	DeferCleanup(func(ctx SpecContext) { // the last, when all else has been cleaned up
		Eventually(func() []string { return leftovers(ctx) }).WithContext(ctx).Should(BeEmpty(), "the suite leaves nothing in the project")
	})
	shared = newPlace(ctx)
})

// simulated serves a simulated cloud on the time of the wall clock.
func simulated(ctx context.Context) credentials {
	const soon = 150 * time.Millisecond // time enough to be seen under way
	sim := openstacksim.New(
		openstacksim.WithClock(openstacksim.NewRunningClock()),
		openstacksim.WithDelays(openstacksim.Delays{ServerBuild: soon, ServerDelete: soon, LoadBalancer: soon,
			LoadBalancerDelete: soon, VolumeCreate: soon, VolumeDelete: soon, VolumeUse: soon}),
	)
	url, stop, err := sim.Serve(ctx, "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(stop)
	return credentials{
		AuthURL: url + "/identity", User: openstacksim.User, Password: openstacksim.Password,
		Project: openstacksim.Project, Domain: openstacksim.Domain, Region: openstacksim.Region,
	}
}

// behaviour is one thing that OpenStack does, and the source that says so: a
// page of the API reference, or the file and function of the service.
func behaviour(text, source string, body func(ctx SpecContext)) bool {
	return It(text, func(ctx SpecContext) {
		AddReportEntry("source", source, ReportEntryVisibilityFailureOrVerbose)
		body(ctx)
		held.Add(1)
	}, SpecTimeout(5*time.Minute))
}

var _ = ReportAfterSuite("count", func(report Report) {
	fmt.Fprintf(os.Stdout, "%d behaviours hold on %s\n", held.Load(), target)
})

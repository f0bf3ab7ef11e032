//go:build e2e

package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Each change of the project goes through this on the real OpenStack.
var _ = It("a cluster is created and deleted", Label("smoke"), func(ctx context.Context) {
	c := newCluster("e2e-smoke", "")
	DeferCleanup(c.cleanUp)
	c.create(ctx, 1)
	c.wantNodes(ctx, 2)
	c.delete(ctx)
	c.wantNothingLeft(ctx)
})

var _ = DescribeTable("a cluster is created, scaled from one worker to three and back, and deleted",
	func(ctx context.Context, name, flavor string) {
		c, meter := newCluster(name, flavor), newMeter(ctx)
		DeferCleanup(c.cleanUp)

		By("creating it with one worker")
		began := time.Now()
		c.create(ctx, 1)
		c.wantNodes(ctx, 2)
		meter.lap(ctx, "cluster of 2 nodes created", began)

		By("leaving it alone for a minute")
		began = time.Now()
		Consistently(func() error { return c.well(ctx) }, quietTime, quietTime/4).Should(Succeed())
		meter.lap(ctx, "a quiet minute", began)

		By("scaling to three workers")
		began = time.Now()
		c.scale(ctx, 3)
		c.wantNodes(ctx, 4)
		meter.lap(ctx, "2 workers added", began)

		By("scaling back to one")
		began = time.Now()
		c.scale(ctx, 1)
		c.wantNodes(ctx, 2)
		meter.lap(ctx, "2 workers removed", began)

		By("deleting it")
		began = time.Now()
		c.delete(ctx)
		meter.lap(ctx, "cluster deleted", began)
		c.wantNothingLeft(ctx)
		meter.report()
	},
	Entry("behind a load balancer", "e2e-balanced", ""),
	Entry("with a floating IP alone", "e2e-floating", "without-lb"),
)

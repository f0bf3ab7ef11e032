//go:build e2e

package e2e

import (
	"context"
	"math/rand/v2"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Every manager works for some seconds at most, and the next one finds what it
// left.
var _ = It("a cluster comes and goes although the manager is killed over and over", func(ctx context.Context) {
	c := newCluster("e2e-killed", "")
	DeferCleanup(c.cleanUp)

	By("creating it")
	killer := startKiller(ctx)
	c.create(ctx, 1)
	c.wantNodes(ctx, 2)
	created := killer.stop(ctx)

	By("deleting it")
	killer = startKiller(ctx)
	c.delete(ctx)
	deleted := killer.stop(ctx)
	c.wantNothingLeft(ctx)
	AddReportEntry("managers killed", []int{created, deleted})
	Expect(created).To(BeNumerically(">", 2), "managers killed while the cluster was created")
	Expect(deleted).To(BeNumerically(">", 0), "managers killed while it was deleted; an undisturbed deletion takes half a minute")
})

// killer kills every manager that takes the lead.
type killer struct {
	end    context.CancelFunc
	killed chan int
}

// maxWork is how long a manager may work before it is killed: it logs in and
// looks for some seconds before its first change.
const maxWork = 15 * time.Second

func startKiller(ctx context.Context) *killer {
	ctx, end := context.WithCancel(ctx)
	k := &killer{end: end, killed: make(chan int, 1)}
	go func() {
		defer GinkgoRecover()
		k.killed <- killLeaders(ctx)
	}()
	return k
}

// stop ends the killing, and waits until a manager works undisturbed.
func (k *killer) stop(ctx context.Context) (kills int) {
	GinkgoHelper()
	k.end()
	kills = <-k.killed
	must(ctx, "kubectl -n capok-system rollout status deploy/capok-controller-manager --timeout 2m")
	return kills
}

// killLeaders waits for each new leader, lets it work for a random time, and
// kills it. Its pod goes too, so that the kubelet does not put off the next one.
func killLeaders(ctx context.Context) (kills int) {
	killed := map[string]bool{}
	for ctx.Err() == nil {
		pod, err := shell(ctx, `kubectl -n capok-system get lease controller-leader-election-capok -o jsonpath='{.spec.holderIdentity}' | sed 's/_.*//'`)
		if err != nil || pod == "" || killed[pod] {
			pause(ctx, time.Second)
			continue
		}
		pause(ctx, rand.N(maxWork))
		if ctx.Err() != nil {
			break
		}
		if _, err := shell(ctx, `uid=$(kubectl -n capok-system get pod `+pod+` -o jsonpath='{.metadata.uid}')
			for p in $(pgrep -x manager); do ! grep -q "pod$uid/" /proc/$p/cgroup || kill -9 $p; done
			kubectl -n capok-system delete pod `+pod+` --force --grace-period 0`); err == nil {
			kills++
			killed[pod] = true
		}
	}
	return kills
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

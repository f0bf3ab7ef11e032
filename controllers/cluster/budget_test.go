package cluster

import (
	"slices"
	"strings"
	"testing"
	"time"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

// shared are the requests that do not grow with the cluster: logging in and finding
// the services, once for all clusters of a credential; the lists of the snapshot, one
// a kind whatever the cluster has; what the catalog keeps for all.
var shared = []string{
	"keystone POST /auth/tokens", "octavia GET /load-balancer", "neutron GET /networking",
	"neutron GET /networks", "neutron GET /subnets", "neutron GET /routers", "neutron GET /security-groups",
	"neutron GET /floatingips", "octavia GET /loadbalancers", "nova GET /os-availability-zone",
}

// TestBudget holds what a cluster costs: requests of its own, and all told, which is
// what OpenStack sees.
func TestBudget(t *testing.T) {
	type most struct{ own, all int }
	for name, c := range map[string]struct {
		edit                 func(*infrav1.OpenStackClusterSpec)
		create, first, quiet most
	}{
		"load balancer": {func(*infrav1.OpenStackClusterSpec) {}, most{14, 31}, most{4, 12}, most{0, 8}},
		"floating IP":   {func(s *infrav1.OpenStackClusterSpec) { s.APIServer = nil }, most{9, 19}, most{1, 8}, most{0, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, c.edit)
			for _, phase := range []struct {
				name string
				most most
			}{{"create", c.create}, {"the first quiet look", c.first}, {"a quiet look", c.quiet}} {
				e.sim.ResetCalls()
				e.settle()
				own := ownCalls(e.sim.Calls())
				all := len(e.sim.Calls())
				t.Logf("%s: %d requests of its own, %d all told", phase.name, len(own), all)
				if len(own) > phase.most.own || all > phase.most.all {
					t.Errorf("%s: want at most %+v:\n%s", phase.name, phase.most, strings.Join(own, "\n"))
				}
				e.sim.Clock.Advance(10 * time.Minute)
			}
		})
	}
}

func ownCalls(calls []openstacksim.Call) []string {
	var own []string
	for _, call := range calls {
		if text := call.String(); !slices.Contains(shared, text) {
			own = append(own, text)
		}
	}
	return own
}

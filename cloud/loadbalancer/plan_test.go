package loadbalancer

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/capok/capok/cloud"
)

func listener(port int, cidrs ...string) cloud.ListenerSpec {
	name := fmt.Sprintf("api-%d", port)
	return cloud.ListenerSpec{
		Name: name, Protocol: "TCP", Port: port, AllowedCIDRs: cidrs,
		Pool: cloud.PoolSpec{Name: name, Protocol: "TCP", Algorithm: "ROUND_ROBIN", Monitor: &cloud.MonitorSpec{
			Name: name, Type: "TCP", Delay: 10, Timeout: 5, Retries: 5, RetryDown: 3,
		}},
	}
}

func wish(listeners ...cloud.ListenerSpec) cloud.BalancerSpec {
	return cloud.BalancerSpec{Name: "api", Listeners: listeners}
}

// made is what Octavia shows once it has made a wish.
func made(want cloud.BalancerSpec) *Observed {
	seen := &Observed{Balancer: cloud.Balancer{ID: "lb", Status: cloud.LoadBalancerActive}}
	for _, l := range want.Listeners {
		pool, monitor := "pool-"+l.Name, "monitor-"+l.Name
		seen.Listeners = append(seen.Listeners, cloud.Listener{ID: l.Name, Port: l.Port, PoolID: pool, AllowedCIDRs: l.AllowedCIDRs})
		seen.Pools = append(seen.Pools, cloud.Pool{ID: pool, Name: l.Name, MonitorID: monitor})
		seen.Monitors = append(seen.Monitors, cloud.Monitor{ID: monitor, MonitorSpec: *l.Pool.Monitor})
	}
	return seen
}

func TestPlan(t *testing.T) {
	slow := listener(6443)
	slow.Pool.Monitor = &cloud.MonitorSpec{Delay: 20, Timeout: 5, Retries: 5, RetryDown: 3}
	noPool := made(wish(listener(6443)))
	noPool.Listeners[0].PoolID, noPool.Pools = "", nil
	noMonitor := made(wish(listener(6443)))
	noMonitor.Pools[0].MonitorID, noMonitor.Monitors = "", nil
	orphan := made(wish(listener(6443)))
	orphan.Pools = append(orphan.Pools, cloud.Pool{ID: "old", Name: "api-9443"})

	cases := []struct {
		why  string
		want cloud.BalancerSpec
		have *Observed
		plan []string
	}{
		{why: "what is not there is made whole", want: wish(listener(6443), listener(9443)), plan: []string{"create load balancer api with 2 listeners"}},
		{why: "nothing to do", want: wish(listener(6443)), have: made(wish(listener(6443)))},
		{why: "the order and the writing of ranges do not count", want: wish(listener(6443, "10.0.0.0/8", "10.6.0.1/24")), have: made(wish(listener(6443, "10.6.0.0/24", "10.0.0.0/8")))},
		{
			why: "who may reach it", want: wish(listener(6443, "10.0.0.0/8")), have: made(wish(listener(6443))),
			plan: []string{"let 10.0.0.0/8 reach port 6443"},
		},
		{
			why: "everybody again", want: wish(listener(6443)), have: made(wish(listener(6443, "10.0.0.0/8"))),
			plan: []string{"let everybody reach port 6443"},
		},
		{why: "times of the monitor", want: wish(slow), have: made(wish(listener(6443))), plan: []string{"set monitor behind port 6443 to 20/5/5/3"}},
		{why: "a port more: its pool comes in the next plan", want: wish(listener(6443), listener(9443)), have: made(wish(listener(6443))), plan: []string{"add listener for port 9443"}},
		{why: "a listener that got no pool", want: wish(listener(6443)), have: noPool, plan: []string{"add pool behind port 6443"}},
		{why: "a pool that got no monitor", want: wish(listener(6443)), have: noMonitor, plan: []string{"add monitor behind port 6443"}},
		{
			why: "a port less, last of all", want: wish(listener(6443, "10.0.0.0/8")), have: made(wish(listener(6443), listener(9443))),
			plan: []string{"let 10.0.0.0/8 reach port 6443", "drop listener for port 9443", "drop pool api-9443"},
		},
		{why: "a pool whose listener is gone", want: wish(listener(6443)), have: orphan, plan: []string{"drop pool api-9443"}},
	}
	for _, c := range cases {
		var got []string
		for _, op := range Plan(c.want, c.have) {
			got = append(got, op.String())
		}
		if diff := cmp.Diff(c.plan, got); diff != "" {
			t.Errorf("%s:\n%s", c.why, diff)
		}
	}
}

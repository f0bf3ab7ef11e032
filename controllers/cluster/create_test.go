package cluster

import (
	"testing"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

func TestLifeWithLoadBalancer(t *testing.T) {
	e := newEnv(t)
	e.settle()
	e.wantProvisioned()
	if n, list := e.calls(); n > 60 {
		t.Errorf("the first create cost %d requests, want at most 60:\n%s", n, list)
	}

	e.sim.ResetCalls()
	e.pass()
	if n, list := e.calls(); n > 12 || e.sim.Writes() > 0 {
		t.Errorf("a quiet pass cost %d requests, %d of them writes; want at most 12 and 0:\n%s", n, e.sim.Writes(), list)
	}

	infra := e.infra()
	ip := e.sim.FloatingIPs("")[0]
	if got := infra.Spec.ControlPlaneEndpoint; got.Host != ip.Address || got.Port != infrav1.DefaultAPIServerPort {
		t.Errorf("endpoint %v, want the floating IP %s", got, ip.Address)
	}
	if len(infra.Status.FailureDomains) != 3 {
		t.Errorf("failure domains %v, want Nova's three zones", infra.Status.FailureDomains)
	}

	e.delete()
	e.settle()
	e.wantGone()
	e.sim.WantNothingLeft(t)
}

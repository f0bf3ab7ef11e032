package cluster

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	ctrl "sigs.k8s.io/controller-runtime"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/test/openstacksim"
)

type specEdit = func(*infrav1.OpenStackClusterSpec)

var no = false

func noBalancer(s *infrav1.OpenStackClusterSpec) { s.APIServer.ManagedLoadBalancer = nil }

func noFloatingIP(s *infrav1.OpenStackClusterSpec) { s.APIServer.EnableFloatingIP = &no }

func TestLifeWithLoadBalancer(t *testing.T) {
	e := newEnv(t)
	e.settle()
	e.wantProvisioned()
	if n, list := e.calls(); n > 32 {
		t.Errorf("the first create cost %d requests, want at most 32:\n%s", n, list)
	}

	e.sim.ResetCalls()
	e.pass()
	if n, list := e.calls(); n > 11 || e.sim.Writes() > 0 {
		t.Errorf("a quiet pass cost %d requests, %d of them writes; want at most 11 and 0:\n%s", n, e.sim.Writes(), list)
	}

	infra := e.infra()
	ip := e.sim.FloatingIPs("")[0]
	if got := infra.Spec.ControlPlaneEndpoint; got.Host != ip.Address || got.Port != infrav1.DefaultAPIServerPort {
		t.Errorf("endpoint %v, want the floating IP %s", got, ip.Address)
	}
	if len(infra.Status.FailureDomains) != 3 {
		t.Errorf("failure domains %v, want Nova's three zones", infra.Status.FailureDomains)
	}
	e.deleteCleanly()
}

func TestEndpoints(t *testing.T) {
	cases := []struct {
		why  string
		edit specEdit
		host string // empty: the only floating IP
	}{{
		why:  "a floating IP without a load balancer, for a machine to have",
		edit: noBalancer,
	}, {
		why: "a fixed address needs nothing in OpenStack", host: "10.6.0.10",
		edit: func(s *infrav1.OpenStackClusterSpec) {
			noBalancer(s)
			noFloatingIP(s)
			s.APIServer.FixedIP = "10.6.0.10"
		},
	}, {
		why: "a load balancer without a floating IP has its address in the network", host: "10.6.0.10",
		edit: func(s *infrav1.OpenStackClusterSpec) { noFloatingIP(s); s.APIServer.FixedIP = "10.6.0.10" },
	}, {
		why: "what is given is used as it is", host: "api.example.com",
		edit: func(s *infrav1.OpenStackClusterSpec) {
			noBalancer(s)
			s.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: "api.example.com", Port: 443}
		},
	}, {
		why: "an endpoint without a way to the outside", host: "10.6.0.10",
		edit: func(s *infrav1.OpenStackClusterSpec) {
			noFloatingIP(s)
			s.APIServer.FixedIP, s.EnableExternalNetwork = "10.6.0.10", &no
		},
	}}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			e := newEnv(t, c.edit)
			e.settle()
			e.wantProvisioned()
			host, ips := c.host, e.sim.FloatingIPs("")
			if host == "" && len(ips) == 1 {
				host = ips[0].Address
			}
			if got := e.infra().Spec.ControlPlaneEndpoint.Host; got != host || c.host != "" && len(ips) > 0 {
				t.Errorf("endpoint %q with floating IPs %v, want %q", got, ips, host)
			}
			e.deleteCleanly()
		})
	}
}

func TestEndpointOfOthers(t *testing.T) {
	e := newEnv(t, noBalancer, noFloatingIP)
	e.settle()
	e.wantCondition(infrav1.APIEndpointReady, infrav1.WaitingForControlPlaneEndpoint, "apiServer.fixedIP")
	cluster := &clusterv1.Cluster{}
	if err := e.client.Get(t.Context(), key, cluster); err != nil {
		t.Fatal(err)
	}
	cluster.Spec.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: "10.9.9.9", Port: 6443}
	if err := e.client.Update(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	e.settle()
	e.wantProvisioned()
	e.deleteCleanly()
}

func TestFloatingIPOfTheUser(t *testing.T) {
	for _, edits := range [][]specEdit{nil, {noBalancer}} {
		e := newEnv(t, edits...)
		theirs, err := e.neutron().CreateFloatingIP(t.Context(), cloud.FloatingIPSpec{Mark: "theirs", NetworkID: e.sim.Networks("public")[0].ID})
		if err != nil {
			t.Fatal(err)
		}
		e.sim.Seed()
		e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.APIServer.FloatingIP = theirs.IP })
		e.settle()
		e.wantProvisioned()
		if got := e.infra().Spec.ControlPlaneEndpoint.Host; got != theirs.IP {
			t.Errorf("endpoint %s, want %s", got, theirs.IP)
		}
		e.deleteCleanly()
		if left := e.sim.FloatingIPs(theirs.IP); len(left) != 1 || left[0].Description != "theirs" {
			t.Errorf("the user's floating IP is %v, want it as it was", left)
		}
	}
}

func TestExistingNetwork(t *testing.T) {
	e := newEnv(t, func(s *infrav1.OpenStackClusterSpec) { s.ManagedSubnets, s.EnableExternalNetwork = nil, &no }, noFloatingIP)
	network, subnet := e.bring("theirs", "10.7.0.0/24")
	e.edit(func(c *infrav1.OpenStackCluster) {
		c.Spec.Network = &infrav1.NetworkParam{Filter: &infrav1.NeutronFilter{Name: "theirs"}}
	})
	e.settle()
	e.wantProvisioned()
	if got := e.infra().Status.Network; got.ID != network.ID || len(got.Subnets) != 1 || got.Subnets[0].ID != subnet.ID {
		t.Errorf("status.network %+v, want %s with %s", got, network.ID, subnet.ID)
	}
	e.deleteCleanly()
}

func TestExistingRouter(t *testing.T) {
	e := newEnv(t)
	router := e.bringRouter()
	e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.Router = &infrav1.RouterParam{ID: router.ID} })
	e.settle()
	e.wantProvisioned()
	if got := e.infra().Status.Router.ID; got != router.ID || len(e.sim.Routers("")) != 1 {
		t.Errorf("router %s of %d, want only %s", got, len(e.sim.Routers("")), router.ID)
	}
	e.deleteCleanly()
}

// TestRouterOfTheUserThatBecameAmbiguous: the router is taken off our subnet
// although its filter fits two by then, and stays.
func TestRouterOfTheUserThatBecameAmbiguous(t *testing.T) {
	e := newEnv(t, func(s *infrav1.OpenStackClusterSpec) {
		s.Router = &infrav1.RouterParam{Filter: &infrav1.NeutronFilter{Name: "theirs"}}
	})
	e.bringRouter()
	e.settle()
	e.wantProvisioned()
	e.bringRouter()
	e.restart()
	e.deleteCleanly()
}

// TestRetryAfterIsKept: while a step must stay away from OpenStack, no other
// one's poll comes sooner.
func TestRetryAfterIsKept(t *testing.T) {
	e := newEnv(t)
	e.sim.Throttle(openstacksim.Match{Service: "neutron", Method: "POST", Path: "^/security-groups$"}, 1, 2*time.Minute)
	for range 10 {
		result, err := e.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key})
		if conditions.GetReason(e.infra(), infrav1.SecurityGroupsReady) != infrav1.OpenStackUnavailable {
			continue
		}
		if err != nil || result.RequeueAfter < 2*time.Minute {
			t.Fatalf("the next look is after %s (error %v), want two minutes or more", result.RequeueAfter, err)
		}
		e.settle()
		e.wantProvisioned()
		return
	}
	t.Fatalf("nobody was asked to stay away: %s", e.conditions())
}

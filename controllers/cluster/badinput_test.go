package cluster

import (
	"net/http"
	"testing"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/test/openstacksim"
)

func TestWrongCredentials(t *testing.T) {
	e := newEnv(t)
	good := e.sim.CloudsYAML("capok")
	e.credentials(e.sim.CloudsYAMLFor("capok", openstacksim.Project, openstacksim.User, "wrong"))
	e.settle()
	e.wantCondition(infrav1.CredentialsValid, infrav1.CredentialsRejected, "")
	e.wantCondition(infrav1.Ready, infrav1.CredentialsRejected, "")
	if len(e.infra().Finalizers) > 0 {
		t.Error("an object that never had anything in OpenStack cannot be deleted without credentials")
	}
	e.credentials(good)
	e.settle()
	e.wantProvisioned()

	e.credentials(nil)
	e.delete()
	e.settle()
	lb := e.infra().Status.APIServerManagedLoadBalancer.ID
	e.wantCondition(infrav1.CredentialsValid, infrav1.CredentialsRejected, infrav1.ReleaseAnnotation)
	e.wantCondition(infrav1.CredentialsValid, infrav1.CredentialsRejected, lb)
	e.credentials(good)
	e.settle()
	e.wantGone()
	e.sim.WantNothingLeft(t)
}

func TestRelease(t *testing.T) {
	e := newEnv(t)
	e.settle()
	e.credentials(nil)
	e.delete()
	e.edit(func(c *infrav1.OpenStackCluster) { c.Annotations[infrav1.ReleaseAnnotation] = "true" })
	e.settle()
	e.wantGone()
	if len(e.sim.LoadBalancers("")) != 1 {
		t.Error("something was deleted without credentials")
	}
	for {
		select {
		case event := <-e.events.Events:
			if event[:len("Warning ResourcesReleased")] == "Warning ResourcesReleased" {
				return
			}
		default:
			t.Fatal("no event says what was left")
		}
	}
}

// TestRefusedRemovalTellsTheWayOut: a role that was taken away lets us look but
// not delete. The user decides whether what is left is left.
func TestRefusedRemovalTellsTheWayOut(t *testing.T) {
	e := newEnv(t)
	e.settle()
	e.sim.FailAll(openstacksim.Match{Service: "neutron", Method: "DELETE", Path: "^/networks/"}, http.StatusForbidden, "")
	e.delete()
	e.settle()
	e.wantCondition(infrav1.NetworkReady, infrav1.PermissionDenied, infrav1.ReleaseAnnotation)
	e.edit(func(c *infrav1.OpenStackCluster) { c.Annotations[infrav1.ReleaseAnnotation] = "true" })
	e.settle()
	e.wantGone()
	if len(e.sim.Networks("")) != 2 || len(e.sim.LoadBalancers("")) != 0 {
		t.Error("what can be removed goes first; the network stays")
	}
}

func TestFailureDomains(t *testing.T) {
	up, down := cloud.AvailabilityZone{Name: "a", Available: true}, cloud.AvailabilityZone{Name: "b"}
	for _, c := range []struct {
		why    string
		zones  []cloud.AvailabilityZone
		wanted []string
		omit   bool
		want   []bool // offered to the control plane
	}{
		{"no new machine goes where all hosts are down", []cloud.AvailabilityZone{up, down}, nil, false, []bool{true, false}},
		{"the user's choice", []cloud.AvailabilityZone{up, down}, []string{"a"}, false, []bool{true, false}},
		{"with no other choice Nova says why it places none", []cloud.AvailabilityZone{up, down}, []string{"b"}, false, []bool{false, true}},
		{"all are down", []cloud.AvailabilityZone{down}, nil, false, []bool{true}},
		{"Nova shall choose", []cloud.AvailabilityZone{up, down}, nil, true, []bool{false, false}},
		{"Nova shall choose for workers only", []cloud.AvailabilityZone{up, down}, []string{"a"}, true, []bool{true, false}},
	} {
		for i, domain := range failureDomains(c.zones, c.wanted, c.omit) {
			if domain.Name != c.zones[i].Name || *domain.ControlPlane != c.want[i] {
				t.Errorf("%s: zone %s is offered: %v, want %v", c.why, domain.Name, *domain.ControlPlane, c.want[i])
			}
		}
	}
}

// TestZoneThatIsDown: it stays in the report, and the cluster is well.
func TestZoneThatIsDown(t *testing.T) {
	e := newEnv(t, func(s *infrav1.OpenStackClusterSpec) { s.ControlPlaneAvailabilityZones = []string{"az1", "az2"} })
	e.sim.SetZoneDown("az2", true)
	e.settle()
	e.wantProvisioned()
	if got := len(e.infra().Status.FailureDomains); got != 3 {
		t.Errorf("failure domains: %d, want all 3", got)
	}
	e.deleteCleanly()
}

func TestBadInput(t *testing.T) {
	filter := func(name string) *infrav1.NetworkParam {
		return &infrav1.NetworkParam{Filter: &infrav1.NeutronFilter{Name: name}}
	}
	cases := []struct {
		why                         string
		edit                        specEdit
		condition, reason, contains string
		heal                        func(*env)
	}{{
		why:       "a network that is not there; it is made later",
		edit:      func(s *infrav1.OpenStackClusterSpec) { s.ManagedSubnets, s.Network = nil, filter("later") },
		condition: infrav1.NetworkReady, reason: infrav1.NotFound, contains: "spec.network",
		heal: func(e *env) { e.bring("later", "10.8.0.0/24") },
	}, {
		why:       "a name that fits two networks",
		edit:      func(s *infrav1.OpenStackClusterSpec) { s.ManagedSubnets, s.Network = nil, filter("two") },
		condition: infrav1.NetworkReady, reason: infrav1.Ambiguous, contains: "spec.network",
		heal: func(e *env) {
			e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.Network = filter("one") })
		},
	}, {
		why: "a subnet outside its network",
		edit: func(s *infrav1.OpenStackClusterSpec) {
			s.ManagedSubnets, s.Network = nil, filter("one")
			s.Subnets = []infrav1.SubnetParam{{Filter: &infrav1.SubnetFilter{CIDR: "10.7.2.0/24"}}}
		},
		condition: infrav1.NetworkReady, reason: infrav1.InvalidSpec, contains: "spec.subnets[0]",
		heal: func(e *env) { e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.Subnets = nil }) },
	}, {
		why:       "neither a network nor managed subnets",
		edit:      func(s *infrav1.OpenStackClusterSpec) { s.ManagedSubnets = nil },
		condition: infrav1.NetworkReady, reason: infrav1.InvalidSpec, contains: "managedSubnets",
		heal: func(e *env) { e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.Network = filter("one") }) },
	}, {
		why:       "an external network that is not there",
		edit:      func(s *infrav1.OpenStackClusterSpec) { s.ExternalNetwork = filter("nowhere") },
		condition: infrav1.RouterReady, reason: infrav1.NotFound, contains: "spec.externalNetwork",
		heal: func(e *env) { e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.ExternalNetwork = nil }) },
	}, {
		why:       "an availability zone that is not there",
		edit:      func(s *infrav1.OpenStackClusterSpec) { s.ControlPlaneAvailabilityZones = []string{"az1", "az9"} },
		condition: infrav1.FailureDomainsReady, reason: infrav1.NotFound, contains: "spec.controlPlaneAvailabilityZones[1]",
		heal: func(e *env) {
			e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.ControlPlaneAvailabilityZones = []string{"az1"} })
		},
	}, {
		why:       "a load balancer flavor that is not there",
		edit:      func(s *infrav1.OpenStackClusterSpec) { s.APIServer.ManagedLoadBalancer.Flavor = "huge" },
		condition: infrav1.APIEndpointReady, reason: infrav1.NotFound, contains: "managedLoadBalancer.flavor",
		heal: func(e *env) {
			e.edit(func(c *infrav1.OpenStackCluster) { c.Spec.APIServer.ManagedLoadBalancer.Flavor = "" })
		},
	}}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			e := newEnv(t, c.edit)
			for name, cidr := range map[string]string{"one": "10.7.1.0/24", "two": "10.7.2.0/24"} {
				e.bring(name, cidr)
			}
			e.bring("two", "10.7.3.0/24")
			if e.infra().Spec.ManagedSubnets == nil { // a floating IP needs a router there
				e.edit(func(c *infrav1.OpenStackCluster) { noFloatingIP(&c.Spec) })
			}
			e.passes(8) // what is missing is looked for again and again
			e.wantCondition(c.condition, c.reason, c.contains)
			e.wantCondition(infrav1.Ready, c.reason, c.contains)
			c.heal(e)
			e.settle()
			e.wantProvisioned()
			e.deleteCleanly()
		})
	}
}

func TestQuota(t *testing.T) {
	for _, kind := range []string{"network", "subnet", "router", "security_group", "security_group_rule", "floatingip", "loadbalancer"} {
		t.Run(kind, func(t *testing.T) {
			e := newEnv(t)
			e.sim.SetQuota(kind, 0)
			e.passes(5)
			e.wantCondition(infrav1.Ready, infrav1.QuotaExceeded, "")
			e.sim.SetQuota(kind, -1)
			e.settle()
			e.wantProvisioned()
			e.deleteCleanly()
		})
	}
}

func TestNoOctavia(t *testing.T) {
	sim := openstacksim.New(openstacksim.WithoutService("octavia"))
	sim.Start(t)
	e := newEnvOn(t, sim)
	e.passes(8)
	e.wantCondition(infrav1.APIEndpointReady, infrav1.NotFound, "load-balancer")
	e.deleteCleanly()
}

package conversion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// meaning is one statement in both versions, as YAML. What is asymmetric goes up only.
type meaning struct {
	why          string
	older, newer string
	upOnly       bool
}

func TestClusterMeaning(t *testing.T) {
	for _, m := range []meaning{
		{"nothing said stays nothing", "spec: {}", "spec: {}", false},
		{"a switch off is a switch not on", "spec: {disableAPIServerFloatingIP: true, disableExternalNetwork: true}", "spec: {apiServer: {enableFloatingIP: false}, enableExternalNetwork: false}", false},
		{"no switch off is a switch on, not the default", "spec: {disableExternalNetwork: false, disablePortSecurity: false}", "spec: {enableExternalNetwork: true, managedNetwork: {enablePortSecurity: true}}", false},
		{"port security off", "spec: {disablePortSecurity: true}", "spec: {managedNetwork: {enablePortSecurity: false}}", false},
		{"the endpoint's fields", "spec: {apiServerFloatingIP: 172.24.4.9, apiServerFixedIP: 10.6.0.9, apiServerPort: 443, apiServerLoadBalancer: {provider: ovn}}", "spec: {apiServer: {floatingIP: 172.24.4.9, fixedIP: 10.6.0.9, port: 443, managedLoadBalancer: {provider: ovn}}}", false},
		{"a load balancer with all defaults", "spec: {apiServerLoadBalancer: {}}", "spec: {apiServer: {managedLoadBalancer: {}}}", false},
		{"texts and numbers that say nothing", "spec: {apiServerFloatingIP: '', apiServerPort: 0, networkMTU: 0, externalRouterIPs: [], controlPlaneEndpoint: {host: '', port: 0}}", "spec: {}", true},
		{"the largest packet", "spec: {networkMTU: 1400}", "spec: {managedNetwork: {mtu: 1400}}", false},
		{"the router's addresses", "spec: {externalRouterIPs: [{fixedIP: 172.24.4.9}]}", "spec: {managedRouter: {externalIPs: [{fixedIP: 172.24.4.9}]}}", false},
		{"rules for all nodes", "spec: {managedSecurityGroups: {allNodesSecurityGroupRules: [{name: a, remoteManagedGroups: [worker, worker]}]}}", "spec: {managedSecurityGroups: {clusterNodesSecurityGroupRules: [{name: a, remoteManagedGroups: [worker, worker]}]}}", false},
		{"default groups", "spec: {managedSecurityGroups: {}}", "spec: {managedSecurityGroups: {}}", false},
		{"only the incumbent's readiness is known", "status: {ready: true, conditions: [{type: Ready, status: 'True'}]}", "status: {initialization: {provisioned: true}, conditions: [{type: Ready, status: 'True', reason: NoReasonReported}]}", true},
		{"a failure is no condition", "status: {ready: false, failureReason: A, failureMessage: b}", "status: {}", true},
		{"zones by name", "status: {ready: false, failureDomains: {b: {controlPlane: true}, a: {}}}", "status: {failureDomains: [{name: a, controlPlane: false}, {name: b, controlPlane: true}]}", false},
		{"a load balancer seen", "status: {ready: false, apiServerLoadBalancer: {id: a}}", "status: {apiServerManagedLoadBalancer: {id: a}}", false},
		{
			"what is under way is information, what is wrong a warning",
			"status: {ready: true, initialization: {provisioned: true}, conditions: [{type: A, status: 'False', reason: Creating, severity: Info}, {type: B, status: 'False', reason: NotFound, severity: Warning}, {type: C, status: 'True', reason: Available}], v1beta2: {conditions: [{type: A, status: 'False', reason: Creating}, {type: B, status: 'False', reason: NotFound}, {type: C, status: 'True', reason: Available}]}}",
			"status: {initialization: {provisioned: true}, conditions: [{type: A, status: 'False', reason: Creating}, {type: B, status: 'False', reason: NotFound}, {type: C, status: 'True', reason: Available}]}", false,
		},
	} {
		t.Run(m.why, func(t *testing.T) { check(t, m, clusterDown, clusterUp) })
	}
}

func TestMachineMeaning(t *testing.T) {
	for _, m := range []meaning{
		{"a flavor by name", "spec: {flavor: small}", "spec: {flavor: {filter: {name: small}}}", false},
		{"a flavor by ID", "spec: {flavorID: '1'}", "spec: {flavor: {id: '1'}}", false},
		{"both are kept", "spec: {flavor: small, flavorID: '1'}", "spec: {flavor: {id: '1', filter: {name: small}}}", false},
		{"port security off", "spec: {ports: [{disablePortSecurity: true}]}", "spec: {ports: [{enablePortSecurity: false}]}", false},
		{"port security on, whatever the network says", "spec: {ports: [{disablePortSecurity: false}]}", "spec: {ports: [{enablePortSecurity: true}]}", false},
		{"the newer name in an older object", "spec: {ports: [{enablePortSecurity: false}]}", "spec: {ports: [{enablePortSecurity: false}]}", true},
		{"a port like any other", "spec: {ports: [{nameSuffix: a}, {}]}", "spec: {ports: [{nameSuffix: a}, {}]}", false},
		{"metadata without a value", "spec: {serverMetadata: [{key: a, value: ''}]}", "spec: {serverMetadata: [{key: a, value: ''}]}", false},
		{"the incumbent's machine", "status: {ready: true, instanceID: a, instanceState: ACTIVE}", "status: {initialization: {provisioned: true}, instanceID: a, instanceState: ACTIVE}", true},
	} {
		t.Run(m.why, func(t *testing.T) { check(t, m, machineDown, machineUp) })
	}
}

func check[hub, spoke any](t *testing.T, m meaning, down func(*hub, *spoke), up func(*spoke, *hub)) {
	older, newer := parse[spoke](t, m.older), parse[hub](t, m.newer)
	var gotNewer hub
	up(&older, &gotNewer)
	if diff := cmp.Diff(newer, gotNewer); diff != "" {
		t.Errorf("to v1beta2 (-want +got):\n%s", diff)
	}
	var gotOlder spoke
	if down(&newer, &gotOlder); !m.upOnly {
		if diff := cmp.Diff(older, gotOlder); diff != "" {
			t.Errorf("to v1beta1 (-want +got):\n%s", diff)
		}
	}
}

func parse[object any](t *testing.T, text string) object {
	t.Helper()
	var parsed object
	if err := yaml.UnmarshalStrict([]byte(text), &parsed); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return parsed
}

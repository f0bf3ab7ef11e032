package manifests

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// update is a change of an object that exists.
type update struct {
	why    string
	before string // added to the smallest spec
	status string // what the controller has reported; empty: nothing
	change string // merge patch
	want   string // what the refusal says; empty: accepted
}

func (u update) check(t *testing.T, kind, name, smallest string) {
	t.Run(u.why, func(t *testing.T) {
		object := newObject(kind, name, smallest+u.before)
		create(t, object)
		if u.status != "" {
			if err := user.Status().Patch(t.Context(), object, merge(t, u.status)); err != nil {
				t.Fatal(err)
			}
		}
		wantRefusal(t, user.Patch(t.Context(), object, merge(t, u.change), client.DryRunAll), u.want)
	})
}

// create makes an object for real and removes it after the test.
func create(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	if err := user.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = user.Delete(context.Background(), object) }) // t.Context has ended by then
}

const (
	withLB      = "apiServer: {managedLoadBalancer: {provider: amphora}}"
	withSubnet  = "managedSubnets: [{cidr: 10.6.0.0/24}]"
	otherUUID   = "0d1e5f7c-52d8-4c4a-8a6e-1d7b3a0c9b21"
	newCluster  = "put the old value back, or make a new cluster"
	newTemplate = "let the owner of the Machine refer to a new OpenStackMachineTemplate"
)

func TestUpdateCluster(t *testing.T) {
	for i, u := range []update{
		{"credentials are rotated by a new Secret", "", "", "spec: {identityRef: {name: other, cloudName: other}}", ""},
		{"a region cannot appear", "", "", "spec: {identityRef: {region: a}}", "identityRef.region cannot"},
		{"a cluster does not move to another region", "identityRef: {name: a, cloudName: b, region: a}", "", "spec: {identityRef: {region: b}}", "identityRef.region cannot"},
		{"nor lose its region", "identityRef: {name: a, cloudName: b, region: a}", "", "spec: {identityRef: {region: null}}", "identityRef.region cannot"},

		{"the controller sets the endpoint", "", "", "spec: {controlPlaneEndpoint: {host: a, port: 6443}}", ""},
		{"certificates are made for the endpoint", "controlPlaneEndpoint: {host: a, port: 6443}", "", "spec: {controlPlaneEndpoint: {host: b}}", "can be set once"},
		{"it does not go away", "controlPlaneEndpoint: {host: a, port: 6443}", "", "spec: {controlPlaneEndpoint: null}", "can be set once"},
		{"a fixed IP can come later", "apiServer: {enableFloatingIP: false}", "", "spec: {apiServer: {fixedIP: 10.6.0.9, port: 443}}", ""},
		{"but once", "apiServer: {enableFloatingIP: false, fixedIP: 10.6.0.9}", "", "spec: {apiServer: {fixedIP: 10.6.0.8}}", "only once"},
		{"and not beside a floating IP", "", "", "spec: {apiServer: {fixedIP: 10.6.0.9}}", "only with enableFloatingIP: false"},
		{"the floating IP stays", "apiServer: {}", "", "spec: {apiServer: {enableFloatingIP: false}}", "enableFloatingIP cannot be changed"},
		{"true is what was meant", "apiServer: {}", "", "spec: {apiServer: {enableFloatingIP: true}}", ""},
		{"a floating IP can be written down", withLB, "status: {apiServerManagedLoadBalancer: {ip: 172.24.4.9}}", "spec: {apiServer: {floatingIP: 172.24.4.9}}", ""},
		{"but not chosen later", withLB, "status: {apiServerManagedLoadBalancer: {ip: 172.24.4.9}}", "spec: {apiServer: {floatingIP: 172.24.4.8}}", "status.apiServerManagedLoadBalancer.ip"},

		{"a load balancer cannot come later", "", "", "spec: {apiServer: {managedLoadBalancer: {}}}", "cannot be added or removed"},
		{"nor go", withLB, "", "spec: {apiServer: {managedLoadBalancer: null}}", "cannot be added or removed"},
		{"nor be another one", withLB, "", "spec: {apiServer: {managedLoadBalancer: {provider: ovn}}}", "spec.apiServer.managedLoadBalancer.provider cannot be changed"},
		{"nor be switched off", withLB, "", "spec: {apiServer: {managedLoadBalancer: {enabled: false}}}", "managedLoadBalancer.enabled cannot be changed"},
		{"who may reach it can change", withLB, "", "spec: {apiServer: {managedLoadBalancer: {allowedCIDRs: [10.0.0.0/8]}}}", ""},
		{"its checks too", withLB, "", "spec: {apiServer: {managedLoadBalancer: {monitor: {delay: 5}}}}", ""},

		{"DNS servers can change", withSubnet, "", "spec: {managedSubnets: [{cidr: 10.6.0.0/24, dnsNameservers: [10.0.0.53]}]}", ""},
		{"machines have addresses in the range", withSubnet, "", "spec: {managedSubnets: [{cidr: 10.7.0.0/24}]}", "only in dnsNameservers"},
		{"pools too", withSubnet, "", "spec: {managedSubnets: [{cidr: 10.6.0.0/24, allocationPools: [{start: 10.6.0.5, end: 10.6.0.9}]}]}", "only in dnsNameservers"},
		{"a managed network does not come later", "", "", "spec: {managedSubnets: [{cidr: 10.6.0.0/24}]}", "only in dnsNameservers"},
		{"machines are in the network", "network: {id: " + uuid + "}", "", "spec: {network: {id: " + otherUUID + "}}", "spec.network"},
		{"a filter becomes the ID that it found", "network: {filter: {name: a}}", "status: {network: {id: " + uuid + "}}", "spec: {network: {id: " + uuid + ", filter: null}}", ""},
		{"no other ID", "network: {filter: {name: a}}", "status: {network: {id: " + uuid + "}}", "spec: {network: {id: " + otherUUID + ", filter: null}}", "status.network.id"},
		{"no ID before it was found", "network: {filter: {name: a}}", "", "spec: {network: {id: " + uuid + ", filter: null}}", "status.network.id"},
		{"subnets the same", "subnets: [{filter: {name: a}}]", "status: {network: {subnets: [{id: " + uuid + "}]}}", "spec: {subnets: [{id: " + uuid + "}]}", ""},
		{"no other subnet", "subnets: [{filter: {name: a}}]", "status: {network: {subnets: [{id: " + uuid + "}]}}", "spec: {subnets: [{id: " + otherUUID + "}]}", "status.network.subnets"},
		{"no more subnets", "subnets: [{id: " + uuid + "}]", "status: {network: {subnets: [{id: " + uuid + "}]}}", "spec: {subnets: [{id: " + uuid + "}, {id: " + uuid + "}]}", "status.network.subnets"},
		{"the primary subnet can change", "", "", "spec: {primarySubnet: {id: " + uuid + "}}", ""},

		{"the router stays", "", "", "spec: {router: {id: " + uuid + "}}", "spec.router cannot be changed later: " + newCluster},
		{"the outside stays", "externalNetwork: {id: " + uuid + "}", "", "spec: {externalNetwork: {id: " + otherUUID + "}}", "spec.externalNetwork cannot be changed"},
		{"tags stay", "tags: [a]", "", "spec: {tags: [a, b]}", "spec.tags cannot be changed"},
		{"security groups can come later", "", "", "spec: {managedSecurityGroups: {}}", ""},
		{"but not go", "managedSecurityGroups: {}", "", "spec: {managedSecurityGroups: null}", "cannot be removed"},
		{"their rules can change", "managedSecurityGroups: {}", "", "spec: {managedSecurityGroups: {allowAllInClusterTraffic: true, workerNodesSecurityGroupRules: [{name: a, direction: ingress}]}}", ""},
		{"zones can change", "controlPlaneAvailabilityZones: [a]", "", "spec: {controlPlaneAvailabilityZones: [b], controlPlaneOmitAvailabilityZone: true}", ""},
		{"labels are free", "tags: [a]", "", "metadata: {labels: {a: b}}", ""},
	} {
		u.check(t, "OpenStackCluster", fmt.Sprintf("cluster-%d", i), clusterSpec)
	}
}

func TestUpdateMachine(t *testing.T) {
	full := "identityRef: {name: a, cloudName: b}\nports: [{nameSuffix: a, allowedAddressPairs: [{ipAddress: 10.0.0.1}]}]"
	for i, u := range []update{
		{"the controller sets the provider ID", "", "", "spec: {providerID: 'openstack:///" + uuid + "'}", ""},
		{"credentials can change", full, "", "spec: {identityRef: {name: c}}", ""},
		{"credentials can come later", "", "", "spec: {identityRef: {name: c, cloudName: d}}", ""},
		{"a server does not move to another region", full, "", "spec: {identityRef: {region: a}}", "identityRef.region cannot"},
		{"nor by other credentials", "", "", "spec: {identityRef: {name: c, cloudName: d, region: e}}", "identityRef.region cannot"},
		{"address pairs can change", full, "", "spec: {ports: [{nameSuffix: a, allowedAddressPairs: [{ipAddress: 10.0.0.2}]}]}", ""},
		{"the rest of a port cannot", full, "", "spec: {ports: [{nameSuffix: b}]}", "spec.ports[].nameSuffix cannot be changed later"},
		{"ports are not added", full, "", "spec: {ports: [{nameSuffix: a}, {}]}", "cannot be changed later"},
		{"another size is another machine", "", "", "spec: {flavor: {filter: {name: big}}}", "spec.flavor cannot be changed later"},
		{"another image too", "", "", "spec: {image: {filter: {name: big}}}", newTemplate},
		{"tags stay", "", "", "spec: {tags: [a]}", "spec.tags"},
		{"a root volume does not come later", "", "", "spec: {rootVolume: {sizeGiB: 10}}", "spec.rootVolume"},
		{"keys stay", "sshKeyName: a", "", "spec: {sshKeyName: b}", "spec.sshKeyName"},
		{"server groups are joined at birth", "", "", "spec: {serverGroup: {filter: {name: a}}}", "spec.serverGroup"},
		{"metadata stays", "", "", "spec: {serverMetadata: [{key: a, value: b}]}", "spec.serverMetadata"},
		{"a config drive does not come later", "", "", "spec: {configDrive: true}", "spec.configDrive"},
		{"groups stay", "", "", "spec: {securityGroups: [{filter: {name: a}}]}", "spec.securityGroups"},
	} {
		u.check(t, "OpenStackMachine", fmt.Sprintf("machine-%d", i), machineSpec)
	}
}

func TestUpdateTemplate(t *testing.T) {
	for _, kind := range []struct{ kind, spec string }{
		{"OpenStackMachineTemplate", machineSpec},
		{"OpenStackClusterTemplate", clusterSpec},
	} {
		t.Run(kind.kind, func(t *testing.T) {
			object := newObject(kind.kind, "template", "template:\n  spec:\n"+indent(kind.spec, 4))
			create(t, object)
			change := "spec: {template: {spec: {tags: [a]}}}"
			dryRun := fmt.Sprintf("metadata: {annotations: {%s: ''}}\n", clusterv1.TopologyDryRunAnnotation)
			for _, c := range []struct {
				why, change string
				options     []client.PatchOption
				want        string
			}{
				{"machines of a template are alike", change, nil, "make a new template"},
				{"also in a dry run of a user", change, []client.PatchOption{client.DryRunAll}, "make a new template"},
				{"the annotation alone opens nothing", dryRun + change, nil, "make a new template"},
				{"a managed topology compares by a dry run", dryRun + change, []client.PatchOption{client.DryRunAll}, ""},
				{"labels are free", "metadata: {labels: {a: b}}", nil, ""},
				{"labels of what is made of it too", "spec: {template: {metadata: {labels: {a: b}}}}", nil, ""},
			} {
				t.Run(c.why, func(t *testing.T) {
					wantRefusal(t, user.Patch(t.Context(), object.DeepCopy(), merge(t, c.change), c.options...), c.want)
				})
			}
		})
	}
}

// TestStatusNeedsNothing: what is not known yet can be left out of the status,
// so that the rest, above all the conditions, can always be written.
func TestStatusNeedsNothing(t *testing.T) {
	cluster := newObject("OpenStackCluster", "status", clusterSpec)
	create(t, cluster)
	machine := newObject("OpenStackMachine", "status", machineSpec)
	create(t, machine)
	for _, c := range []struct {
		why    string
		object *unstructured.Unstructured
		status string
	}{
		{"a load balancer without floating IP", cluster, "status: {apiServerManagedLoadBalancer: {id: a, name: b, internalIP: 10.6.0.4}}"},
		{"nothing of the load balancer is known", cluster, "status: {apiServerManagedLoadBalancer: {}}"},
		{"a network that was not found", cluster, "status: {network: {}, externalNetwork: {}, router: {}}"},
		{"security groups half way", cluster, "status: {controlPlaneSecurityGroup: {name: a}, workerSecurityGroup: {}}"},
		{"a zone", cluster, "status: {failureDomains: [{name: nova, controlPlane: true}]}"},
		{"a server without an address", machine, "status: {instanceID: a, instanceState: BUILD}"},
		{"a server that runs", machine, "status: {initialization: {provisioned: true}, addresses: [{type: InternalIP, address: 10.6.0.7}], failureDomain: nova}"},
	} {
		t.Run(c.why, func(t *testing.T) {
			err := user.Status().Patch(t.Context(), c.object.DeepCopy(), merge(t, c.status))
			wantRefusal(t, err, "")
		})
	}
}

package manifests

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/capok/capok/api/infrastructure/v1beta1"
)

const olderMachineSpec = "flavor: small\nimage: {filter: {name: node}}\n"

// inOlder makes v1beta1 the version that the object is written in.
func inOlder(object *unstructured.Unstructured) *unstructured.Unstructured {
	object.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(object.GetKind()))
	return object
}

// older reads an object in v1beta1.
func older(t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	read := inOlder(object.DeepCopy())
	if err := user.Get(t.Context(), client.ObjectKeyFromObject(object), read); err != nil {
		t.Fatal(err)
	}
	return read
}

// wantSameInOlder checks that an object which v1beta2 accepts can be written in v1beta1
// as it is read there.
func wantSameInOlder(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	object.SetName("both-versions")
	create(t, object)
	read := older(t, object)
	again := inOlder(newObject(object.GetKind(), "again", "{}"))
	again.Object["spec"] = read.Object["spec"]
	if err := user.Create(t.Context(), again, client.DryRunAll); err != nil {
		t.Errorf("what v1beta1 shows cannot be written: %v", err)
	}
	if diff := cmp.Diff(read.Object["spec"], again.Object["spec"]); diff != "" {
		t.Errorf("written again in v1beta1 it becomes another (-read +written):\n%s", diff)
	}
}

func (c creation) checkOlder(t *testing.T, kind, smallest string) {
	t.Run(c.why, func(t *testing.T) {
		object := inOlder(newObject(kind, "older", smallest+c.spec))
		wantRefusal(t, user.Create(t.Context(), object, client.DryRunAll), c.want)
	})
}

func TestCreateOlderCluster(t *testing.T) {
	for _, c := range []creation{
		{"the smallest cluster", "", ""},
		{"the usual one", "apiServerLoadBalancer: {enabled: true}\nmanagedSubnets: [{cidr: 10.6.0.0/24, dnsNameservers: [10.0.0.53]}]\nmanagedSecurityGroups: {}\nexternalNetwork: {filter: {name: public}}", ""},
		{"an entry without a cloud", "identityRef: {name: a}", "spec.identityRef.cloudName"},
		{"a field of the newer version", "apiServer: {}", `unknown field "spec.apiServer"`},
		{"another one", "enableExternalNetwork: false", "unknown field"},
		{"values that say nothing are in the field", "apiServerFloatingIP: ''\napiServerFixedIP: ''\napiServerPort: 0\nnetworkMTU: 0\nexternalRouterIPs: []\ntags: []\ncontrolPlaneEndpoint: {host: '', port: 0}", ""},
		{"an endpoint that waits for its port", "controlPlaneEndpoint: {host: api.example, port: 0}", ""},
		{"a load balancer with all defaults", "apiServerLoadBalancer: {}", ""},
		{"a port that is none", "apiServerPort: 65536", "spec.apiServerPort"},
		{"an address that is none", "apiServerFixedIP: api", "give an IP address such as 10.6.0.10"},
		{"a floating IP that is none", "apiServerFloatingIP: api", "give an IP address of the external network"},
		{"packets larger than any", "networkMTU: 65536", "spec.networkMTU"},
		{"packets of less than nothing", "networkMTU: -1", "spec.networkMTU"},
		{"a floating IP from nowhere", "disableExternalNetwork: true", "set disableAPIServerFloatingIP: true"},
		{"an isolated cluster", "disableExternalNetwork: true\ndisableAPIServerFloatingIP: true", ""},
		{"a floating IP that is not wanted", "apiServerFloatingIP: 172.24.4.9\ndisableAPIServerFloatingIP: true", "remove apiServerFloatingIP"},
		{"the older name of a list", "managedSecurityGroups: {allNodesSecurityGroupRules: [{name: a, direction: ingress, remoteManagedGroups: [worker]}]}", ""},
		{"the newer name of it", "managedSecurityGroups: {clusterNodesSecurityGroupRules: []}", "unknown field"},
		{"two remotes in a rule", "managedSecurityGroups: {allNodesSecurityGroupRules: [{name: a, direction: ingress, remoteManagedGroups: [worker], remoteIPPrefix: 10.0.0.0/8}]}", "give only one of"},
		{"a group twice in a rule is once", "managedSecurityGroups: {allNodesSecurityGroupRules: [{name: a, direction: ingress, remoteManagedGroups: [worker, worker]}]}", ""},
		{"a managed subnet needs a range", "managedSubnets: [{}]", "spec.managedSubnets[0].cidr"},
		{"an address of the router", "externalRouterIPs: [{subnet: {id: " + uuid + "}, fixedIP: 172.24.4.9}]", ""},
		{"a network twice", "network: {id: " + uuid + ", filter: {name: a}}", "give one of the two"},
		{"an empty filter matches everything", "network: {filter: {}}", "spec.network.filter"},
		{"subnets without a network", "subnets: [{filter: {name: a}}]", ""},
		{"Nova refuses a slash in a tag", "tags: [a/b]", "spec.tags[0]"},
		{"ranges that may reach it", "apiServerLoadBalancer: {allowedCIDRs: [10.0.0.0/8]}", ""},
		{"a single address is no range", "apiServerLoadBalancer: {allowedCIDRs: [10.0.0.1]}", "give an address range"},
		{"zones", "controlPlaneAvailabilityZones: [a, b]\ncontrolPlaneOmitAvailabilityZone: true", ""},
	} {
		c.checkOlder(t, "OpenStackCluster", clusterSpec)
		c.spec = "template:\n  spec:\n" + indent(clusterSpec+c.spec, 4)
		c.want = inTemplate(c.want)
		c.checkOlder(t, "OpenStackClusterTemplate", "")
	}
}

func TestCreateOlderMachine(t *testing.T) {
	for _, c := range []creation{
		{"the smallest machine", "", ""},
		{"a flavor by its ID", "flavorID: '1'", ""},
		{"the newer way to name a flavor", "flavor: {id: '1'}", "spec.flavor"},
		{"a flavor without a name", "flavor: ''", "spec.flavor"},
		{"port security by the older name", "ports: [{disablePortSecurity: true}]", ""},
		{"port security by the newer name, as some have it", "ports: [{enablePortSecurity: false}]", ""},
		{"by both", "ports: [{enablePortSecurity: false, disablePortSecurity: true}]", "remove one of them"},
		{"groups without port security", "ports: [{disablePortSecurity: true, securityGroups: [{filter: {name: a}}]}]", "remove securityGroups, or disablePortSecurity: true"},
		{"groups with it", "ports: [{disablePortSecurity: false, securityGroups: [{filter: {name: a}}]}]", ""},
		{"two ports of one name would be one", "ports: [{nameSuffix: a}, {nameSuffix: a}]", "give each port another nameSuffix"},
		{"a port's network", "ports: [{network: {filter: {name: a}}, fixedIPs: [{subnet: {filter: {name: b}}}]}]", ""},
		{"a root volume", "rootVolume: {sizeGiB: 10, type: fast, availabilityZone: {from: Machine}}", ""},
		{"a volume of no size", "rootVolume: {sizeGiB: 0}", "spec.rootVolume.sizeGiB"},
		{"a server group", "serverGroup: {filter: {name: a}}", ""},
		{"metadata without a value", "serverMetadata: [{key: a, value: ''}]", ""},
		{"an image that is none", "image: {}", "name the image either by id or by filter"},
		{"an unknown field", "instanceType: a", "unknown field"},
	} {
		c.checkOlder(t, "OpenStackMachine", olderMachineSpec)
		c.spec = "template:\n  spec:\n" + indent(olderMachineSpec+c.spec, 4)
		c.want = inTemplate(c.want)
		c.checkOlder(t, "OpenStackMachineTemplate", "")
	}
	creation{"no flavor at all", "image: {filter: {name: node}}", "give flavor or flavorID"}.checkOlder(t, "OpenStackMachine", "")
}

// TestUpdateOlder: the policies judge an older object as the newer one that it means.
func TestUpdateOlder(t *testing.T) {
	const withLB = "apiServerLoadBalancer: {provider: amphora}"
	for i, u := range []update{
		{"a load balancer stays what it is", withLB, "", "spec: {apiServerLoadBalancer: {provider: ovn}}", "managedLoadBalancer.provider cannot be changed"},
		{"who may reach it can change", withLB, "", "spec: {apiServerLoadBalancer: {allowedCIDRs: [10.0.0.0/8]}}", ""},
		{"the floating IP stays", "", "", "spec: {disableAPIServerFloatingIP: true}", "enableFloatingIP cannot be changed"},
		{"no switch off was meant", "", "", "spec: {disableAPIServerFloatingIP: false}", ""},
		{"tags stay", "tags: [a]", "", "spec: {tags: [b]}", "spec.tags cannot be changed"},
		{"rules can change", "managedSecurityGroups: {}", "", "spec: {managedSecurityGroups: {allNodesSecurityGroupRules: [{name: a, direction: ingress}]}}", ""},
		{"the controller sets the endpoint", "controlPlaneEndpoint: {host: '', port: 0}", "", "spec: {controlPlaneEndpoint: {host: a, port: 6443}}", ""},
		{"and nobody changes it", "controlPlaneEndpoint: {host: a, port: 6443}", "", "spec: {controlPlaneEndpoint: {host: b}}", "can be set once"},
	} {
		u.checkOlder(t, "OpenStackCluster", fmt.Sprintf("older-cluster-%d", i), clusterSpec)
	}
	for i, u := range []update{
		{"another size is another machine", "", "", "spec: {flavor: big}", "spec.flavor cannot be changed later"},
		{"address pairs can change", "ports: [{disablePortSecurity: false}]", "", "spec: {ports: [{disablePortSecurity: false, allowedAddressPairs: [{ipAddress: 10.0.0.1}]}]}", ""},
		{"port security cannot", "ports: [{}]", "", "spec: {ports: [{disablePortSecurity: true}]}", "cannot be changed later"},
		{"the same by another name is no change", "ports: [{disablePortSecurity: true}]", "", "spec: {ports: [{enablePortSecurity: false}]}", ""},
	} {
		u.checkOlder(t, "OpenStackMachine", fmt.Sprintf("older-machine-%d", i), olderMachineSpec)
	}
}

func (u update) checkOlder(t *testing.T, kind, name, smallest string) {
	t.Run(u.why, func(t *testing.T) {
		object := inOlder(newObject(kind, name, smallest+u.before))
		create(t, object)
		wantRefusal(t, user.Patch(t.Context(), object, merge(t, u.change), client.DryRunAll), u.want)
	})
}

// TestOlderReaderSeesTheObject is about all that the controller and other users write
// in v1beta2: who reads v1beta1 sees it, and writes it back unharmed.
func TestOlderReaderSeesTheObject(t *testing.T) {
	object := inOlder(newObject("OpenStackCluster", "reader", clusterSpec+"managedSubnets: [{cidr: 10.6.0.0/24}]\ndisablePortSecurity: true"))
	create(t, object)
	newer := newObject("OpenStackCluster", "reader", "{}")
	patch := func(status bool, change string) {
		t.Helper()
		var err error
		if status {
			err = user.Status().Patch(t.Context(), newer, merge(t, change))
		} else {
			err = user.Patch(t.Context(), newer, merge(t, change))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	patch(false, "spec: {identityRef: {name: rotated}, controlPlaneEndpoint: {host: a, port: 6443}}")
	patch(true, "status: {initialization: {provisioned: true}, conditions: [{type: Ready, status: 'True', reason: Available, message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}")
	before := older(t, object)
	for _, want := range []struct {
		value any
		path  []string
	}{
		{"rotated", []string{"spec", "identityRef", "name"}},
		{"a", []string{"spec", "controlPlaneEndpoint", "host"}},
		{true, []string{"spec", "disablePortSecurity"}},
		{true, []string{"status", "ready"}},
	} {
		if got, _, _ := unstructured.NestedFieldNoCopy(before.Object, want.path...); got != want.value {
			t.Errorf("%v is %v, want %v", want.path, got, want.value)
		}
	}

	spec := newer.Object["spec"]
	if err := user.Update(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if err := user.Get(t.Context(), client.ObjectKeyFromObject(newer), newer); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spec, newer.Object["spec"]); diff != "" {
		t.Errorf("reading and writing in v1beta1 changed it (-before +after):\n%s", diff)
	}
}

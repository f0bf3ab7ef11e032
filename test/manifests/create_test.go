package manifests

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const uuid = "6a2c0b66-8a3f-4fbb-9d3c-6b7e0e3a3b1e"

// creation is an object that the API server accepts, or refuses with a text.
type creation struct {
	why  string
	spec string // added to the smallest spec
	want string // what the refusal says; empty: accepted
}

func (c creation) check(t *testing.T, kind, smallest string) {
	t.Run(c.why, func(t *testing.T) {
		object := newObject(kind, "new", smallest+c.spec)
		wantRefusal(t, user.Create(t.Context(), object.DeepCopy(), client.DryRunAll), c.want)
		if c.want == "" {
			wantSameInOlder(t, object)
		}
	})
}

func TestCreateCluster(t *testing.T) {
	for _, c := range []creation{
		{"the smallest cluster", "", ""},
		{"the usual one", "managedSubnets: [{cidr: 10.6.0.0/24, dnsNameservers: [10.0.0.53]}]\nmanagedSecurityGroups: {}\napiServer: {managedLoadBalancer: {}}", ""},
		{"an unknown field is not silently ignored", "bastion: {enabled: true}", `unknown field "spec.bastion"`},
		{"credentials that are lent", "identityRef: {type: ClusterIdentity, name: a, cloudName: b}", ""},
		{"credentials are in two kinds only", "identityRef: {type: ConfigMap, name: a, cloudName: b}", `supported values: "Secret", "ClusterIdentity"`},
		{"a field that we do not act on", "disableExternalNetwork: true", "unknown field"},

		{"an id alone names a network", "network: {id: " + uuid + "}", ""},
		{"a filter alone names a network", "network: {filter: {name: a}}", ""},
		{"both could contradict each other", "network: {id: " + uuid + ", filter: {name: a}}", "give one of the two"},
		{"neither names anything", "network: {}", "give one of the two"},
		{"an empty filter matches everything", "network: {filter: {}}", "spec.network.filter"},
		{"Neutron's IDs are UUIDs", "network: {id: mine}", "uuid"},
		{"a comma separates tags in Neutron's filters", "network: {filter: {tags: ['a,b']}}", "spec.network.filter.tags[0]"},
		{"routers too", "router: {}", "name the router either by id or by filter"},
		{"subnets too", "subnets: [{}]", "name the subnet either by id or by filter"},
		{"external networks too", "externalNetwork: {}", "give one of the two"},
		{"a range that is none", "subnets: [{filter: {cidr: 10.6.0.0/33}}]", "give an address range"},
		{"IP has two versions", "subnets: [{filter: {ipVersion: 5}}]", "Unsupported value"},

		{"a managed subnet needs a range", "managedSubnets: [{}]", "spec.managedSubnets[0].cidr"},
		{"IPv6 is not made yet", "managedSubnets: [{cidr: 'fd00::/64'}]", "give an IPv4 address range"},
		{"bits after the prefix are a typing error", "managedSubnets: [{cidr: 10.6.0.1/24}]", "no bits set after the prefix"},
		{"one managed subnet", "managedSubnets: [{cidr: 10.6.0.0/24}, {cidr: 10.7.0.0/24}]", "at most 1 item"},
		{"a DNS server by name", "managedSubnets: [{cidr: 10.6.0.0/24, dnsNameservers: [dns.example]}]", "the IP address of a DNS server"},
		{"a pool's ends are addresses", "managedSubnets: [{cidr: 10.6.0.0/24, allocationPools: [{start: a, end: 10.6.0.9}]}]", "give the first IP address"},
		{"an empty managedNetwork says nothing", "managedSubnets: [{cidr: 10.6.0.0/24}]\nmanagedNetwork: {}", "spec.managedNetwork"},
		{"a managed router without addresses says nothing", "managedRouter: {}", "externalIPs"},

		{"a floating IP without an outside", "enableExternalNetwork: false", "set apiServer.enableFloatingIP: false"},
		{"an isolated cluster", "enableExternalNetwork: false\napiServer: {enableFloatingIP: false}", ""},
		{"a floating IP that is switched off", "apiServer: {enableFloatingIP: false, floatingIP: 172.24.4.9}", "remove floatingIP"},
		{"an endpoint is an address", "apiServer: {fixedIP: api.example}", "give an IP address"},
		{"ports have 16 bits", "apiServer: {port: 65536}", "65535"},
		{"port 0 means the default", "apiServer: {port: 0}", ""},
		{"a single address is no range", "apiServer: {managedLoadBalancer: {allowedCIDRs: [10.0.0.1]}}", "give an address range"},
		{"a port twice", "apiServer: {managedLoadBalancer: {additionalPorts: [9345, 9345]}}", "Duplicate value"},
		{"Octavia's limit", "apiServer: {managedLoadBalancer: {monitor: {maxRetriesDown: 11}}}", "maxRetriesDown"},

		{"Nova refuses a slash in a tag", "tags: [a/b]", "spec.tags[0]"},
		{"a tag twice", "tags: [a, a]", "Duplicate value"},
		{"zones are unique", "controlPlaneAvailabilityZones: [a, a]", "Duplicate value"},
		{"an endpoint without a port", "controlPlaneEndpoint: {host: a, port: 0}", "controlPlaneEndpoint.port"},
	} {
		c.check(t, "OpenStackCluster", clusterSpec)
	}
}

func TestCreateClusterNeedsCredentials(t *testing.T) {
	for _, c := range []creation{
		{"no identity", "tags: [a]", "spec.identityRef"},
		{"no entry of clouds.yaml", "identityRef: {name: a}", "spec.identityRef.cloudName"},
		{"no Secret", "identityRef: {cloudName: a}", "spec.identityRef.name"},
	} {
		c.check(t, "OpenStackCluster", "")
	}
}

func TestCreateSecurityGroupRule(t *testing.T) {
	for _, c := range []creation{
		{"from everybody", "protocol: tcp, portRangeMin: 22, portRangeMax: 22", ""},
		{"from our own groups", "remoteManagedGroups: [controlplane, worker]", ""},
		{"two remotes", "remoteManagedGroups: [worker], remoteIPPrefix: 10.0.0.0/8", "give only one of"},
		{"two other remotes", "remoteGroupID: a, remoteIPPrefix: 10.0.0.0/8", "give only one of"},
		{"no bastion yet", "remoteManagedGroups: [bastion]", "Unsupported value"},
		{"ports the wrong way round", "protocol: tcp, portRangeMin: 23, portRangeMax: 22", "swap them"},
		{"ICMP type 8, code 0", "protocol: icmp, portRangeMin: 8, portRangeMax: 0", ""},
		{"an unknown version", "etherType: ipv4", "Unsupported value"},
		{"a remote that is no range", "remoteIPPrefix: 10.0.0.1", "give an address range"},
		{"a rule twice", "protocol: tcp}, {name: a, direction: egress", "Duplicate value"},
	} {
		c.spec = "managedSecurityGroups: {workerNodesSecurityGroupRules: [{name: a, direction: ingress, " + c.spec + "}]}"
		c.check(t, "OpenStackCluster", clusterSpec)
	}
}

func TestCreateMachine(t *testing.T) {
	many := strings.Repeat("{}, ", 17)
	for _, c := range []creation{
		{"the smallest machine", "", ""},
		{"the usual port", "ports: [{}]", ""},
		{"an ID of a flavor is any text", "flavor: {id: '1'}", ""},
		{"with both the ID counts, as in v1beta1", "flavor: {id: '1', filter: {name: small}}", ""},
		{"a flavor that is none", "flavor: {}", "name the flavor: give id or filter"},
		{"metadata without a value", "serverMetadata: [{key: a, value: ''}]", ""},
		{"a flavor without a name", "flavor: {filter: {name: ''}}", "spec.flavor.filter.name"},
		{"an image twice", "image: {id: " + uuid + ", filter: {name: a}}", "name the image either by id or by filter"},
		{"images of another operator", "image: {imageRef: {name: a}}", "unknown field"},
		{"a server group twice", "serverGroup: {id: " + uuid + ", filter: {name: a}}", "name the server group either by id or by filter"},
		{"a security group that is none", "securityGroups: [{}]", "name the security group either by id or by filter"},
		{"trunks are not made yet", "trunk: true", "unknown field"},
		{"groups without port security", "ports: [{enablePortSecurity: false, securityGroups: [{filter: {name: a}}]}]", "security groups need port security"},
		{"an address of nothing", "ports: [{fixedIPs: [{}]}]", "give a subnet, an ipAddress, or both"},
		{"an address pair is a range or an address", "ports: [{allowedAddressPairs: [{ipAddress: 10.0.0.0/8}, {ipAddress: 10.0.0.1}]}]", ""},
		{"an address pair by name", "ports: [{allowedAddressPairs: [{ipAddress: vip}]}]", "give an IP address or a range"},
		{"more ports than a server takes", "ports: [" + many + "]", "at most 16 items"},
		{"two ports of one name would be one", "ports: [{nameSuffix: a}, {}, {nameSuffix: a}]", "give each port another nameSuffix"},
		{"ports with and without names", "ports: [{nameSuffix: a}, {}, {nameSuffix: b}, {}]", ""},
		{"a volume of no size", "rootVolume: {sizeGiB: 0}", "spec.rootVolume.sizeGiB"},
		{"a volume in a named zone", "rootVolume: {sizeGiB: 10, availabilityZone: {name: a}}", ""},
		{"a volume in the machine's zone", "rootVolume: {sizeGiB: 10, availabilityZone: {from: Machine}}", ""},
		{"a volume in two zones", "rootVolume: {sizeGiB: 10, availabilityZone: {from: Machine, name: a}}", "none with from: Machine"},
		{"a volume in no zone", "rootVolume: {sizeGiB: 10, availabilityZone: {}}", "give a name with from: Name"},
		{"metadata twice", "serverMetadata: [{key: a, value: b}, {key: a, value: c}]", "Duplicate value"},
	} {
		c.check(t, "OpenStackMachine", machineSpec)
	}
}

func TestCreateMachineNeedsFlavorAndImage(t *testing.T) {
	for _, c := range []creation{
		{"no flavor", "image: {filter: {name: node}}", "spec.flavor"},
		{"no image", "flavor: {filter: {name: small}}", "spec.image"},
	} {
		c.check(t, "OpenStackMachine", "")
	}
}

func TestCreateMachineTemplate(t *testing.T) {
	for _, c := range []creation{
		{"a template", "", ""},
		{"a provider ID is of one machine", "    providerID: openstack:///" + uuid, "remove it"},
	} {
		c.check(t, "OpenStackMachineTemplate", fmt.Sprintf("template:\n  metadata: {labels: {a: b}}\n  spec:\n%s", indent(machineSpec, 4)))
	}
}

// TestDefaults names every default that the schema fills in. Each one shows in
// what the user reads back and must not change, or topologies roll out anew.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		kind, spec string
		path       []string
		want       any
	}{
		{"OpenStackCluster", clusterSpec, []string{"spec", "identityRef", "type"}, "Secret"},
		{"OpenStackCluster", clusterSpec + "apiServer: {managedLoadBalancer: {}}", []string{"spec", "apiServer", "managedLoadBalancer", "enabled"}, true},
		{"OpenStackMachine", machineSpec + "rootVolume: {sizeGiB: 1, availabilityZone: {name: a}}", []string{"spec", "rootVolume", "availabilityZone", "from"}, "Name"},
	} {
		object := newObject(c.kind, "new", c.spec)
		if err := user.Create(t.Context(), object, client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		got, _, _ := unstructured.NestedFieldNoCopy(object.Object, c.path...)
		if got != c.want {
			t.Errorf("%s of %s is %v, want %v", strings.Join(c.path, "."), c.kind, got, c.want)
		}
	}
}

//go:build e2e

package e2e

import (
	"context"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// mistake is an error in what a user applies or in what the cloud has.
type mistake struct {
	before    string   // shell: makes what the mistake needs in OpenStack
	set       string   // shell: variables of the template
	network   string   // in the manifest, instead of a network of its own
	object    string   // that tells of it
	reason    string   // of its condition Ready
	says      []string // its message
	heal      string   // shell: ends the cause
	afterward string   // shell: takes back what before and heal made
}

const asAdmin = "openstack --os-cloud capok-admin "

// The machines are in the zone of Nova's fake driver: none has to boot.
var _ = DescribeTable("a mistake is told, with the way out, and heals", func(ctx context.Context, name string, m mistake) {
	if must(ctx, `echo "$OS_CLOUD"`) != "capok" {
		Skip("it changes quotas and hosts: only on the OpenStack of `make up`")
	}
	c := newCluster("e2e-"+name, "")
	DeferCleanup(func(ctx context.Context) {
		c.cleanUp(ctx)
		_, _ = shell(ctx, m.afterward)
	})
	must(ctx, m.before)
	c.apply(ctx, must(ctx, "OPENSTACK_CONTROL_PLANE_AVAILABILITY_ZONES=[fake] "+m.set+" clusterctl generate cluster "+c.name+
		" --kubernetes-version v1.37.2 --control-plane-machine-count 1 --worker-machine-count 0"), m.network)
	told := func() (string, error) { return c.readyOf(ctx, m.object) }
	Eventually(told, scaleTimeout, look).Should(HavePrefix(m.reason+": "), "Ready of the "+m.object)
	for _, part := range m.says {
		Expect(told()).To(ContainSubstring(part))
	}
	Expect(must(ctx, "clusterctl describe cluster "+c.name+" --show-conditions all")).To(ContainSubstring(m.reason))
	must(ctx, m.heal)
	Eventually(told, scaleTimeout, look).ShouldNot(HavePrefix(m.reason+": "), "it heals")
	c.delete(ctx)
	c.wantNothingLeft(ctx)
},
	Entry("wrong password", "password", mistake{
		set:    `OPENSTACK_CLOUD_YAML_B64=$(echo "$OPENSTACK_CLOUD_YAML_B64" | base64 -d | sed 's/password:.*/password: wrong/' | base64 -w0)`,
		object: "openstackcluster", reason: "CredentialsRejected", says: []string{"401"},
		heal: `kubectl patch secret e2e-password-cloud-config -p "{\"data\":{\"clouds.yaml\":\"$OPENSTACK_CLOUD_YAML_B64\"}}"`,
	}),
	Entry("an endpoint where nobody listens", "unreachable", mistake{
		set:    `OPENSTACK_CLOUD_YAML_B64=$(echo "$OPENSTACK_CLOUD_YAML_B64" | base64 -d | sed 's/:5000/:5009/' | base64 -w0)`,
		object: "openstackcluster", reason: "OpenStackUnavailable", says: []string{":5009", "cannot be reached"},
		heal: `kubectl patch secret e2e-unreachable-cloud-config -p "{\"data\":{\"clouds.yaml\":\"$OPENSTACK_CLOUD_YAML_B64\"}}"`,
	}),
	Entry("a network name that fits two", "ambiguous", mistake{
		before:  "for n in 1 2; do openstack network create e2e-twin; done",
		network: "  network: {filter: {name: e2e-twin}}\n",
		object:  "openstackcluster", reason: "Ambiguous", says: []string{"spec.network: 2 fit", "give the id"},
		heal:      "openstack network delete $(openstack network list --name e2e-twin -f value -c ID | head -1)",
		afterward: "openstack network delete $(openstack network list --name e2e-twin -f value -c ID)",
	}),
	Entry("a subnet outside its network", "outside", mistake{
		before:  `for n in a b; do openstack network create e2e-$n; openstack subnet create --network e2e-$n --subnet-range 10.77.0.0/24 e2e-$n; done`,
		network: "  network: {filter: {name: e2e-a}}\n  subnets: [{filter: {name: e2e-b}}]\n",
		object:  "openstackcluster", reason: "InvalidSpec", says: []string{"spec.subnets[0]: subnet", "not in network"},
		heal:      "openstack subnet create --network e2e-a --subnet-range 10.78.0.0/24 e2e-b",
		afterward: "openstack network delete e2e-a e2e-b",
	}),
	Entry("an unknown flavor", "flavor", mistake{
		set:    "OPENSTACK_CONTROL_PLANE_MACHINE_FLAVOR=e2e-gpu",
		object: "openstackmachine", reason: "NotFound", says: []string{`spec.flavor: there is no flavor named "e2e-gpu"`},
		heal:      asAdmin + "flavor create --ram 512 --disk 8 e2e-gpu",
		afterward: asAdmin + "flavor delete e2e-gpu",
	}),
	Entry("an unknown image", "image", mistake{
		set:    "OPENSTACK_IMAGE_NAME=e2e-image",
		object: "openstackmachine", reason: "NotFound", says: []string{`spec.image: there is no image named "e2e-image"`},
		heal:      "echo x | openstack image create --disk-format raw --container-format bare e2e-image",
		afterward: "openstack image delete e2e-image",
	}),
	Entry("a quota that is used up", "quota", mistake{
		before: asAdmin + "quota set --force --instances 0 kaas",
		object: "openstackmachine", reason: "QuotaExceeded", says: []string{"Quota exceeded for instances"},
		heal:      asAdmin + "quota set --instances -1 kaas",
		afterward: asAdmin + "quota set --instances -1 kaas",
	}),
	Entry("a zone without a host", "host", mistake{
		before: asAdmin + "compute service set --disable fake nova-compute",
		object: "openstackmachine", reason: "NoCapacity", says: []string{"availability zone is not available"},
		heal:      asAdmin + "compute service set --enable fake nova-compute",
		afterward: asAdmin + "compute service set --enable fake nova-compute",
	}),
)

// managedSubnets is what the template has for a network of its own.
var managedSubnets = regexp.MustCompile(`(?m)^  managedSubnets:\n(?:  [- ] .*\n)+`)

// apply applies a manifest, with another network if that is not empty.
func (c *testCluster) apply(ctx context.Context, manifest, network string) {
	GinkgoHelper()
	if network != "" {
		Expect(manifest).To(MatchRegexp(managedSubnets.String()))
		manifest = managedSubnets.ReplaceAllString(manifest, network)
	}
	_, err := shellWith(ctx, manifest, "kubectl apply -f -")
	Expect(err).NotTo(HaveOccurred())
}

// readyOf is reason and message of Ready of the cluster's objects of a kind.
func (c *testCluster) readyOf(ctx context.Context, kind string) (string, error) {
	return shell(ctx, "kubectl get "+kind+" -l cluster.x-k8s.io/cluster-name="+c.name+
		` -o jsonpath='{range .items[*].status.conditions[?(@.type=="Ready")]}{.reason}: {.message}{end}'`)
}

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/clock"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/test/node"
)

// testCluster is one cluster of this suite.
type testCluster struct {
	name, flavor string
	kubeconfig   string
	mark         string // of its OpenStack resources
}

func newCluster(name, flavor string) *testCluster {
	return &testCluster{name: name, flavor: flavor, kubeconfig: filepath.Join(GinkgoT().TempDir(), "kubeconfig")}
}

// create does what the book says: generate, apply, add a pod network.
func (c *testCluster) create(ctx context.Context, workers int) {
	GinkgoHelper()
	flavor := ""
	if c.flavor != "" {
		flavor = "--flavor " + c.flavor
	}
	must(ctx, fmt.Sprintf("clusterctl generate cluster %s %s --infrastructure openstack --kubernetes-version v1.37.2 --control-plane-machine-count 1 --worker-machine-count %d | kubectl apply -f -",
		c.name, flavor, workers))
	Eventually(func() error {
		out, err := shell(ctx, "clusterctl get kubeconfig "+c.name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.kubeconfig, []byte(out), 0o600); err != nil {
			return err
		}
		_, err = shellWith(ctx, node.PodNetwork(node.DefaultPods), c.kubectl("apply -f -"))
		return err
	}, clusterTimeout, look).Should(Succeed(), "the API of the cluster")
	c.findMark(ctx)
}

// findMark reads what the cluster's resources in OpenStack are known by.
func (c *testCluster) findMark(ctx context.Context) {
	GinkgoHelper()
	c.mark = must(ctx, "kubectl get openstackcluster "+c.name+` -o jsonpath='{.metadata.annotations.infrastructure\.cluster\.x-k8s\.io/mark}'`)
	Expect(c.mark).NotTo(BeEmpty())
}

func (c *testCluster) kubectl(args string) string {
	return "kubectl --request-timeout 10s --kubeconfig " + c.kubeconfig + " " + args
}

func (c *testCluster) scale(ctx context.Context, workers int) {
	GinkgoHelper()
	must(ctx, fmt.Sprintf("kubectl scale machinedeployment %s-md-0 --replicas %d", c.name, workers))
}

// wantNodes waits until exactly so many nodes are there, all Ready, each with
// a server of its own.
func (c *testCluster) wantNodes(ctx context.Context, want int) {
	GinkgoHelper()
	Eventually(func() (string, error) {
		return shell(ctx, c.kubectl(`get nodes -o jsonpath='{range .items[*]}{.status.conditions[?(@.type=="Ready")].status} {end}'`))
	}, scaleTimeout, look).Should(Equal(strings.TrimSpace(strings.Repeat("True ", want))), "the nodes of "+c.name)
	Eventually(func() (int, error) {
		seen, err := c.inOpenStack(ctx)
		return len(seen.Servers), err
	}, scaleTimeout, look).Should(Equal(want), "the servers of "+c.name)
}

// delete removes the cluster and waits until its objects are gone.
func (c *testCluster) delete(ctx context.Context) {
	GinkgoHelper()
	c.findMark(ctx)
	must(ctx, "kubectl delete cluster "+c.name+" --wait=false")
	Eventually(func() (string, error) {
		return shell(ctx, "kubectl get cluster,openstackcluster "+c.name+" --ignore-not-found -o name")
	}, deleteTimeout, look).Should(BeEmpty(), "the objects of "+c.name)
	must(ctx, "kubectl delete secret "+c.name+"-cloud-config --ignore-not-found")
}

// wantNothingLeft looks for everything that carries the cluster's mark.
func (c *testCluster) wantNothingLeft(ctx context.Context) {
	GinkgoHelper()
	seen, err := c.inOpenStack(ctx)
	Expect(err).NotTo(HaveOccurred())
	Expect(seen).To(Equal(&snapshot.Snapshot{
		Servers: []cloud.Server{}, Ports: []cloud.Port{}, Volumes: []cloud.Volume{}, Networks: []cloud.Network{},
		Subnets: []cloud.Subnet{}, Routers: []cloud.Router{}, SecurityGroups: []cloud.SecurityGroup{},
		FloatingIPs: []cloud.FloatingIP{}, Balancers: []cloud.Balancer{},
	}), "what is left of "+c.name+" in OpenStack")
}

// well tells what is wrong with the cluster, as Cluster API sees it.
func (c *testCluster) well(ctx context.Context) error {
	_, err := shell(ctx, "kubectl wait --for condition=Available --timeout 1s cluster "+c.name)
	return err
}

// cleanUp tells what a person would look at first if the test failed, and
// deletes the cluster in any case.
func (c *testCluster) cleanUp(ctx context.Context) {
	if CurrentSpecReport().Failed() {
		out, _ := shell(ctx, "clusterctl describe cluster "+c.name+" --show-conditions all; kubectl get openstackclusters,openstackmachines -o wide; kubectl -n capok-system logs deploy/capok-controller-manager --tail 60")
		AddReportEntry("describe", out)
	}
	_, _ = shell(ctx, "kubectl delete cluster "+c.name+" --ignore-not-found --wait=false")
}

// inOpenStack is what carries the cluster's mark.
func (c *testCluster) inOpenStack(ctx context.Context) (*snapshot.Snapshot, error) {
	file, err := shell(ctx, `cat "$OS_CLIENT_CONFIG_FILE"`)
	if err != nil {
		return nil, err
	}
	name, err := shell(ctx, `echo "$OS_CLOUD"`)
	if err != nil {
		return nil, err
	}
	session, err := cloud.Open(ctx, cloud.Credentials{CloudsYAML: []byte(file), Cloud: name})
	if err != nil {
		return nil, err
	}
	return snapshot.NewObserver(session, clock.RealClock{}).See(ctx, snapshot.Query{Mark: c.mark, Kinds: []snapshot.Kind{
		snapshot.Servers, snapshot.Ports, snapshot.Volumes, snapshot.Networks, snapshot.Subnets,
		snapshot.Routers, snapshot.SecurityGroups, snapshot.FloatingIPs, snapshot.Balancers,
	}})
}

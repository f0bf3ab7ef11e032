package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/capok/capok/test/openstacksim"
)

// externalCIDR is for tests of networks (RFC 2544), and large enough for a router
// and a floating IP of each of many clusters.
const (
	externalCIDR  = "198.18.0.0/16"
	firstExternal = "198.18.0.1" // the gateway of it: no floating IP
)

// cloud is the simulated OpenStack.
type cloud struct {
	*openstacksim.Cloud
	external   string // ID of the external network
	perProject int
	stop       func()
}

// startCloud serves a cloud with projects for so many clusters.
func startCloud(ctx context.Context, clusters, perProject int) (*cloud, error) {
	c := &cloud{perProject: perProject, Cloud: openstacksim.New(
		openstacksim.WithClock(openstacksim.NewRunningClock()),
		openstacksim.WithPageSize(1000),
		openstacksim.WithDelays(openstacksim.Delays{
			ServerBuild: 8 * time.Second, ServerSpread: 8 * time.Second, ServerDelete: 3 * time.Second,
			LoadBalancer: 4 * time.Second, LoadBalancerDelete: 4 * time.Second,
		}),
	)}
	c.external = c.AddExternalNetwork("wide", externalCIDR, openstacksim.AllocationPool{Start: "198.18.0.2", End: "198.18.255.254"})
	for i := 0; i < clusters; i += perProject {
		c.AddProject(c.project(i), c.project(i), openstacksim.Password)
	}
	var err error
	_, c.stop, err = c.Serve(ctx, "127.0.0.1:0")
	return c, err
}

// project is the project, and its user, of a cluster.
func (c *cloud) project(cluster int) string { return fmt.Sprintf("p%d", cluster/c.perProject) }

// credentials are a cluster's clouds.yaml, as its Secret holds it.
func (c *cloud) credentials(cluster int) string {
	project := c.project(cluster)
	return base64.StdEncoding.EncodeToString(c.CloudsYAMLFor("openstack", project, project, openstacksim.Password))
}

// requests counts what was asked of the cloud, by service.
func (c *cloud) requests() map[string]int {
	count := map[string]int{}
	for _, call := range c.Calls() {
		count[call.Service]++
	}
	return count
}

// list writes down which requests were made, and how often, most first.
func (c *cloud) list(path string) error {
	count := map[string]int{}
	for _, call := range c.Calls() {
		count[call.String()]++
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return count[b] - count[a] })
	var out strings.Builder
	for _, name := range names {
		fmt.Fprintf(&out, "%7d %s\n", count[name], name)
	}
	return os.WriteFile(path, []byte(out.String()), 0o644)
}

package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// flavors has what the tests need; IDs are the names.
var flavors = []object{
	{"name": "m1.node", "id": "m1.node", "vcpus": 2, "ram": 3072, "disk": 8},
	{"name": "m1.fake", "id": "m1.fake", "vcpus": 2, "ram": 4096, "disk": 20},
	{"name": "m1.fake.large", "id": "m1.fake.large", "vcpus": 8, "ram": 32768, "disk": 80},
}

// seedResources makes what users of the cloud find in it: flavors, the network
// "public", and the availability zones of the two computes.
func (c *cloud) seedResources(ctx context.Context) error {
	admin, err := c.admin(ctx)
	if err != nil {
		return err
	}
	if err := c.seedFlavors(ctx, admin); err != nil {
		return err
	}
	if err := c.wait(ctx, "Neutron's agents", func(ctx context.Context) error { return c.agentsAlive(ctx, admin) }); err != nil {
		return err
	}
	if err := c.seedNetwork(ctx, admin); err != nil {
		return err
	}
	return c.seedZones(ctx, admin)
}

func (c *cloud) seedFlavors(ctx context.Context, admin *client) error {
	k := kind{c.URL(8774) + "/v2.1/flavors", "flavors", "flavor"}
	for _, f := range flavors {
		if _, err := admin.ensure(ctx, k, nil, f); err != nil {
			return err
		}
	}
	return nil
}

func (c *cloud) agentsAlive(ctx context.Context, admin *client) error {
	agents, err := admin.list(ctx, kind{url: c.URL(9696) + "/v2.0/agents", plural: "agents"}, nil)
	if err != nil {
		return err
	}
	alive := 0
	for _, a := range agents {
		if a["alive"] == true {
			alive++
		}
	}
	if want := len(c.neutronAgents()); alive < want {
		return fmt.Errorf("%d of %d are alive", alive, want)
	}
	return nil
}

// seedNetwork makes the external network: the bridge's range.
func (c *cloud) seedNetwork(ctx context.Context, admin *client) error {
	v2 := c.URL(9696) + "/v2.0"
	network, err := admin.ensure(ctx, kind{v2 + "/networks", "networks", "network"}, named("public"), object{
		"name": "public", "router:external": true, "shared": false,
		"provider:network_type": "flat", "provider:physical_network": "public"})
	if err != nil {
		return err
	}
	first, last := c.Pool()
	_, err = admin.ensure(ctx, kind{v2 + "/subnets", "subnets", "subnet"}, url.Values{"network_id": {network.id()}}, object{
		"name": "public", "network_id": network.id(), "ip_version": 4, "cidr": c.Network.String(),
		"gateway_ip": c.Host().String(), "enable_dhcp": false,
		"allocation_pools": []object{{"start": first.String(), "end": last.String()}}})
	return err
}

// seedZones puts each compute into the zone of its name.
func (c *cloud) seedZones(ctx context.Context, admin *client) error {
	nova := c.URL(8774) + "/v2.1"
	hosts := []string{nodeHost, fakeHost}
	if err := c.computesKnown(ctx, admin, hosts); err != nil {
		return err
	}
	for _, host := range hosts {
		k := kind{nova + "/os-aggregates", "aggregates", "aggregate"}
		zone, err := admin.ensure(ctx, k, nil, object{"name": host, "availability_zone": host})
		if err != nil {
			return err
		}
		if members, _ := zone["hosts"].([]any); slices.Contains(members, any(host)) {
			continue
		}
		if err := admin.do(ctx, http.MethodPost, fmt.Sprintf("%s/%v/action", k.url, zone["id"]), object{"add_host": object{"host": host}}, nil); err != nil {
			return err
		}
	}
	return nil
}

// computesKnown waits until Placement knows the computes, and shows them to the
// scheduler. A compute whose service is "up" is not always recorded yet.
func (c *cloud) computesKnown(ctx context.Context, admin *client, hosts []string) error {
	providers := kind{url: c.URL(8778) + "/resource_providers", plural: "resource_providers"}
	if err := c.wait(ctx, "computes in Placement", func(ctx context.Context) error {
		have, err := admin.list(ctx, providers, nil)
		if err == nil && len(have) < len(hosts) {
			err = fmt.Errorf("%d of %d are there", len(have), len(hosts))
		}
		return err
	}); err != nil {
		return err
	}
	hypervisors, err := admin.list(ctx, kind{url: c.URL(8774) + "/v2.1/os-hypervisors", plural: "hypervisors"}, nil)
	if err == nil && len(hypervisors) < len(hosts) {
		err = c.discoverComputes(ctx)
	}
	return err
}

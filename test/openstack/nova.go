package openstack

import "context"

// The hosts of the two computes; their availability zones have the same names.
// Neutron's agents run under nodeHost too, so that ports of servers there are
// bound to the agent that plugs them.
const (
	nodeHost = "node"
	fakeHost = "fake"
)

// novaAPI serves the compute API, and metadata on port 8775.
func (c *cloud) novaAPI() server {
	return c.python("nova-api", "nova.cmd.api", 8774, "--config-file", c.novaConf())
}

// novaControl is what dies when it starts before its user is in Keystone.
func (c *cloud) novaControl() []server {
	return []server{
		c.python("nova-conductor", "nova.cmd.conductor", 0, "--config-file", c.novaConf()),
		c.python("nova-scheduler", "nova.cmd.scheduler", 0, "--config-file", c.novaConf()),
	}
}

func (c *cloud) novaComputes() []server {
	return []server{
		c.python("nova-compute-fake", "nova.cmd.compute", 0, "--config-file", c.novaConf(), "--config-file", c.conf("nova", "compute-fake.conf")),
		c.python("nova-compute-node", "capok.compute", 0, "--config-file", c.novaConf(), "--config-file", c.conf("nova", "compute-node.conf")),
	}
}

func (c *cloud) novaConf() string { return c.conf("nova", "nova.conf") }

func (c *cloud) novaSchema() [][]string {
	manage := func(args ...string) []string {
		return append([]string{"nova-manage", "--config-file", c.novaConf()}, args...)
	}
	return [][]string{
		manage("api_db", "sync"),
		manage("cell_v2", "map_cell0", "--database_connection", c.Database("nova_cell0")),
		manage("db", "sync"),
		manage("cell_v2", "create_cell", "--name", "cell1", "--transport-url", c.Broker(), "--database_connection", c.Database("nova")),
	}
}

// discoverComputes lets the scheduler see computes that are new. It takes
// seconds, so that it is only called when one is.
func (c *cloud) discoverComputes(ctx context.Context) error {
	_, err := c.tool(ctx, "nova-manage", "--config-file", c.novaConf(), "cell_v2", "discover_hosts")
	return err
}

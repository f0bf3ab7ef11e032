package openstack

// neutronQueues are those that Neutron's agents call.
var neutronQueues = []string{"q-plugin", "q-l3-plugin", "q-reports-plugin"}

func (c *cloud) neutronServer() server {
	return c.neutron("neutron-server", "neutron.cmd.eventlet.server", 9696)
}

// neutronAgents have to be started after neutron-server listens on its queues.
func (c *cloud) neutronAgents() []server {
	return []server{
		c.neutron("neutron-linuxbridge-agent", "neutron.cmd.eventlet.plugins.linuxbridge_neutron_agent", 0),
		c.neutron("neutron-dhcp-agent", "neutron.cmd.eventlet.agents.dhcp", 0),
		c.neutron("neutron-l3-agent", "neutron.cmd.eventlet.agents.l3", 0),
		c.neutron("neutron-metadata-agent", "neutron.cmd.eventlet.agents.metadata", 0),
	}
}

func (c *cloud) neutron(name, module string, port int) server {
	return c.python(name, module, port, "--config-file", c.conf("neutron", "neutron.conf"))
}

func (c *cloud) neutronSchema() [][]string {
	return [][]string{{"neutron-db-manage", "--config-file", c.conf("neutron", "neutron.conf"), "upgrade", "heads"}}
}

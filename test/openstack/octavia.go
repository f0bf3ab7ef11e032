package openstack

// octavia is the API alone. Its application reads no variable for the name of
// its configuration, but takes arguments.
func (c *cloud) octavia() server {
	return c.uwsgi("octavia-api", "/usr/bin/octavia-wsgi", 9876, nil,
		"--pyargv", "--config-file "+c.conf("octavia", "octavia.conf"))
}

// octaviaAgent makes load balancers real; it stands for Octavia's worker,
// health manager, housekeeping and driver agent. It asks Neutron at its start.
func (c *cloud) octaviaAgent() server {
	return c.python("octavia-agent", "capok.octavia_agent", 0, "--config-file", c.conf("octavia", "octavia.conf"))
}

func (c *cloud) octaviaSchema() [][]string {
	return [][]string{{"octavia-db-manage", "--config-file", c.conf("octavia", "octavia.conf"), "upgrade", "head"}}
}

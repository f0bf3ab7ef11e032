package openstack

// heat is API and engine in one process.
func (c *cloud) heat() server {
	return c.python("heat", "heat.cmd.all", 8004, "--config-file", c.conf("heat", "heat.conf"))
}

func (c *cloud) heatSchema() [][]string {
	return [][]string{{"heat-manage", "--config-file", c.conf("heat", "heat.conf"), "db_sync"}}
}

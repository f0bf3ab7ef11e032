package openstack

func (c *cloud) glance() server {
	return c.python("glance-api", "glance.cmd.api", 9292, "--config-file", c.conf("glance", "glance-api.conf"))
}

func (c *cloud) glanceSchema() [][]string {
	return [][]string{{"glance-manage", "--config-file", c.conf("glance", "glance-api.conf"), "db_sync"}}
}

package openstack

func (c *cloud) cinder() []server {
	conf := c.conf("cinder", "cinder.conf")
	return []server{
		c.python("cinder-api", "cinder.cmd.api", 8776, "--config-file", conf),
		c.python("cinder-scheduler", "cinder.cmd.scheduler", 0, "--config-file", conf),
		c.python("cinder-volume", "cinder.cmd.volume", 0, "--config-file", conf),
	}
}

func (c *cloud) cinderSchema() [][]string {
	return [][]string{{"cinder-manage", "--config-file", c.conf("cinder", "cinder.conf"), "db", "sync"}}
}

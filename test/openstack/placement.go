package openstack

func (c *cloud) placement() server {
	return c.uwsgi("placement", "/usr/bin/placement-api", 8778,
		[]string{"OS_PLACEMENT_CONFIG_DIR=" + c.Path("etc", "placement")})
}

func (c *cloud) placementSchema() [][]string {
	return [][]string{{"placement-manage", "--config-file", c.conf("placement", "placement.conf"), "db", "sync"}}
}

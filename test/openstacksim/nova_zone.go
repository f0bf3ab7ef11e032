package openstacksim

// listZones is nova/api/openstack/compute/availability_zone.py.
func (c *Cloud) listZones(*request) (any, error) {
	list := []any{}
	for _, name := range c.compute.zones {
		list = append(list, map[string]any{"zoneName": name, "zoneState": map[string]bool{"available": !c.compute.zoneDown[name]}, "hosts": nil})
	}
	return wrap("availabilityZoneInfo", list), nil
}

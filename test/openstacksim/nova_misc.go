package openstacksim

import (
	"net/http"
)

// listZones is nova/api/openstack/compute/availability_zone.py.
func (c *Cloud) listZones(*request) (any, error) {
	list := []any{}
	for _, name := range c.compute.zones {
		list = append(list, map[string]any{"zoneName": name, "zoneState": map[string]bool{"available": !c.compute.zoneDown[name]}, "hosts": nil})
	}
	return wrap("availabilityZoneInfo", list), nil
}

func (c *Cloud) listKeyPairs(*request) (any, error) {
	list := []any{}
	for _, k := range c.compute.keypairs.rows {
		list = append(list, wrap("keypair", *k))
	}
	return wrap("keypairs", list), nil
}

func (c *Cloud) showKeyPair(q *request) (any, error) {
	k, ok := c.compute.keypairs.get(q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Keypair %s not found for user %s", q.id("id"), q.token.user.id)
	}
	return wrap("keypair", *k), nil
}

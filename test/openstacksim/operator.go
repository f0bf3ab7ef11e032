package openstacksim

import (
	"cmp"
	"net/http"
)

// What operators and other users do to a cloud behind the back of the code
// under test: quotas, faults of hosts, things deleted by hand, more things in
// the seed. None of it is a call.

// SetQuota limits what a project may have: server_groups, server_group_members,
// metadata_items (Nova, too); subnetpool, trunk, network, subnet, port, router,
// floatingip, security_group, security_group_rule (Neutron); instances, cores,
// ram (Nova); volumes, gigabytes, snapshots (Cinder); loadbalancer, listener,
// pool, member, healthmonitor, l7policy, l7rule (Octavia). A negative limit is
// none, which is also the default.
func (c *Cloud) SetQuota(kind string, limit int) {
	c.locked(func() {
		quotas := c.network.quotas
		switch kind {
		case "instances", "cores", "ram", "server_groups", "server_group_members", "metadata_items":
			quotas = c.compute.quotas
		case "volumes", "gigabytes", "snapshots":
			quotas = c.volume.quotas
		}
		if limit < 0 {
			delete(quotas, kind)
			return
		}
		quotas[kind] = limit
	})
}

// AddOperator makes a user of the project admin, who may set quotas over the API.
func (c *Cloud) AddOperator(name, password string) {
	c.locked(func() { c.addUser(name, password, "admin") })
}

// NoValidHost makes the scheduler find no host for any new server while it is on.
func (c *Cloud) NoValidHost(on bool) { c.locked(func() { c.compute.noValidHost = on }) }

// SetHosts sets how many hosts each zone has, at first 3; servers stay where they are.
func (c *Cloud) SetHosts(perZone int) { c.locked(func() { c.compute.hosts = perZone }) }

// SetServerFault makes servers with the name end in ERROR with the message when
// their build ends; an empty message lets builds succeed again.
func (c *Cloud) SetServerFault(name, message string) {
	c.locked(func() {
		delete(c.compute.faults, name)
		if message != "" {
			c.compute.faults[name] = ServerFault{Code: http.StatusInternalServerError, Message: message}
		}
	})
}

// SetServerStatus puts a server into a status ("SHUTOFF", "ERROR", "UNKNOWN", ...).
// With ERROR, the message is its fault.
func (c *Cloud) SetServerStatus(id, status, message string) {
	c.locked(func() {
		s, ok := c.compute.servers.get(id)
		if !ok {
			return
		}
		if s.before != "" {
			s.before, s.TaskState = "", ""
		}
		s.Status, s.Fault, s.Updated = status, nil, c.at
		if message != "" {
			s.Fault = &ServerFault{Code: http.StatusInternalServerError, Created: c.stamp(), Message: message}
		}
	})
}

// SetConsole sets what a server has written to its console.
func (c *Cloud) SetConsole(id, text string) {
	c.locked(func() {
		if s, ok := c.compute.servers.get(id); ok {
			s.Console = text
		}
	})
}

// CellDown makes the cell of these servers unreachable until CellUp: lists leave
// them out, GET by ID knows little and says UNKNOWN
// (nova/api-guide/source/down_cells.rst).
func (c *Cloud) CellDown(serverIDs ...string) {
	c.locked(func() {
		for _, id := range serverIDs {
			c.compute.down[id] = true
		}
	})
}

// CellUp ends CellDown for all servers.
func (c *Cloud) CellUp() { c.locked(func() { clear(c.compute.down) }) }

// SetZones replaces the availability zones of Nova.
func (c *Cloud) SetZones(names ...string) { c.locked(func() { c.compute.zones = names }) }

// SetZoneDown sets whether all hosts of a zone of Nova are down: it is shown as not
// available and takes no new servers.
func (c *Cloud) SetZoneDown(name string, down bool) {
	c.locked(func() { c.compute.zoneDown[name] = down })
}

// AddFlavor adds a flavor to the seed and returns its ID.
func (c *Cloud) AddFlavor(f Flavor) string {
	return ask(c, func() string {
		if f.ID == "" {
			f.ID = c.newID("flavor")
		}
		if f.Extra == nil {
			f.Extra = map[string]string{}
		}
		c.compute.flavors.add(&f)
		c.seeded[f.ID] = true
		return f.ID
	})
}

// AddImage adds a public image to the seed and returns its ID.
func (c *Cloud) AddImage(i Image) string {
	return ask(c, func() string {
		i.ID, i.Owner, i.Created = c.newID("image"), c.identity.projects["admin"], c.stamp()
		i.Status, i.Visibility = cmp.Or(i.Status, "active"), cmp.Or(i.Visibility, "public")
		if i.Tags == nil {
			i.Tags = []string{}
		}
		i.fill()
		c.image.images.add(&i)
		c.seeded[i.ID] = true
		return i.ID
	})
}

// DeleteImage takes an image away, protected or not.
func (c *Cloud) DeleteImage(id string) { c.locked(func() { c.image.images.drop(id) }) }

// DeleteServer takes a server away at once, with what Nova deletes along.
func (c *Cloud) DeleteServer(id string) {
	c.locked(func() {
		if s, ok := c.compute.servers.get(id); ok {
			c.removeServer(s)
		}
	})
}

// DeleteServerGroup takes a server group away; its members stay.
func (c *Cloud) DeleteServerGroup(id string) { c.locked(func() { c.compute.groups.drop(id) }) }

// DeletePort takes a port away, whatever uses it.
func (c *Cloud) DeletePort(id string) { c.locked(func() { c.dropPort(id) }) }

// DeleteRule takes a rule of a security group away.
func (c *Cloud) DeleteRule(id string) { c.locked(func() { c.network.rules.drop(id) }) }

// DeleteFloatingIP takes a floating IP away.
func (c *Cloud) DeleteFloatingIP(id string) {
	c.locked(func() {
		if f, ok := c.network.floating.get(id); ok {
			_ = c.deleteFloatingIP(nil, f)
		}
	})
}

// DeleteVolume takes a volume away, whatever uses it.
func (c *Cloud) DeleteVolume(id string) { c.locked(func() { c.volume.volumes.drop(id) }) }

// DeleteSnapshot takes a snapshot of a volume away.
func (c *Cloud) DeleteSnapshot(id string) { c.locked(func() { c.volume.snapshots.drop(id) }) }

// AddVolumeType adds a volume type by its name.
func (c *Cloud) AddVolumeType(name string) {
	c.locked(func() { c.volume.types = append(c.volume.types, name) })
}

// FailLoadBalancers makes every change of a load balancer end in ERROR while it
// is on, as when the provider's hosts are out of order.
func (c *Cloud) FailLoadBalancers(on bool) { c.locked(func() { c.balancing.fails = on }) }

// SetLoadBalancerStatus puts a load balancer into a provisioning status such as ERROR.
func (c *Cloud) SetLoadBalancerStatus(id, status string) {
	c.locked(func() {
		if l, ok := c.balancing.balancers.get(id); ok {
			l.ProvisioningStatus = status
		}
	})
}

// SetHealth sets what the monitors find at an address: "ONLINE" or "ERROR".
func (c *Cloud) SetHealth(address, status string) {
	c.locked(func() {
		c.balancing.health[address] = status
		for _, l := range c.balancing.balancers.rows {
			c.checkHealth(l.ID)
		}
	})
}

// DeleteLoadBalancer takes a load balancer with all of its parts away.
func (c *Cloud) DeleteLoadBalancer(id string) {
	c.locked(func() {
		if l, ok := c.balancing.balancers.get(id); ok {
			c.dropBalancer(l)
		}
	})
}

// DeleteListener takes a listener with its L7 policies away.
func (c *Cloud) DeleteListener(id string) {
	c.locked(func() {
		if l, ok := c.balancing.listeners.get(id); ok {
			c.dropListener(l)
			c.date(l.balancer)
		}
	})
}

// DeletePool takes a pool with its members and its monitor away.
func (c *Cloud) DeletePool(id string) {
	c.locked(func() {
		if p, ok := c.balancing.pools.get(id); ok {
			c.dropPool(p)
			c.date(p.balancer)
		}
	})
}

// DeleteL7Policy takes an L7 policy with its rules away.
func (c *Cloud) DeleteL7Policy(id string) {
	c.locked(func() {
		if p, ok := c.balancing.policies.get(id); ok {
			c.dropPolicy(p)
			c.date(p.balancer)
		}
	})
}

// DeleteSecret takes a secret of Barbican away, whatever uses it.
func (c *Cloud) DeleteSecret(id string) { c.locked(func() { c.keys.secrets.drop(id) }) }

// DeleteContainer takes a container of Barbican away.
func (c *Cloud) DeleteContainer(id string) { c.locked(func() { c.keys.containers.drop(id) }) }

// DeleteMember takes a member of a pool away.
func (c *Cloud) DeleteMember(id string) {
	c.locked(func() {
		if m, ok := c.balancing.members.get(id); ok {
			c.balancing.members.drop(id)
			c.date(m.balancer)
		}
	})
}

// date dates a load balancer anew, as Octavia does with each change below it.
func (c *Cloud) date(balancer string) {
	if l, ok := c.balancing.balancers.get(balancer); ok {
		now := c.at.UTC().Format(octaviaTime)
		l.UpdatedAt = &now
	}
}

// Seed marks everything that is in the cloud now as part of its seed, so that
// Leftovers does not name it: what a test brings along for the code under test.
func (c *Cloud) Seed() {
	c.locked(func() {
		for _, t := range c.tables {
			t.each(func(r row) { c.seeded[r.ident()] = true })
		}
	})
}

package openstacksim

// Questions about what is in the cloud. All answers are copies; slices and maps
// in them must not be written to. An empty name asks for all of a kind, whatever
// the project.

// Servers are the servers with the name.
func (c *Cloud) Servers(name string) []Server {
	return ask(c, func() []Server { return c.compute.servers.named(name) })
}

// ServerGroups are the server groups with the name.
func (c *Cloud) ServerGroups(name string) []ServerGroup {
	return ask(c, func() []ServerGroup { return c.compute.groups.named(name) })
}

// Flavors are the flavors with the name.
func (c *Cloud) Flavors(name string) []Flavor {
	return ask(c, func() []Flavor { return c.compute.flavors.named(name) })
}

// Networks are the networks with the name.
func (c *Cloud) Networks(name string) []Network {
	return ask(c, func() []Network { return c.network.networks.named(name) })
}

// Subnets are the subnets with the name.
func (c *Cloud) Subnets(name string) []Subnet {
	return ask(c, func() []Subnet { return c.network.subnets.named(name) })
}

// Ports are the ports with the name, those that Neutron hides included.
func (c *Cloud) Ports(name string) []Port {
	return ask(c, func() []Port { return c.network.ports.named(name) })
}

// PortsOf are the ports of a device, such as a server, by its ID.
func (c *Cloud) PortsOf(deviceID string) []Port {
	return ask(c, func() []Port {
		var found []Port
		for _, p := range c.network.ports.rows {
			if p.DeviceID == deviceID {
				found = append(found, *p)
			}
		}
		return found
	})
}

// Routers are the routers with the name.
func (c *Cloud) Routers(name string) []Router {
	return ask(c, func() []Router { return c.network.routers.named(name) })
}

// FloatingIPs are the floating IPs with the address.
func (c *Cloud) FloatingIPs(address string) []FloatingIP {
	return ask(c, func() []FloatingIP { return c.network.floating.named(address) })
}

// SecurityGroups are the security groups with the name.
func (c *Cloud) SecurityGroups(name string) []SecurityGroup {
	return ask(c, func() []SecurityGroup { return c.network.groups.named(name) })
}

// Rules are the rules of a security group by its ID.
func (c *Cloud) Rules(groupID string) []SecurityGroupRule {
	return ask(c, func() []SecurityGroupRule {
		var rules []SecurityGroupRule
		for _, r := range c.rulesOf(groupID) {
			rules = append(rules, *r)
		}
		return rules
	})
}

// Volumes are the volumes with the name.
func (c *Cloud) Volumes(name string) []Volume {
	return ask(c, func() []Volume { return c.volume.volumes.named(name) })
}

// Snapshots are the snapshots of volumes with the name.
func (c *Cloud) Snapshots(name string) []Snapshot {
	return ask(c, func() []Snapshot { return c.volume.snapshots.named(name) })
}

// Images are the images with the name.
func (c *Cloud) Images(name string) []Image {
	return ask(c, func() []Image { return c.image.images.named(name) })
}

// LoadBalancers are the load balancers with the name.
func (c *Cloud) LoadBalancers(name string) []LoadBalancer {
	return ask(c, func() []LoadBalancer { return c.balancing.balancers.named(name) })
}

// Listeners are the listeners with the name.
func (c *Cloud) Listeners(name string) []Listener {
	return ask(c, func() []Listener { return c.balancing.listeners.named(name) })
}

// Pools are the pools with the name.
func (c *Cloud) Pools(name string) []Pool {
	return ask(c, func() []Pool { return c.balancing.pools.named(name) })
}

// Members are the members of the pool with this ID.
func (c *Cloud) Members(poolID string) []Member {
	return ask(c, func() []Member {
		var members []Member
		for _, m := range c.membersOf(poolID) {
			members = append(members, *m)
		}
		return members
	})
}

// HealthMonitors are the health monitors with the name.
func (c *Cloud) HealthMonitors(name string) []HealthMonitor {
	return ask(c, func() []HealthMonitor { return c.balancing.monitors.named(name) })
}

// L7Policies are the L7 policies with the name.
func (c *Cloud) L7Policies(name string) []L7Policy {
	return ask(c, func() []L7Policy { return c.balancing.policies.named(name) })
}

// L7Rules are the rules of the L7 policy with this ID.
func (c *Cloud) L7Rules(policyID string) []L7Rule {
	return ask(c, func() []L7Rule {
		var rules []L7Rule
		for _, r := range c.rulesOfPolicy(policyID) {
			rules = append(rules, *r)
		}
		return rules
	})
}

// Secrets are the secrets in Barbican with the name.
func (c *Cloud) Secrets(name string) []Secret {
	return ask(c, func() []Secret { return c.keys.secrets.named(name) })
}

// Containers are the containers in Barbican with the name.
func (c *Cloud) Containers(name string) []Container {
	return ask(c, func() []Container { return c.keys.containers.named(name) })
}

// ApplicationCredentials are the application credentials with the name.
func (c *Cloud) ApplicationCredentials(name string) []ApplicationCredential {
	return ask(c, func() []ApplicationCredential { return c.identity.appCreds.named(name) })
}

// Stacks are the stacks with the name.
func (c *Cloud) Stacks(name string) []Stack {
	return ask(c, func() []Stack { return c.orchestration.stacks.named(name) })
}

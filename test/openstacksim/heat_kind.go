package openstacksim

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// stackKind is a type of resources that stacks may have: which request makes it
// of its properties (heat/engine/resources/openstack).
type stackKind struct {
	service    func(*Cloud) *service
	path, one  string            // "/networks", "network"
	properties []string          // others are refused
	required   []string          // "a|b": one of them
	names      map[string]naming // properties that name another resource
	attributes []string          // for get_attr; others are refused
	status     string            // attribute that says when it is done; empty: at once
	after      []string          // types in the same template that come first even if it does not name them
	// create is for kinds that one POST does not make; it returns the ID.
	create func(*Cloud, *stackKind, caller, map[string]any) (string, error)
	// remove is for kinds that DELETE does not remove.
	remove func(*Cloud, caller, string) error
}

// naming is a property that holds the name or ID of a resource of a kind, which
// the API gets as an ID (heat/engine/translation.py).
type naming struct{ kind, as string }

func neutronService(c *Cloud) *service { return c.network.service }

var stackKinds = map[string]*stackKind{
	"OS::Neutron::Net": {service: neutronService, path: "/networks", one: "network",
		properties: []string{"name", "admin_state_up", "port_security_enabled", "value_specs"},
		attributes: []string{"status", "name", "subnets", "admin_state_up", "tenant_id", "port_security_enabled", "mtu"}},
	"OS::Neutron::Subnet": {service: neutronService, path: "/subnets", one: "subnet",
		properties: []string{"name", "network", "network_id", "cidr", "ip_version", "dns_nameservers", "gateway_ip", "enable_dhcp",
			"allocation_pools", "host_routes", "value_specs"},
		required: []string{"network|network_id", "cidr"},
		names:    map[string]naming{"network": {"network", "network_id"}, "network_id": {"network", "network_id"}},
		attributes: []string{"name", "network_id", "tenant_id", "allocation_pools", "gateway_ip", "host_routes", "ip_version", "cidr",
			"dns_nameservers", "enable_dhcp"},
		create: func(c *Cloud, k *stackKind, who caller, p map[string]any) (string, error) {
			if _, ok := p["ip_version"]; !ok { // the API has no default, Heat has
				p["ip_version"] = 4
			}
			return c.post(k, who, p)
		}},
	"OS::Neutron::Port": {service: neutronService, path: "/ports", one: "port",
		properties: []string{"name", "network", "network_id", "fixed_ips", "security_groups", "admin_state_up", "mac_address",
			"allowed_address_pairs", "binding:vnic_type", "port_security_enabled", "device_id", "device_owner", "tags", "value_specs"},
		required: []string{"network|network_id"},
		names: map[string]naming{"network": {"network", "network_id"}, "network_id": {"network", "network_id"},
			"subnet": {"subnet", "subnet_id"}, "subnet_id": {"subnet", "subnet_id"}, "security_groups": {"security-group", "security_groups"}},
		attributes: []string{"admin_state_up", "device_id", "device_owner", "fixed_ips", "mac_address", "name", "network_id", "security_groups",
			"status", "tenant_id", "allowed_address_pairs", "port_security_enabled"},
		after: []string{"OS::Neutron::Subnet"}},
	"OS::Neutron::Router": {service: neutronService, path: "/routers", one: "router",
		properties: []string{"name", "external_gateway_info", "admin_state_up", "value_specs"},
		names:      map[string]naming{"network": {"network", "network_id"}, "subnet": {"subnet", "subnet_id"}},
		attributes: []string{"status", "external_gateway_info", "name", "admin_state_up", "tenant_id"}},
	"OS::Neutron::RouterInterface": {service: neutronService,
		properties: []string{"router", "router_id", "subnet", "subnet_id", "port", "port_id"},
		required:   []string{"router|router_id", "subnet|subnet_id|port|port_id"},
		names: map[string]naming{"router": {"router", "router_id"}, "router_id": {"router", "router_id"}, "subnet": {"subnet", "subnet_id"},
			"subnet_id": {"subnet", "subnet_id"}, "port": {"port", "port_id"}, "port_id": {"port", "port_id"}},
		create: joinRouter, remove: leaveRouter},
	"OS::Neutron::FloatingIP": {service: neutronService, path: "/floatingips", one: "floatingip",
		properties: []string{"floating_network", "floating_network_id", "floating_subnet", "port_id", "fixed_ip_address", "floating_ip_address", "value_specs"},
		required:   []string{"floating_network|floating_network_id"},
		names: map[string]naming{"floating_network": {"network", "floating_network_id"}, "floating_network_id": {"network", "floating_network_id"},
			"floating_subnet": {"subnet", "subnet_id"}, "port_id": {"port", "port_id"}},
		attributes: []string{"router_id", "tenant_id", "floating_network_id", "fixed_ip_address", "floating_ip_address", "port_id"},
		after:      []string{"OS::Neutron::Router", "OS::Neutron::RouterInterface"}},
	"OS::Neutron::SecurityGroup": {service: neutronService, path: "/security-groups", one: "security_group",
		properties: []string{"name", "description", "rules"},
		names:      map[string]naming{"remote_group_id": {"security-group", "remote_group_id"}},
		create:     createStackGroup},
	"OS::Nova::Server": {service: func(c *Cloud) *service { return c.compute.service }, path: "/servers", one: "server", status: "status",
		properties: []string{"name", "image", "flavor", "key_name", "availability_zone", "security_groups", "networks", "metadata",
			"user_data", "user_data_format", "config_drive", "scheduler_hints", "tags", "block_device_mapping_v2"},
		required: []string{"flavor"},
		names: map[string]naming{"image": {"image", "imageRef"}, "flavor": {"flavor", "flavorRef"}, "network": {"network", "uuid"},
			"uuid": {"network", "uuid"}, "port": {"port", "port"}},
		attributes: []string{"name", "addresses", "networks", "first_address", "accessIPv4", "accessIPv6", "tags"},
		after:      []string{"OS::Neutron::Subnet"}, create: createStackServer},
	"OS::Octavia::LoadBalancer": {service: func(c *Cloud) *service { return c.balancing.service }, path: "/loadbalancers", one: "loadbalancer",
		status:     "provisioning_status",
		properties: []string{"name", "description", "provider", "vip_address", "vip_subnet", "admin_state_up", "availability_zone"},
		required:   []string{"vip_subnet"},
		names:      map[string]naming{"vip_subnet": {"subnet", "vip_subnet_id"}},
		attributes: []string{"vip_address", "vip_port_id", "vip_subnet_id", "pools", "flavor_id"}},
}

// post makes a resource in the usual way.
func (c *Cloud) post(k *stackKind, who caller, properties map[string]any) (string, error) {
	made, err := c.within(who, k.service(c), "POST "+k.path, "", wrap(k.one, properties))
	id, _ := object(made, k.one)["id"].(string)
	return id, err
}

// joinRouter is heat/engine/resources/openstack/neutron/router.py,
// RouterInterface; its ID is made up of those of both.
func joinRouter(c *Cloud, _ *stackKind, who caller, p map[string]any) (string, error) {
	key, router := "subnet_id", fmt.Sprint(p["router_id"])
	if p[key] == nil {
		key = "port_id"
	}
	_, err := c.within(who, c.network.service, "PUT /routers/{id}/add_router_interface", router, wrap(key, p[key]))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s:%s=%s", router, key, p[key]), nil
}

func leaveRouter(c *Cloud, who caller, id string) error {
	router, iface, _ := strings.Cut(id, ":")
	key, value, _ := strings.Cut(iface, "=")
	_, err := c.within(who, c.network.service, "PUT /routers/{id}/remove_router_interface", router, wrap(key, value))
	return err
}

// createStackGroup is heat/engine/resources/openstack/neutron/security_group.py,
// _create_rules: rules for what goes out replace those of Neutron.
func createStackGroup(c *Cloud, k *stackKind, who caller, p map[string]any) (string, error) {
	rules, _ := p["rules"].([]any)
	delete(p, "rules")
	id, err := c.post(k, who, p)
	if err != nil {
		return "", err
	}
	egress := func(rule any) bool { r, _ := rule.(map[string]any); return r["direction"] == "egress" }
	if slices.ContainsFunc(rules, egress) {
		for _, r := range c.rulesOf(id) {
			c.network.rules.drop(r.ID)
		}
	}
	for _, rule := range rules {
		want := map[string]any{"direction": "ingress", "ethertype": "IPv4", "security_group_id": id}
		given, _ := rule.(map[string]any)
		for key, value := range given {
			want[key] = value
		}
		if want["remote_mode"] == "remote_group_id" && want["remote_group_id"] == nil {
			want["remote_group_id"] = id
		}
		delete(want, "remote_mode")
		_, err := c.within(who, c.network.service, "POST /security-group-rules", "", wrap("security_group_rule", want))
		if err != nil && asAPIError(err).status != http.StatusConflict {
			return id, err
		}
	}
	return id, nil
}

// createStackServer is heat/engine/resources/openstack/nova/server.py, handle_create.
func createStackServer(c *Cloud, k *stackKind, who caller, p map[string]any) (string, error) {
	if text, ok := p["user_data"].(string); ok {
		if p["user_data_format"] != "RAW" {
			return "", badTemplate("openstacksim does not simulate a user_data_format other than RAW")
		}
		p["user_data"] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	hints := p["scheduler_hints"]
	delete(p, "user_data_format")
	delete(p, "scheduler_hints")
	if groups, ok := p["security_groups"].([]any); ok {
		for i, name := range groups {
			groups[i] = wrap("name", name)
		}
	}
	if p["networks"] == nil {
		p["networks"] = "auto"
	}
	body := wrap(k.one, p)
	if hints != nil {
		body["os:scheduler_hints"] = hints
	}
	made, err := c.within(who, k.service(c), "POST "+k.path, "", body)
	id, _ := object(made, k.one)["id"].(string)
	return id, err
}

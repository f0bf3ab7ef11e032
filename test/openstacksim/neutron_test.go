package openstacksim

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestNetworkGoesDownInOrder(t *testing.T) {
	c := start(t)
	network, subnet, router := c.network()
	port := c.create("port", body{"network_id": network})
	fip := c.create("floatingip", body{"floating_network_id": c.sim.Networks("public")[0].ID, "port_id": port})
	path := func(kind, id string) string { return neutronURL + "/" + kind + "/" + id }

	c.refused(http.StatusConflict, `"type":"NetworkInUse"`, "DELETE", path("networks", network), nil)
	c.refused(http.StatusConflict, `"type":"SubnetInUse"`, "DELETE", path("subnets", subnet), nil)
	c.refused(http.StatusConflict, `"type":"RouterInUse"`, "DELETE", path("routers", router), nil)
	c.refused(http.StatusConflict, `"type":"RouterInterfaceInUseByFloatingIP"`, "PUT", path("routers", router)+"/remove_router_interface", body{"subnet_id": subnet})
	c.refused(http.StatusConflict, `"type":"RouterExternalGatewayInUseByFloatingIp"`, "PUT", path("routers", router),
		body{"router": body{"external_gateway_info": nil}})
	iface := c.sim.PortsOf(router)
	i := slices.IndexFunc(iface, func(p Port) bool { return p.DeviceOwner == ownerInterface })
	c.refused(http.StatusConflict, `"type":"ServicePortInUse"`, "DELETE", path("ports", iface[i].ID), nil)

	c.want(http.StatusNoContent, "DELETE", path("ports", port), nil, "")
	if f := c.sim.FloatingIPs("")[0]; f.PortID != nil || f.Status != "DOWN" {
		t.Errorf("a floating IP lives on without its port: %+v", f)
	}
	c.want(http.StatusNoContent, "DELETE", path("floatingips", fip), nil, "")
	c.want(http.StatusOK, "PUT", path("routers", router)+"/remove_router_interface", body{"subnet_id": subnet}, "")
	c.refused(http.StatusNotFound, "RouterInterfaceNotFoundForSubnet", "PUT", path("routers", router)+"/remove_router_interface", body{"subnet_id": subnet})
	c.want(http.StatusNoContent, "DELETE", path("routers", router), nil, "")
	c.want(http.StatusNoContent, "DELETE", path("networks", network), nil, "") // takes the subnet along
	c.sim.WantNothingLeft(t)
}

func TestAddresses(t *testing.T) {
	c := start(t)
	network := c.create("network", body{"name": "n"})
	subnet := c.create("subnet", body{"network_id": network, "ip_version": 4, "cidr": "10.7.0.0/29"})
	if s := c.sim.Subnets("")[1]; *s.GatewayIP != "10.7.0.1" || s.AllocationPools[0] != (AllocationPool{"10.7.0.2", "10.7.0.6"}) {
		t.Errorf("gateway and pool: %s %v", *s.GatewayIP, s.AllocationPools)
	}
	port := func(in body) body { in["network_id"] = network; return body{"port": in} }
	ports := neutronURL + "/ports"
	c.want(http.StatusCreated, "POST", ports, port(body{"name": "fixed", "fixed_ips": []body{{"ip_address": "10.7.0.4"}}}), "port")
	c.refused(http.StatusConflict, "IpAddressAlreadyAllocated", "POST", ports, port(body{"fixed_ips": []body{{"subnet_id": subnet, "ip_address": "10.7.0.4"}}}))
	c.refused(http.StatusBadRequest, "InvalidIpForNetwork", "POST", ports, port(body{"fixed_ips": []body{{"ip_address": "10.8.0.4"}}}))
	c.refused(http.StatusBadRequest, "InvalidIpForSubnet", "POST", ports, port(body{"fixed_ips": []body{{"subnet_id": subnet, "ip_address": "10.8.0.4"}}}))
	for range 4 {
		c.want(http.StatusCreated, "POST", ports, port(body{}), "port")
	}
	c.refused(http.StatusConflict, `"type":"IpAddressGenerationFailure"`, "POST", ports, port(body{}))
	c.refused(http.StatusBadRequest, "overlaps with another subnet", "POST", neutronURL+"/subnets",
		body{"subnet": body{"network_id": network, "ip_version": 4, "cidr": "10.7.0.0/24"}})
	pools := func(gateway string, pools ...body) body {
		return body{"subnet": body{"network_id": network, "ip_version": 4, "cidr": "10.9.0.0/24", "gateway_ip": gateway, "allocation_pools": pools}}
	}
	subnets, whole := neutronURL+"/subnets", body{"start": "10.9.0.2", "end": "10.9.0.254"}
	c.refused(http.StatusBadRequest, "OutOfBoundsAllocationPool", "POST", subnets, pools("10.9.0.1", body{"start": "10.9.0.2", "end": "10.9.0.255"}))
	c.refused(http.StatusBadRequest, "InvalidAllocationPool", "POST", subnets, pools("10.9.0.1", body{"start": "10.9.0.9", "end": "10.9.0.2"}))
	c.refused(http.StatusConflict, "OverlappingAllocationPools", "POST", subnets, pools("10.9.0.1", whole, body{"start": "10.9.0.9", "end": "10.9.0.9"}))
	c.refused(http.StatusConflict, "GatewayConflictWithAllocationPools", "POST", subnets, pools("10.9.0.2", whole))
	if got := c.list(ports+"?fixed_ips=ip_address%3D10.7.0.4", "ports"); len(got) != 1 || got[0]["name"] != "fixed" {
		t.Errorf("port by address: %v", got)
	}
}

func TestListsFilterAndPage(t *testing.T) {
	c := start(t)
	network := c.create("network", body{"name": "n", "description": "cx"})
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		c.create("port", body{"network_id": network, "name": name, "description": "cx", "tags": []string{"t-" + name, "all"}})
	}
	ports := neutronURL + "/ports"
	for query, want := range map[string]int{
		"?description=cx": 7, "?description=c": 0, "?name=a&name=b": 2, "?network_id=" + network: 7, "?tags=all,t-c": 1,
		"?tags-any=t-a,t-b": 2, "?not-tags=all": 0, "?not-tags-any=t-a,t-b": 5, "?device_id=": 7, "?limit=2": 7,
		"?project_id=" + c.sim.ProjectID(Project): 7, "?admin_state_up=False": 0, "?description=cx&fields=id&fields=name": 7,
	} {
		if got := c.list(ports+query, "ports"); len(got) != want {
			t.Errorf("%s: %d ports, want %d", query, len(got), want)
		}
	}
	c.refused(http.StatusBadRequest, "invalid attribute for filtering", "GET", ports+"?colour=red", nil)
	c.sim.ResetCalls()
	c.list(ports+"?description=cx", "ports")
	if got := len(c.sim.Calls()); got != 3 {
		t.Errorf("7 ports take %d requests, want 3 pages", got)
	}
	if got := c.list(neutronURL+"/networks?router:external=True", "networks"); len(got) != 1 || got[0]["name"] != "public" {
		t.Errorf("external networks: %v", got)
	}
}

func TestSecurityGroups(t *testing.T) {
	c := start(t)
	group := c.create("security_group", body{"name": "g", "description": "cx"})
	if rules := c.sim.Rules(group); len(rules) != 2 || rules[0].Direction != "egress" {
		t.Errorf("a new group lets IPv4 and IPv6 out: %+v", rules)
	}
	rule := func(in body) body { in["security_group_id"], in["direction"] = group, "ingress"; return in }
	ssh := func() body { return rule(body{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}) }
	path := neutronURL + "/security-group-rules"
	c.want(http.StatusCreated, "POST", path, body{"security_group_rules": []body{ssh(), rule(body{"remote_group_id": group})}}, "")

	again := ssh()
	again["remote_ip_prefix"], again["description"], again["protocol"] = "0.0.0.0/0", "from anywhere", "6"
	c.refused(http.StatusConflict, `"type":"SecurityGroupRuleExists"`, "POST", path, body{"security_group_rule": again})
	other := rule(body{"protocol": "udp"})
	c.refused(http.StatusConflict, "DuplicateSecurityGroupRuleInPost", "POST", path, body{"security_group_rules": []body{other, other}})
	c.refused(http.StatusConflict, "SecurityGroupRuleExists", "POST", path, body{"security_group_rules": []body{other, ssh()}})
	if rules := c.sim.Rules(group); len(rules) != 4 {
		t.Errorf("rules: %d, want 4: a refused list leaves nothing", len(rules))
	}
	c.refused(http.StatusBadRequest, "SecurityGroupRuleParameterConflict", "POST", path,
		body{"security_group_rule": rule(body{"ethertype": "IPv6", "remote_ip_prefix": "10.0.0.0/8"})})
	shown := c.want(http.StatusOK, "GET", neutronURL+"/security-groups/"+group, nil, "security_group")
	if got := len(shown["security_group_rules"].([]any)); got != 4 {
		t.Errorf("the group shows %d rules, want 4", got)
	}
	network := c.create("network", body{"name": "n"})
	port := c.create("port", body{"network_id": network, "security_groups": []string{group}})
	c.refused(http.StatusConflict, `"type":"SecurityGroupInUse"`, "DELETE", neutronURL+"/security-groups/"+group, nil)
	c.refused(http.StatusConflict, "PortSecurityPortHasSecurityGroup", "PUT", neutronURL+"/ports/"+port, body{"port": body{"port_security_enabled": false}})
	c.refused(http.StatusBadRequest, "PortSecurityAndIPRequiredForSecurityGroups", "POST", neutronURL+"/ports",
		body{"port": body{"network_id": network, "port_security_enabled": false, "security_groups": []string{group}}})
	c.want(http.StatusNoContent, "DELETE", neutronURL+"/ports/"+port, nil, "")
	c.want(http.StatusNoContent, "DELETE", neutronURL+"/security-groups/"+group, nil, "")
}

func TestFloatingIPs(t *testing.T) {
	c := start(t)
	public := c.sim.Networks("public")[0].ID
	network := c.create("network", body{"name": "n"})
	subnet := c.create("subnet", body{"network_id": network, "ip_version": 4, "cidr": "10.6.0.0/24"})
	port := c.create("port", body{"network_id": network})
	path := neutronURL + "/floatingips"
	fip := func(in body) body { in["floating_network_id"] = public; return body{"floatingip": in} }

	c.refused(http.StatusNotFound, "ExternalGatewayForFloatingIPNotFound", "POST", path, fip(body{"port_id": port}))
	router := c.create("router", body{"external_gateway_info": body{"network_id": public}})
	c.want(http.StatusOK, "PUT", neutronURL+"/routers/"+router+"/add_router_interface", body{"subnet_id": subnet}, "")
	got := c.want(http.StatusCreated, "POST", path, fip(body{"port_id": port, "floating_ip_address": "172.24.4.99", "description": "cx"}), "floatingip")
	if got["floating_ip_address"] != "172.24.4.99" || got["router_id"] != router || got["fixed_ip_address"] != "10.6.0.2" || got["status"] != "ACTIVE" {
		t.Errorf("floating IP: %v", got)
	}
	c.refused(http.StatusConflict, "FloatingIPPortAlreadyAssociated", "POST", path, fip(body{"port_id": port}))
	c.refused(http.StatusConflict, "IpAddressAlreadyAllocated", "POST", path, fip(body{"floating_ip_address": "172.24.4.99"}))
	c.refused(http.StatusBadRequest, "not a valid external network", "POST", path, body{"floatingip": body{"floating_network_id": network}})
	c.want(http.StatusOK, "PUT", path+"/"+got["id"].(string), body{"floatingip": body{"port_id": nil}}, "floatingip")
	c.sim.SetQuota("floatingip", 1)
	c.refused(http.StatusConflict, `"type":"OverQuota"`, "POST", path, fip(body{}))
}

func TestBodiesAndTags(t *testing.T) {
	c := start(t)
	c.refused(http.StatusBadRequest, "Unrecognized attribute(s) 'colour'", "POST", neutronURL+"/networks", body{"network": body{"colour": "red"}})
	long := body{"network": body{"description": strings.Repeat("x", 256)}}
	c.refused(http.StatusBadRequest, "exceeds maximum length of 255", "POST", neutronURL+"/networks", long)
	network := c.create("network", body{"name": "n", "mtu": 1400})
	c.refused(http.StatusBadRequest, "exceeds maximum length of 255", "PUT", neutronURL+"/networks/"+network, long)
	tags := neutronURL + "/networks/" + network + "/tags"
	c.want(http.StatusOK, "PUT", tags, body{"tags": []string{"b", "a"}}, "")
	c.want(http.StatusCreated, "PUT", tags+"/c", nil, "")
	c.want(http.StatusNoContent, "DELETE", tags+"/b", nil, "")
	if got := c.sim.Networks("n")[0]; !slices.Equal(got.Tags, []string{"a", "c"}) || got.Revision != 4 || got.MTU != 1400 {
		t.Errorf("network: %+v", got)
	}
	c.want(http.StatusOK, "PUT", neutronURL+"/networks/"+network, body{"network": body{"description": "new"}}, "network")
	if got := c.sim.Networks("n")[0]; got.Description != "new" || got.MTU != 1400 {
		t.Errorf("an update leaves the rest alone: %+v", got)
	}
}

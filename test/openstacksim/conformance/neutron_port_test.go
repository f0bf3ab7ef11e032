package conformance

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Networks and subnets", func() {
	behaviour("a network with a port that is used or made by hand cannot go", "network-api-ref: Delete network, 409; neutron_lib/exceptions, NetworkInUse", func(ctx SpecContext) {
		p := newPlace(ctx)
		p.port(ctx, nil)
		Expect(cloud.delete(ctx, network, "/networks/"+id(p.network))).To(refusal(http.StatusConflict, "NetworkInUse"))
	})
	behaviour("a subnet whose addresses are in use cannot go", "network-api-ref: Delete subnet, 409; neutron_lib/exceptions, SubnetInUse", func(ctx SpecContext) {
		p := newPlace(ctx)
		p.port(ctx, nil)
		Expect(cloud.delete(ctx, network, "/subnets/"+id(p.subnet))).To(refusal(http.StatusConflict, "SubnetInUse"))
	})
	behaviour("a network takes its subnets along when it goes", "network-api-ref: Delete network", func(ctx SpecContext) {
		p := newPlace(ctx)
		Expect(cloud.delete(ctx, network, "/networks/"+id(p.network)).status).To(Equal(http.StatusNoContent))
		Expect(subnets.show(ctx, id(p.subnet)).status).To(Equal(http.StatusNotFound))
	})
	behaviour("a subnet's gateway is its first address and DHCP is on, if nothing is said", "network-api-ref: Create subnet, gateway_ip, enable_dhcp", func(ctx SpecContext) {
		Expect(newPlace(ctx).subnet).To(And(HaveKeyWithValue("gateway_ip", "10.71.0.1"), HaveKeyWithValue("enable_dhcp", true)))
	})
	behaviour("subnets of one network may not overlap", "neutron/db/ipam_backend_mixin.py, _validate_subnet_cidr", func(ctx SpecContext) {
		p := newPlace(ctx)
		Expect(subnets.try(ctx, object{"network_id": id(p.network), "ip_version": 4, "cidr": "10.71.0.128/25"})).To(refusal(http.StatusBadRequest, "overlap"))
	})
	behaviour("a pool of addresses has to be within its subnet", "neutron/ipam/exceptions or neutron_lib/exceptions, OutOfBoundsAllocationPool", func(ctx SpecContext) {
		n := networks.make(ctx, object{"name": name("network")})
		Expect(subnets.try(ctx, object{"network_id": id(n), "ip_version": 4, "cidr": "10.73.0.0/24",
			"allocation_pools": list{object{"start": "10.74.0.2", "end": "10.74.0.9"}}})).To(refusal(http.StatusBadRequest, "pool"))
	})
	behaviour("the name servers of a subnet can be replaced", "network-api-ref: Update subnet", func(ctx SpecContext) {
		p := newPlace(ctx)
		got := cloud.put(ctx, network, "/subnets/"+id(p.subnet), object{"subnet": object{"dns_nameservers": list{"10.9.9.9"}}})
		Expect(got.object("subnet")["dns_nameservers"]).To(ConsistOf("10.9.9.9"))
	})
})

var _ = Describe("Ports", func() {
	behaviour("get an address of their subnet and the project's default group", "network-api-ref: Create port", func(ctx SpecContext) {
		p := shared
		port := p.port(ctx, nil)
		Expect(port["fixed_ips"]).To(ConsistOf(HaveKeyWithValue("subnet_id", p.subnet["id"])))
		Expect(port["security_groups"]).To(HaveLen(1))
	})
	behaviour("with an empty list of groups have none", "network-api-ref: Create port, security_groups", func(ctx SpecContext) {
		Expect(shared.port(ctx, object{"security_groups": list{}})["security_groups"]).To(BeEmpty())
	})
	behaviour("take the address that is asked for, once", "neutron_lib/exceptions, IpAddressInUse", func(ctx SpecContext) {
		p := shared
		wish := object{"fixed_ips": list{object{"subnet_id": id(p.subnet), "ip_address": "10.71.0.77"}}}
		Expect(p.port(ctx, wish)["fixed_ips"]).To(ConsistOf(HaveKeyWithValue("ip_address", "10.71.0.77")))
		Expect(ports.try(ctx, p.portFields(wish))).To(refusal(http.StatusConflict, "IpAddress"))
	})
	behaviour("take no address from outside their subnet", "neutron/ipam/exceptions.py, InvalidIpForSubnet; neutron_lib/exceptions, InvalidInput", func(ctx SpecContext) {
		p := shared
		got := ports.try(ctx, p.portFields(object{"fixed_ips": list{object{"subnet_id": id(p.subnet), "ip_address": "10.99.0.1"}}}))
		Expect(got.status).To(Equal(http.StatusBadRequest), got.String())
	})
	behaviour("cannot be made when the subnet has no address left", "neutron_lib/exceptions, IpAddressGenerationFailure", func(ctx SpecContext) {
		n := networks.make(ctx, object{"name": name("network")})
		subnets.make(ctx, object{"network_id": id(n), "name": name("subnet"), "ip_version": 4, "cidr": "10.75.0.0/24", "enable_dhcp": false,
			"allocation_pools": list{object{"start": "10.75.0.5", "end": "10.75.0.5"}}})
		p := place{network: n}
		p.port(ctx, nil)
		Expect(ports.try(ctx, p.portFields(nil))).To(refusal(http.StatusConflict, "IpAddressGenerationFailure"))
	})
	behaviour("with a group that there is not are refused with 404", "neutron/extensions/securitygroup.py, SecurityGroupNotFound", func(ctx SpecContext) {
		Expect(ports.try(ctx, shared.portFields(object{"security_groups": list{"00000000-0000-0000-0000-000000000000"}}))).
			To(refusal(http.StatusNotFound, "SecurityGroupNotFound"))
	})
	behaviour("keep the address pairs that they are given, and lose them again", "network-api-ref: Allowed address pairs", func(ctx SpecContext) {
		port := shared.port(ctx, object{"allowed_address_pairs": list{object{"ip_address": "10.71.0.200"}}})
		Expect(port["allowed_address_pairs"]).To(ConsistOf(HaveKeyWithValue("ip_address", "10.71.0.200")))
		got := cloud.put(ctx, network, "/ports/"+id(port), object{"port": object{"allowed_address_pairs": list{}}})
		Expect(got.object("port")["allowed_address_pairs"]).To(BeEmpty())
	})
	behaviour("without port security can have no groups", "neutron/extensions/portsecurity (neutron-lib), PortSecurityAndIPRequiredForSecurityGroups", func(ctx SpecContext) {
		p := shared
		group := groups.make(ctx, object{"name": name("group")})
		got := ports.try(ctx, p.portFields(object{"port_security_enabled": false, "security_groups": list{id(group)}}))
		Expect(got).To(refusal(http.StatusBadRequest, "PortSecurity"))
	})
	behaviour("can change their groups", "network-api-ref: Update port", func(ctx SpecContext) {
		p := shared
		group, port := groups.make(ctx, object{"name": name("group")}), p.port(ctx, nil)
		got := cloud.put(ctx, network, "/ports/"+id(port), object{"port": object{"security_groups": list{id(group)}}})
		Expect(got.object("port")["security_groups"]).To(ConsistOf(group["id"]))
		got = cloud.put(ctx, network, "/ports/"+id(port), object{"port": object{"security_groups": list{}}})
		Expect(got.object("port")["security_groups"]).To(BeEmpty())
	})
})

var _ = Describe("Routers", func() {
	behaviour("get their gateway and its address in the call that makes them", "network-api-ref: Create router", func(ctx SpecContext) {
		router := routers.make(ctx, object{"name": name("router"), "external_gateway_info": object{"network_id": offer.external}})
		Expect(router["external_gateway_info"]).To(And(HaveKeyWithValue("network_id", offer.external), HaveKeyWithValue("external_fixed_ips", Not(BeEmpty()))))
	})
	behaviour("refuse to be put on a subnet again", "neutron/db/l3_db.py, _check_for_dup_router_subnets", func(ctx SpecContext) {
		p := newPlace(ctx)
		router := p.routed(ctx)
		got := cloud.put(ctx, network, "/routers/"+id(router)+"/add_router_interface", object{"subnet_id": p.subnet["id"]})
		Expect(got).To(refusal(http.StatusBadRequest, "already has a port on subnet"))
	})
	behaviour("are on a subnet by a port that tells their ID and takes the gateway's address", "network-api-ref: Add interface to router", func(ctx SpecContext) {
		p := newPlace(ctx)
		router := p.routed(ctx)
		found := ports.found(ctx, map[string][]string{"device_id": {id(router)}, "network_id": {id(p.network)}})
		Expect(found).To(HaveLen(1))
		Expect(found[0]["device_owner"]).To(BeElementOf("network:router_interface", "network:router_interface_distributed", "network:ha_router_replicated_interface"))
		Expect(found[0]["fixed_ips"]).To(ConsistOf(HaveKeyWithValue("ip_address", "10.71.0.1")))
		Expect(cloud.delete(ctx, network, "/ports/"+id(found[0]))).To(refusal(http.StatusConflict, "ServicePortInUse"))
	})
	behaviour("cannot go while they are on a subnet", "neutron/extensions (neutron-lib) l3, RouterInUse", func(ctx SpecContext) {
		router := newPlace(ctx).routed(ctx)
		Expect(cloud.delete(ctx, network, "/routers/"+id(router))).To(refusal(http.StatusConflict, "RouterInUse"))
	})
	behaviour("hold the subnet that they are on", "neutron_lib/exceptions, SubnetInUse", func(ctx SpecContext) {
		p := newPlace(ctx)
		p.routed(ctx)
		Expect(cloud.delete(ctx, network, "/subnets/"+id(p.subnet))).To(refusal(http.StatusConflict, "SubnetInUse"))
	})
	behaviour("answer 404 when they are to leave a subnet that they are not on", "neutron-lib exceptions l3, RouterInterfaceNotFoundForSubnet", func(ctx SpecContext) {
		p := newPlace(ctx)
		router := routers.make(ctx, object{"name": name("router")})
		got := cloud.put(ctx, network, "/routers/"+id(router)+"/remove_router_interface", object{"subnet_id": p.subnet["id"]})
		Expect(got).To(refusal(http.StatusNotFound, "RouterInterfaceNotFound"))
	})
})

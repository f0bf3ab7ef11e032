package conformance

import (
	"maps"
	"net/http"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Security groups", func() {
	rule := func(group object, more object) object {
		fields := object{"security_group_id": id(group), "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22}
		maps.Copy(fields, more)
		return fields
	}
	group := func(ctx SpecContext) object {
		GinkgoHelper()
		return groups.make(ctx, object{"name": name("group")})
	}
	rulesOf := func(ctx SpecContext, g object) []object {
		GinkgoHelper()
		return rules.found(ctx, url.Values{"security_group_id": {id(g)}})
	}

	behaviour("are born with two rules that let everything out", "network-api-ref: Create security group", func(ctx SpecContext) {
		born := group(ctx)["security_group_rules"].(list)
		Expect(born).To(HaveLen(2))
		Expect(born).To(HaveEach(HaveKeyWithValue("direction", "egress")))
	})
	behaviour("take no rule twice", "neutron/extensions/securitygroup.py, SecurityGroupRuleExists", func(ctx SpecContext) {
		g := group(ctx)
		Expect(rules.try(ctx, rule(g, nil)).status).To(Equal(http.StatusCreated))
		Expect(rules.try(ctx, rule(g, nil))).To(refusal(http.StatusConflict, "SecurityGroupRuleExists"))
	})
	behaviour("take a rule for the same that has another description for the same rule", "neutron/db/securitygroups_db.py, _rule_to_key", func(ctx SpecContext) {
		g := group(ctx)
		Expect(rules.try(ctx, rule(g, object{"description": "a"})).status).To(Equal(http.StatusCreated))
		Expect(rules.try(ctx, rule(g, object{"description": "b"})).status).To(Equal(http.StatusConflict))
	})
	behaviour("make several rules in one request", "network-api-ref: Security group rules, bulk create", func(ctx SpecContext) {
		g := group(ctx)
		got := cloud.post(ctx, network, rules.path, object{"security_group_rules": list{rule(g, nil), rule(g, object{"port_range_max": 23})}})
		Expect(got.status).To(Equal(http.StatusCreated), got.String())
		Expect(rulesOf(ctx, g)).To(HaveLen(4))
	})
	behaviour("make none of several rules when one is there already", "neutron/db/securitygroups_db.py, create_security_group_rule_bulk", func(ctx SpecContext) {
		g := group(ctx)
		Expect(rules.try(ctx, rule(g, nil)).status).To(Equal(http.StatusCreated))
		got := cloud.post(ctx, network, rules.path, object{"security_group_rules": list{rule(g, object{"port_range_max": 23}), rule(g, nil)}})
		Expect(got.status).To(Equal(http.StatusConflict), got.String())
		Expect(rulesOf(ctx, g)).To(HaveLen(3))
	})
	behaviour("come with all their rules in lists", "network-api-ref: List security groups", func(ctx SpecContext) {
		g := group(ctx)
		Expect(rules.try(ctx, rule(g, object{"remote_group_id": id(g)})).status).To(Equal(http.StatusCreated))
		found := groups.found(ctx, url.Values{"id": {id(g)}})
		Expect(found).To(HaveLen(1))
		Expect(found[0]["security_group_rules"]).To(ContainElement(And(HaveKeyWithValue("remote_group_id", g["id"]), HaveKeyWithValue("port_range_min", 22.0))))
	})
	behaviour("cannot go while a port has them", "neutron/extensions/securitygroup.py, SecurityGroupInUse", func(ctx SpecContext) {
		g := group(ctx)
		shared.port(ctx, object{"security_groups": list{id(g)}})
		Expect(cloud.delete(ctx, network, groups.path+"/"+id(g))).To(refusal(http.StatusConflict, "SecurityGroupInUse"))
	})
	behaviour("may have the same name", "network-api-ref: Create security group", func(ctx SpecContext) {
		same := name("group")
		groups.make(ctx, object{"name": same})
		groups.make(ctx, object{"name": same})
	})
	behaviour("refuse a range of ports that ends before it begins", "neutron/extensions/securitygroup.py, SecurityGroupInvalidPortRange", func(ctx SpecContext) {
		Expect(rules.try(ctx, rule(group(ctx), object{"port_range_max": 21})).status).To(Equal(http.StatusBadRequest))
	})
	behaviour("refuse ports for a rule without a protocol", "neutron/extensions/securitygroup.py, SecurityGroupProtocolRequiredWithPorts", func(ctx SpecContext) {
		Expect(rules.try(ctx, rule(group(ctx), object{"protocol": nil})).status).To(Equal(http.StatusBadRequest))
	})
})

var _ = Describe("Floating IPs", func() {
	behaviour("lead to the port that is named when they are made", "network-api-ref: Create floating IP", func(ctx SpecContext) {
		p := newPlace(ctx)
		p.routed(ctx)
		port := p.port(ctx, nil)
		ip := floatingIPs.make(ctx, object{"floating_network_id": offer.external, "port_id": id(port), "description": name("fip")})
		Expect(ip).To(And(HaveKeyWithValue("port_id", port["id"]), HaveKeyWithValue("floating_ip_address", Not(BeEmpty()))))
		Expect(values(floatingIPs.found(ctx, url.Values{"port_id": {id(port)}}), "id")).To(ConsistOf(ip["id"]))
	})
	behaviour("cannot lead where no router goes", "neutron-lib exceptions l3, ExternalGatewayForFloatingIPNotFound", func(ctx SpecContext) {
		port := shared.port(ctx, nil)
		got := floatingIPs.try(ctx, object{"floating_network_id": offer.external, "port_id": id(port), "description": name("fip")})
		Expect(got).To(refusal(http.StatusNotFound, "ExternalGatewayForFloatingIPNotFound"))
	})
	behaviour("cannot lead to a port that has one already", "neutron-lib exceptions l3, FloatingIPPortAlreadyAssociated", func(ctx SpecContext) {
		p := newPlace(ctx)
		p.routed(ctx)
		port := p.port(ctx, nil)
		fields := object{"floating_network_id": offer.external, "port_id": id(port), "description": name("fip")}
		floatingIPs.make(ctx, fields)
		Expect(floatingIPs.try(ctx, fields)).To(refusal(http.StatusConflict, "FloatingIPPortAlreadyAssociated"))
	})
	behaviour("stay when their port goes, and lead nowhere then", "neutron/db/l3_db.py, disassociate_floatingips", func(ctx SpecContext) {
		p := newPlace(ctx)
		p.routed(ctx)
		port := p.port(ctx, nil)
		ip := floatingIPs.make(ctx, object{"floating_network_id": offer.external, "port_id": id(port), "description": name("fip")})
		ports.end(ctx, id(port))
		Expect(floatingIPs.field(ctx, id(ip), "port_id")()).To(BeNil())
	})
	behaviour("can be led to a port and nowhere again", "network-api-ref: Update floating IP", func(ctx SpecContext) {
		p := newPlace(ctx)
		p.routed(ctx)
		port := p.port(ctx, nil)
		ip := floatingIPs.make(ctx, object{"floating_network_id": offer.external, "description": name("fip")})
		lead := func(to any) any {
			return cloud.put(ctx, network, floatingIPs.path+"/"+id(ip), object{"floatingip": object{"port_id": to}}).object("floatingip")["port_id"]
		}
		Expect(lead(id(port))).To(Equal(port["id"]))
		Expect(lead(nil)).To(BeNil())
	})
	behaviour("hold their router's interface", "neutron-lib exceptions l3, RouterInterfaceInUseByFloatingIP", func(ctx SpecContext) {
		p := newPlace(ctx)
		router := p.routed(ctx)
		floatingIPs.make(ctx, object{"floating_network_id": offer.external, "port_id": id(p.port(ctx, nil)), "description": name("fip")})
		got := cloud.put(ctx, network, "/routers/"+id(router)+"/remove_router_interface", object{"subnet_id": p.subnet["id"]})
		Expect(got).To(refusal(http.StatusConflict, "RouterInterfaceInUseByFloatingIP"))
	})
	behaviour("come only from networks that are external", "neutron/db/l3_db.py, create_floatingip", func(ctx SpecContext) {
		got := floatingIPs.try(ctx, object{"floating_network_id": id(shared.network)})
		Expect(got.status).To(Equal(http.StatusBadRequest), got.String())
	})
})

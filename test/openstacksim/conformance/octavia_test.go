package conformance

import (
	"maps"
	"net/http"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Load balancers", func() {
	active := func(ctx SpecContext, lb object) object {
		GinkgoHelper()
		Eventually(loadBalancers.field(ctx, id(lb), "provisioning_status")).WithContext(ctx).Should(Equal("ACTIVE"))
		return loadBalancers.show(ctx, id(lb)).object("loadbalancer")
	}
	fields := func(more object) object {
		f := object{"name": name("lb"), "vip_subnet_id": id(shared.subnet)}
		maps.Copy(f, more)
		return f
	}
	tree := object{"listeners": list{object{"name": name("listener"), "protocol": "TCP", "protocol_port": 6443,
		"default_pool": object{"name": name("pool"), "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN",
			"healthmonitor": object{"type": "TCP", "delay": 10, "timeout": 5, "max_retries": 3},
			"members":       list{object{"name": "m", "address": "10.71.0.9", "protocol_port": 6443}}}}}}
	plain := func(ctx SpecContext) object {
		GinkgoHelper()
		return active(ctx, loadBalancers.make(ctx, fields(nil)))
	}
	whole := func(ctx SpecContext) (lb, listener, pool object) {
		GinkgoHelper()
		lb = active(ctx, loadBalancers.make(ctx, fields(tree)))
		of := url.Values{"loadbalancer_id": {id(lb)}}
		return lb, only(listeners.found(ctx, of)), only(pools.found(ctx, of))
	}
	members := func(pool object) kind {
		return kind{balance, "/lbaas/pools/" + id(pool) + "/members", "member", "members"}
	}

	behaviour("are made by one request with all that is below them", "load-balancer-api-ref: Creating a Fully Populated Load Balancer", func(ctx SpecContext) {
		_, listener, pool := whole(ctx)
		Expect(listener).To(And(HaveKeyWithValue("protocol_port", 6443.0), HaveKeyWithValue("default_pool_id", pool["id"])))
		Expect(pool["healthmonitor_id"]).NotTo(BeNil())
		Expect(members(pool).found(ctx, nil)).To(ConsistOf(HaveKeyWithValue("address", "10.71.0.9")))
	})
	behaviour("begin as PENDING_CREATE and take no change until they are ACTIVE", "load-balancer-api-ref: Provisioning status codes; octavia/common/exceptions.py, ImmutableObject", func(ctx SpecContext) {
		lb := loadBalancers.make(ctx, fields(nil))
		Expect(lb["provisioning_status"]).To(Equal("PENDING_CREATE"))
		got := listeners.try(ctx, object{"loadbalancer_id": id(lb), "protocol": "TCP", "protocol_port": 80})
		Expect(got).To(refusal(http.StatusConflict, "immutable"))
		Expect(cloud.delete(ctx, balance, loadBalancers.path+"/"+id(lb)+"?cascade=true").status).To(Equal(http.StatusConflict))
		active(ctx, lb)
	})
	behaviour("are found by their tags and in their project", "load-balancer-api-ref: Filtering by tags", func(ctx SpecContext) {
		tag := name("tag")
		lb := loadBalancers.make(ctx, fields(object{"tags": list{tag, "other-" + run}}))
		Expect(values(loadBalancers.found(ctx, url.Values{"tags": {tag}, "project_id": {cloud.project}}), "id")).To(ConsistOf(lb["id"]))
		Expect(loadBalancers.found(ctx, url.Values{"tags": {tag[:len(tag)-1]}})).To(BeEmpty())
		active(ctx, lb)
	})
	behaviour("have a port for their address, that goes with them", "load-balancer-api-ref: Create a Load Balancer, vip_port_id", func(ctx SpecContext) {
		lb := plain(ctx)
		port := ports.show(ctx, lb["vip_port_id"].(string)).object("port")
		Expect(port).To(And(HaveKeyWithValue("device_owner", "Octavia"), HaveKeyWithValue("device_id", "lb-"+id(lb))))
		loadBalancers.end(ctx, id(lb))
		Eventually(func() int { return ports.show(ctx, id(port)).status }).WithContext(ctx).Should(Equal(http.StatusNotFound))
	})
	behaviour("take the address that is asked for", "load-balancer-api-ref: Create a Load Balancer, vip_address", func(ctx SpecContext) {
		lb := active(ctx, loadBalancers.make(ctx, fields(object{"vip_address": "10.71.0.66"})))
		Expect(lb["vip_address"]).To(Equal("10.71.0.66"))
	})
	behaviour("cannot be made on a subnet that there is not", "octavia/api/v2/controllers/load_balancer.py, _validate_vip_request_object", func(ctx SpecContext) {
		got := loadBalancers.try(ctx, object{"name": name("lb"), "vip_subnet_id": "00000000-0000-0000-0000-000000000000"})
		Expect(got).To(refusal(http.StatusBadRequest, "Subnet"))
	})
	behaviour("with listeners go only with cascade", "load-balancer-api-ref: Remove a Load Balancer, cascade", func(ctx SpecContext) {
		lb, _, _ := whole(ctx)
		Expect(cloud.delete(ctx, balance, loadBalancers.path+"/"+id(lb)).status).To(Equal(http.StatusBadRequest))
		Expect(cloud.delete(ctx, balance, loadBalancers.path+"/"+id(lb)+"?cascade=true").status).To(Equal(http.StatusNoContent))
		Eventually(func() int { return loadBalancers.show(ctx, id(lb)).status }).WithContext(ctx).Should(Equal(http.StatusNotFound))
	})
	behaviour("are answered with 404 when they are not there", "load-balancer-api-ref: Show Load Balancer details", func(ctx SpecContext) {
		Expect(loadBalancers.show(ctx, "00000000-0000-0000-0000-000000000000")).To(absent())
	})
	behaviour("refuse a second listener for a port", "octavia/common/exceptions.py, DuplicateListenerEntry", func(ctx SpecContext) {
		lb, _, _ := whole(ctx)
		got := listeners.try(ctx, object{"loadbalancer_id": id(lb), "protocol": "TCP", "protocol_port": 6443})
		Expect(got.status).To(Equal(http.StatusConflict), got.String())
	})
	behaviour("become PENDING_UPDATE by a change below them, and ACTIVE again", "load-balancer-api-ref: Provisioning status codes", func(ctx SpecContext) {
		lb, listener, _ := whole(ctx)
		got := cloud.put(ctx, balance, listeners.path+"/"+id(listener), object{"listener": object{"allowed_cidrs": list{"10.0.0.0/8"}}})
		Expect(got.status).To(Equal(http.StatusOK), got.String())
		Expect(loadBalancers.field(ctx, id(lb), "provisioning_status")()).To(BeElementOf("PENDING_UPDATE", "ACTIVE"))
		active(ctx, lb)
		Expect(listeners.field(ctx, id(listener), "allowed_cidrs")()).To(ConsistOf("10.0.0.0/8"))
	})
	behaviour("let everybody in again when the allowed addresses are emptied", "load-balancer-api-ref: Update a Listener, allowed_cidrs", func(ctx SpecContext) {
		lb, listener, _ := whole(ctx)
		for _, cidrs := range []list{{"10.0.0.0/8"}, {}} {
			Expect(cloud.put(ctx, balance, listeners.path+"/"+id(listener), object{"listener": object{"allowed_cidrs": cidrs}}).status).To(Equal(http.StatusOK))
			active(ctx, lb)
		}
		Expect(listeners.field(ctx, id(listener), "allowed_cidrs")()).To(Or(BeNil(), BeEmpty()))
	})
	behaviour("have one monitor a pool", "octavia/common/exceptions.py, DuplicateHealthMonitor", func(ctx SpecContext) {
		_, _, pool := whole(ctx)
		got := monitors.try(ctx, object{"pool_id": id(pool), "type": "TCP", "delay": 10, "timeout": 5, "max_retries": 3})
		Expect(got.status).To(Equal(http.StatusConflict), got.String())
	})
	behaviour("have one member for an address and port of a pool", "octavia/common/exceptions.py, DuplicateMemberEntry", func(ctx SpecContext) {
		_, _, pool := whole(ctx)
		got := members(pool).try(ctx, object{"address": "10.71.0.9", "protocol_port": 6443})
		Expect(got.status).To(Equal(http.StatusConflict), got.String())
	})
	behaviour("get and lose members one by one", "load-balancer-api-ref: Create Member, Remove a Member", func(ctx SpecContext) {
		lb, _, pool := whole(ctx)
		got := members(pool).try(ctx, object{"address": "10.71.0.10", "protocol_port": 6443})
		Expect(got.status).To(Equal(http.StatusCreated), got.String())
		active(ctx, lb)
		Expect(cloud.delete(ctx, balance, members(pool).path+"/"+id(got.object("member"))).status).To(Equal(http.StatusNoContent))
		active(ctx, lb)
		Expect(members(pool).found(ctx, nil)).To(HaveLen(1))
	})
	behaviour("have all members of a pool replaced by one request, those that stay untouched", "load-balancer-api-ref: Batch Update Members", func(ctx SpecContext) {
		lb, _, pool := whole(ctx)
		stays := only(members(pool).found(ctx, nil))
		got := cloud.put(ctx, balance, members(pool).path, object{"members": list{
			object{"name": "m", "address": "10.71.0.9", "protocol_port": 6443}, object{"address": "10.71.0.11", "protocol_port": 6443}}})
		Expect(got.status).To(Equal(http.StatusAccepted), got.String())
		active(ctx, lb)
		now := members(pool).found(ctx, nil)
		Expect(values(now, "address")).To(ConsistOf("10.71.0.9", "10.71.0.11"))
		Expect(values(now, "id")).To(ContainElement(stays["id"]))
	})
	behaviour("keep a listener when its pool goes", "octavia/api/v2/controllers/pool.py, delete", func(ctx SpecContext) {
		lb, listener, pool := whole(ctx)
		Expect(cloud.delete(ctx, balance, pools.path+"/"+id(pool)).status).To(Equal(http.StatusNoContent))
		active(ctx, lb)
		Eventually(listeners.field(ctx, id(listener), "default_pool_id")).WithContext(ctx).Should(BeNil())
	})
	behaviour("may be made twice with one name", "load-balancer-api-ref: Create a Load Balancer, name", func(ctx SpecContext) {
		same := name("lb")
		first := loadBalancers.make(ctx, fields(object{"name": same}))
		second := loadBalancers.make(ctx, fields(object{"name": same}))
		active(ctx, first)
		active(ctx, second)
	})
	behaviour("have flavors that can be listed", "load-balancer-api-ref: List Flavors", func(ctx SpecContext) {
		Expect(cloud.get(ctx, balance, "/lbaas/flavors").body).To(HaveKey("flavors"))
	})
})

// only is the one that there is.
func only(found []object) object {
	GinkgoHelper()
	Expect(found).To(HaveLen(1))
	return found[0]
}

package conformance

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// server is the least that makes a server, on a port that is made for it.
func server(ctx SpecContext, more object) (fields, port object) {
	GinkgoHelper()
	port = shared.port(ctx, nil)
	fields = object{"name": name("server"), "flavorRef": offer.flavor, "imageRef": offer.image,
		"networks": list{object{"port": id(port)}}}
	if offer.zone != "" {
		fields["availability_zone"] = offer.zone
	}
	maps.Copy(fields, more)
	return fields, port
}

var _ = Describe("Servers", func() {
	made := func(ctx SpecContext, more object) (s, port object) {
		GinkgoHelper()
		fields, port := server(ctx, more)
		return servers.make(ctx, fields), port
	}
	nobody := "00000000-0000-0000-0000-000000000000"
	active := func(ctx SpecContext, s object) {
		GinkgoHelper()
		Eventually(servers.field(ctx, id(s), "status")).WithContext(ctx).Should(Equal("ACTIVE"))
	}

	behaviour("are promised with 202 and an ID, then built", "compute-api-ref: Create server", func(ctx SpecContext) {
		fields, _ := server(ctx, nil)
		got := servers.try(ctx, fields)
		Expect(got.status).To(Equal(http.StatusAccepted), got.String())
		s := got.object("server")
		Expect(servers.field(ctx, id(s), "status")()).To(BeElementOf("BUILD", "ACTIVE"))
		active(ctx, s)
	})
	behaviour("carry the tags of the call that makes them, and are found by them at once", "compute-api-ref: Create server, tags (2.52); List servers, tags", func(ctx SpecContext) {
		tag := name("tag")
		s, _ := made(ctx, object{"tags": list{tag, "other-" + run}})
		Expect(values(servers.found(ctx, url.Values{"tags": {tag}}), "id")).To(ConsistOf(s["id"]))
		Expect(servers.found(ctx, url.Values{"tags": {tag[:len(tag)-1]}})).To(BeEmpty())
		Expect(servers.field(ctx, id(s), "tags")()).To(ConsistOf(tag, "other-"+run))
	})
	behaviour("may have the same name", "compute-api-ref: Create server, name", func(ctx SpecContext) {
		same := name("server")
		made(ctx, object{"name": same})
		made(ctx, object{"name": same})
		Expect(servers.found(ctx, url.Values{"name": {same}})).To(HaveLen(2))
	})
	behaviour("own the ports that they are given", "compute-api-ref: Create server, networks.port; nova/network/neutron.py", func(ctx SpecContext) {
		s, port := made(ctx, nil)
		active(ctx, s)
		Expect(ports.field(ctx, id(port), "device_id")()).To(Equal(s["id"]))
		Expect(ports.field(ctx, id(port), "device_owner")()).To(HavePrefix("compute:"))
	})
	behaviour("show the addresses of their ports by the name of the network", "compute-api-ref: Show server details, addresses", func(ctx SpecContext) {
		s, port := made(ctx, nil)
		active(ctx, s)
		ip := port["fixed_ips"].(list)[0].(object)["ip_address"]
		Eventually(servers.field(ctx, id(s), "addresses")).WithContext(ctx).Should(ContainElement(ConsistOf(
			And(HaveKeyWithValue("addr", ip), HaveKeyWithValue("OS-EXT-IPS:type", "fixed")))))
	})
	behaviour("leave the ports that they were given when they go, free for another", "nova/network/neutron.py, _unbind_ports", func(ctx SpecContext) {
		s, port := made(ctx, nil)
		active(ctx, s)
		servers.end(ctx, id(s))
		Eventually(ports.field(ctx, id(port), "device_id")).WithContext(ctx).Should(BeEmpty())
	})
	behaviour("go with 204, and then a look at them says 404", "compute-api-ref: Delete server", func(ctx SpecContext) {
		s, _ := made(ctx, nil)
		active(ctx, s)
		Expect(cloud.delete(ctx, compute, "/servers/"+id(s)).status).To(Equal(http.StatusNoContent))
		Eventually(func() int { return servers.show(ctx, id(s)).status }).WithContext(ctx).Should(Equal(http.StatusNotFound))
		Expect(cloud.delete(ctx, compute, "/servers/"+id(s))).To(refusal(http.StatusNotFound, "itemNotFound"))
	})
	behaviour("that are not there are answered with 404 in JSON", "compute-api-ref: Faults", func(ctx SpecContext) {
		Expect(servers.show(ctx, nobody)).To(absent())
		Expect(cloud.delete(ctx, compute, "/servers/"+nobody)).To(absent())
	})
	behaviour("can go while they are being built", "compute-api-ref: Delete server, preconditions", func(ctx SpecContext) {
		s, _ := made(ctx, nil)
		Expect(cloud.delete(ctx, compute, "/servers/"+id(s)).status).To(Equal(http.StatusNoContent))
		Eventually(func() int { return servers.show(ctx, id(s)).status }).WithContext(ctx).Should(Equal(http.StatusNotFound))
	})
	behaviour("are told as DELETED by changes-since, and not otherwise", "compute-api-ref: List servers, changes-since", func(ctx SpecContext) {
		same := name("server")
		s, _ := made(ctx, object{"name": same})
		active(ctx, s)
		before := servers.field(ctx, id(s), "updated")().(string)
		servers.end(ctx, id(s))
		query := url.Values{"name": {same}}
		Expect(servers.found(ctx, query)).To(BeEmpty())
		query.Set("changes-since", before)
		Expect(servers.found(ctx, query)).To(ConsistOf(And(HaveKeyWithValue("id", s["id"]), HaveKeyWithValue("status", "DELETED"))))
	})
	behaviour("are told by changes-since with their tags once they are ACTIVE", "compute-api-ref: List servers, changes-since (2.26: tags)", func(ctx SpecContext) {
		tag := name("tag")
		s, _ := made(ctx, object{"tags": list{tag}})
		born := servers.field(ctx, id(s), "created")().(string)
		query := url.Values{"changes-since": {born}}
		told := And(HaveKeyWithValue("id", s["id"]), HaveKeyWithValue("status", "ACTIVE"), HaveKeyWithValue("tags", ConsistOf(tag)))
		Eventually(func() []object { return servers.found(ctx, query) }).WithContext(ctx).Should(ContainElement(told))
	})
	behaviour("stop and start", "compute-api-ref: Stop server (os-stop), Start server (os-start)", func(ctx SpecContext) {
		s, _ := made(ctx, nil)
		active(ctx, s)
		act := func(what string) int {
			return cloud.post(ctx, compute, "/servers/"+id(s)+"/action", object{what: nil}).status
		}
		Expect(act("os-stop")).To(Equal(http.StatusAccepted))
		Eventually(servers.field(ctx, id(s), "status")).WithContext(ctx).Should(Equal("SHUTOFF"))
		Expect(act("os-stop")).To(Equal(http.StatusConflict))
		Expect(act("os-start")).To(Equal(http.StatusAccepted))
		active(ctx, s)
	})
	behaviour("come in pages that link to the next", "compute-api-ref: Paginated collections", func(ctx SpecContext) {
		tag := name("tag")
		for range 2 {
			made(ctx, object{"tags": list{tag}})
		}
		first := cloud.get(ctx, compute, "/servers/detail?limit=1&tags="+tag)
		Expect(first.objects("servers")).To(HaveLen(1))
		Expect(servers.next(first)).NotTo(BeEmpty())
		Expect(servers.found(ctx, url.Values{"limit": {"1"}, "tags": {tag}})).To(HaveLen(2))
	})
	behaviour("show their volume, flavor and zone without further requests", "compute-api-ref: Show server details (2.47: flavor embedded)", func(ctx SpecContext) {
		s, _ := made(ctx, nil)
		active(ctx, s)
		shown := servers.show(ctx, id(s)).object("server")
		Expect(shown["flavor"]).To(And(HaveKey("original_name"), HaveKey("vcpus")))
		Expect(shown).To(HaveKeyWithValue("OS-EXT-AZ:availability_zone", Not(BeEmpty())))
		Expect(shown).To(HaveKey("os-extended-volumes:volumes_attached"))
	})

	refused := func(text, source string, status int, says string, change object) {
		behaviour(text, source, func(ctx SpecContext) {
			fields, _ := server(ctx, change)
			Expect(servers.try(ctx, fields)).To(refusal(status, says))
		})
	}
	refused("with an image that there is not are refused", "nova/api/openstack/compute/servers.py, create: ImageNotFound", http.StatusBadRequest, "image", object{"imageRef": nobody})
	refused("with a flavor that there is not are refused", "nova/api/openstack/compute/servers.py, create: FlavorNotFound", http.StatusBadRequest, "lavor", object{"flavorRef": nobody})
	refused("with a port that there is not are refused", "nova/api/openstack/compute/servers.py, create: PortNotFound", http.StatusBadRequest, "Port", object{"networks": list{object{"port": nobody}}})
	refused("with a key pair that there is not are refused", "nova/compute/api.py: Invalid key_name provided", http.StatusBadRequest, "key_name", object{"key_name": "none-" + run})
	refused("with a zone that there is not are refused", "nova/compute/api.py, parse_availability_zone", http.StatusBadRequest, "availability zone", object{"availability_zone": "none-" + run})
	refused("with a tag of more than 60 characters are refused", "nova/objects/tag.py, MAX_TAG_LENGTH; schema server_tags", http.StatusBadRequest, "too long", object{"tags": list{strings.Repeat("x", 61)}})
	refused("with a comma in a tag are refused", "nova/api/validation/parameter_types.py, tag", http.StatusBadRequest, "does not match", object{"tags": list{"a,b"}})
	refused("with user data that is not base64 are refused", "nova/api/openstack/compute/schemas/servers.py, user_data", http.StatusBadRequest, "user_data", object{"user_data": "not base64!"})
	refused("with more than 65535 characters of user data are refused", "nova/api/openstack/compute/schemas/servers.py, user_data", http.StatusBadRequest, "user_data",
		object{"user_data": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 49152)))})
	refused("with metadata of more than 255 characters are refused", "nova/api/validation/parameter_types.py, metadata", http.StatusBadRequest, "too long", object{"metadata": object{"k": strings.Repeat("x", 256)}})

	behaviour("with a port that another server has are refused", "nova/network/neutron.py: PortInUse", func(ctx SpecContext) {
		s, port := made(ctx, nil)
		active(ctx, s)
		fields, _ := server(ctx, object{"networks": list{object{"port": id(port)}}})
		Expect(servers.try(ctx, fields)).To(refusal(http.StatusConflict, "Port"))
	})
	behaviour("in a group that there is not are refused", "nova/compute/api.py, _get_requested_instance_group", func(ctx SpecContext) {
		fields, _ := server(ctx, nil)
		got := cloud.post(ctx, compute, "/servers", object{"server": fields, "os:scheduler_hints": object{"group": nobody}})
		Expect(got.status).To(Equal(http.StatusBadRequest), got.String())
	})
	behaviour("that have to be apart and cannot are in ERROR, with the reason as their fault", "nova/scheduler, ServerGroupAntiAffinityFilter; compute-api-ref: Show server details, fault", func(ctx SpecContext) {
		if offer.zone == "" {
			offer.zone = anyZone(ctx)
			DeferCleanup(func() { offer.zone = "" })
		}
		got := cloud.post(ctx, compute, "/os-server-groups", object{"server_group": object{"name": name("group"), "policies": list{"anti-affinity"}}})
		Expect(got.status).To(Equal(http.StatusOK), got.String())
		group := got.object("server_group")
		DeferCleanup(func(ctx SpecContext) { cloud.delete(ctx, compute, "/os-server-groups/"+id(group)) })
		var last object
		for range 4 { // no zone of these clouds has so many hosts
			fields, _ := server(ctx, nil)
			got := cloud.post(ctx, compute, "/servers", object{"server": fields, "os:scheduler_hints": object{"group": id(group)}})
			Expect(got.status).To(Equal(http.StatusAccepted), got.String())
			s := got.object("server")
			DeferCleanup(func(ctx SpecContext) { servers.end(ctx, id(s)) })
			last = s
			Eventually(servers.field(ctx, id(last), "status")).WithContext(ctx).Should(BeElementOf("ACTIVE", "ERROR"))
			if servers.field(ctx, id(last), "status")() == "ERROR" {
				break
			}
		}
		Expect(servers.field(ctx, id(last), "fault")()).To(HaveKeyWithValue("message", ContainSubstring("No valid host")))
	})
})

// anyZone is a zone for servers.
func anyZone(ctx SpecContext) string {
	GinkgoHelper()
	zones := cloud.get(ctx, compute, "/os-availability-zone").objects("availabilityZoneInfo")
	Expect(zones).NotTo(BeEmpty())
	return zones[0]["zoneName"].(string)
}

var _ = Describe("Nova", func() {
	behaviour("tells its zones and whether they are available", "compute-api-ref: Get availability zone information", func(ctx SpecContext) {
		zones := cloud.get(ctx, compute, "/os-availability-zone").objects("availabilityZoneInfo")
		Expect(zones).To(ContainElement(And(HaveKeyWithValue("zoneName", Not(BeEmpty())), HaveKeyWithValue("zoneState", HaveKeyWithValue("available", true)))))
	})
	behaviour("refuses a microversion that it does not have with 406", "compute-api-guide: Microversions", func(ctx SpecContext) {
		got := cloud.send(ctx, http.MethodGet, cloud.url(compute, "/servers"), nil, "OpenStack-API-Version", "compute 2.999")
		Expect(got.status).To(Equal(http.StatusNotAcceptable), got.String())
	})
	behaviour("tells which microversions it has", "compute-api-ref: API versions", func(ctx SpecContext) {
		got := cloud.get(ctx, compute, "/")
		Expect(got.object("version")).To(And(HaveKey("version"), HaveKey("min_version")))
	})
	behaviour("lists flavors with what they are", "compute-api-ref: List flavors with details", func(ctx SpecContext) {
		Expect(cloud.get(ctx, compute, "/flavors/detail").objects("flavors")).To(HaveEach(And(HaveKey("name"), HaveKey("vcpus"), HaveKey("ram"), HaveKey("disk"))))
	})
	behaviour("answers 404 for a flavor that there is not", "compute-api-ref: Show flavor details", func(ctx SpecContext) {
		Expect(cloud.get(ctx, compute, "/flavors/none-"+run)).To(refusal(http.StatusNotFound, "itemNotFound"))
	})
	behaviour("tells the project's limits and what is used of them", "compute-api-ref: Show rate and absolute limits", func(ctx SpecContext) {
		Expect(cloud.get(ctx, compute, "/limits").object("limits")).To(HaveKeyWithValue("absolute", And(
			HaveKey("maxTotalInstances"), HaveKey("totalInstancesUsed"), HaveKey("maxTotalCores"), HaveKey("totalRAMUsed"))))
	})
})

package conformance

import (
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// marked are Neutron's kinds that carry our mark as their description.
var _ = Describe("Neutron's resources", func() {
	for _, k := range []kind{networks, subnets, ports, routers, groups, floatingIPs} {
		fields := func(ctx SpecContext) object {
			switch k {
			case subnets:
				return object{"network_id": id(networks.make(ctx, object{"name": name("network")})), "ip_version": 4, "cidr": "10.72.0.0/24"}
			case ports:
				return object{"network_id": id(shared.network)}
			case floatingIPs:
				return object{"floating_network_id": offer.external}
			}
			return object{}
		}
		made := func(ctx SpecContext, mark string) object {
			GinkgoHelper()
			f := fields(ctx)
			f["description"] = mark
			if k != floatingIPs {
				f["name"] = name(k.one)
			}
			return k.make(ctx, f)
		}
		behaviour(k.many+" take a description when they are made, and are found by it, whole", "network-api-ref: "+k.many+", filtering", func(ctx SpecContext) {
			mark := name("mark")
			one := made(ctx, mark)
			Expect(values(k.found(ctx, url.Values{"description": {mark}}), "id")).To(ConsistOf(one["id"]))
			Expect(k.found(ctx, url.Values{"description": {mark[:len(mark)-1]}})).To(BeEmpty())
		})
		behaviour(k.many+" are found within a project", "network-api-ref: "+k.many+", project_id", func(ctx SpecContext) {
			mark := name("mark")
			one := made(ctx, mark)
			Expect(one["project_id"]).To(Equal(cloud.project))
			Expect(values(k.found(ctx, url.Values{"description": {mark}, "project_id": {cloud.project}}), "id")).To(ConsistOf(one["id"]))
			Expect(k.found(ctx, url.Values{"description": {mark}, "project_id": {strings.Repeat("0", 32)}})).To(BeEmpty())
		})
		behaviour(k.many+" are found by their tags", "network-api-ref: Standard attributes tag extension", func(ctx SpecContext) {
			mark, red, blue := name("mark"), "red-"+run, "blue-"+run
			both, one := made(ctx, mark), made(ctx, mark)
			Expect(cloud.put(ctx, network, k.path+"/"+id(both)+"/tags", object{"tags": list{red, blue}}).status).To(Equal(http.StatusOK))
			Expect(cloud.put(ctx, network, k.path+"/"+id(one)+"/tags", object{"tags": list{red}}).status).To(Equal(http.StatusOK))
			by := func(filter, value string) []any {
				return values(k.found(ctx, url.Values{"description": {mark}, filter: {value}}), "id")
			}
			Expect(by("tags", red)).To(ConsistOf(both["id"], one["id"]))
			Expect(by("tags", red+","+blue)).To(ConsistOf(both["id"]))
			Expect(by("tags-any", blue+","+red)).To(ConsistOf(both["id"], one["id"]))
			Expect(by("not-tags", blue)).To(ConsistOf(one["id"]))
			Expect(by("not-tags-any", red+","+blue)).To(BeEmpty())
		})
		behaviour(k.many+" that are not there are answered with 404 in JSON", "network-api-ref: response codes", func(ctx SpecContext) {
			Expect(k.show(ctx, "00000000-0000-0000-0000-000000000000")).To(absent())
			Expect(cloud.delete(ctx, network, k.path+"/00000000-0000-0000-0000-000000000000")).To(absent())
		})
	}
	behaviour("may have the same name: a name proves nothing", "network-api-ref: Networks, name", func(ctx SpecContext) {
		same := name("network")
		networks.make(ctx, object{"name": same})
		networks.make(ctx, object{"name": same})
		Expect(networks.found(ctx, url.Values{"name": {same}})).To(HaveLen(2))
	})
	behaviour("have descriptions of at most 255 characters", "neutron_lib/db/constants.py, DESCRIPTION_FIELD_SIZE", func(ctx SpecContext) {
		networks.make(ctx, object{"name": name("network"), "description": strings.Repeat("x", 255)})
		Expect(networks.try(ctx, object{"name": name("network"), "description": strings.Repeat("x", 256)})).To(refusal(http.StatusBadRequest, "description"))
	})
	behaviour("refuse attributes that they do not know", "neutron_lib/api/attributes.py, verify_attributes", func(ctx SpecContext) {
		Expect(networks.try(ctx, object{"name": name("network"), "colour": "red"})).To(refusal(http.StatusBadRequest, "colour"))
	})
	behaviour("refuse filters that they do not know", "network-api-ref: Filter Validation extension", func(ctx SpecContext) {
		Expect(cloud.get(ctx, network, "/networks?colour=red")).To(refusal(http.StatusBadRequest, "colour"))
	})
	behaviour("come in pages that link to the next", "network-api-ref: Pagination", func(ctx SpecContext) {
		mark := name("mark")
		for range 3 {
			networks.make(ctx, object{"name": name("network"), "description": mark})
		}
		first := cloud.get(ctx, network, "/networks?limit=2&description="+mark)
		Expect(first.objects("networks")).To(HaveLen(2))
		Expect(networks.next(first)).NotTo(BeEmpty())
		Expect(networks.found(ctx, url.Values{"limit": {"2"}, "description": {mark}})).To(HaveLen(3))
	})
	behaviour("count their changes, and refuse one that is meant for another state", "network-api-ref: Revisions; If-Match", func(ctx SpecContext) {
		one := networks.make(ctx, object{"name": name("network")})
		path := "/networks/" + id(one)
		was := one["revision_number"].(float64)
		now := cloud.put(ctx, network, path, object{"network": object{"description": "b"}}).object("network")["revision_number"].(float64)
		Expect(now).To(BeNumerically(">", was))
		stale := cloud.send(ctx, http.MethodPut, cloud.url(network, path), object{"network": object{"description": "c"}}, "If-Match", "revision_number=0")
		Expect(stale).To(refusal(http.StatusPreconditionFailed, "Revision"))
	})
	behaviour("are made several in one request, all or none", "network-api-ref: Bulk create ports", func(ctx SpecContext) {
		p, mark := shared, name("mark")
		one := p.portFields(object{"description": mark})
		got := cloud.post(ctx, network, "/ports", object{"ports": list{one, p.portFields(object{"description": mark, "fixed_ips": list{object{"ip_address": "10.99.0.1"}}})}})
		Expect(got.status).To(BeNumerically(">=", 400), got.String())
		Expect(ports.found(ctx, url.Values{"description": {mark}})).To(BeEmpty())
		got = cloud.post(ctx, network, "/ports", object{"ports": list{one, one}})
		Expect(got.status).To(Equal(http.StatusCreated), got.String())
		for _, port := range got.objects("ports") {
			DeferCleanup(func(ctx SpecContext) { ports.end(ctx, id(port)) })
		}
		Expect(ports.found(ctx, url.Values{"description": {mark}})).To(HaveLen(2))
	})
})

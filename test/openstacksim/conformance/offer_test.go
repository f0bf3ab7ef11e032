package conformance

import (
	"context"
	"maps"
	"net/url"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// offer is what the cloud has for its users.
var offer struct {
	external string // network with floating IPs
	flavor   string // of servers that need not boot
	image    string
	zone     string // where such servers run; empty: anywhere
}

// seen looks what the cloud has. On the development cloud the servers of the suite
// go to the compute that only pretends: conformance is about what the API tells.
func seen(ctx context.Context) (o struct{ external, flavor, image, zone string }) {
	GinkgoHelper()
	external := networks.found(ctx, url.Values{"router:external": {"true"}})
	Expect(external).NotTo(BeEmpty(), "the cloud has an external network")
	o.external = id(external[0])
	all := cloud.get(ctx, compute, "/flavors/detail").objects("flavors")
	Expect(all).NotTo(BeEmpty(), "the cloud has a flavor")
	o.flavor = id(all[0])
	for _, f := range all {
		if f["name"] == "m1.fake" {
			o.flavor, o.zone = id(f), "fake"
		}
	}
	o.zone = envOr("CAPOK_CONFORMANCE_ZONE", o.zone)
	found := images.found(ctx, url.Values{"status": {"active"}})
	Expect(found).NotTo(BeEmpty(), "the cloud has an image")
	o.image = id(found[0])
	return o
}

func envOr(variable, otherwise string) string {
	if value := os.Getenv(variable); value != "" {
		return value
	}
	return otherwise
}

// place is a network with a subnet.
type place struct{ network, subnet object }

// shared is for behaviours that leave the place itself as it is: on a real cloud
// a network of its own takes each some seconds.
var shared place

// newPlace makes a network with a subnet. Nothing is sent through it.
func newPlace(ctx context.Context) place {
	GinkgoHelper()
	var p place
	p.network = networks.make(ctx, object{"name": name("network")})
	p.subnet = subnets.make(ctx, object{"name": name("subnet"), "network_id": id(p.network), "ip_version": 4, "cidr": "10.71.0.0/24"})
	return p
}

// port makes a port in the place, with further fields.
func (p place) port(ctx context.Context, more object) object {
	GinkgoHelper()
	return ports.make(ctx, p.portFields(more))
}

func (p place) portFields(more object) object {
	fields := object{"name": name("port"), "network_id": id(p.network)}
	maps.Copy(fields, more)
	return fields
}

// routed puts a router between the place and the external network.
func (p place) routed(ctx context.Context) object {
	GinkgoHelper()
	router := routers.make(ctx, object{"name": name("router"), "external_gateway_info": object{"network_id": offer.external}})
	path := routers.path + "/" + id(router)
	got := cloud.put(ctx, network, path+"/add_router_interface", object{"subnet_id": p.subnet["id"]})
	Expect(got.status).To(Equal(200), got.String())
	DeferCleanup(func(ctx SpecContext) {
		cloud.put(ctx, network, path+"/remove_router_interface", object{"subnet_id": p.subnet["id"]})
	})
	return router
}

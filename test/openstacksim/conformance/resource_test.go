package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// run tells this run's things from those of others; no more than a real cloud's
// other users should have to bear.
var run = fmt.Sprintf("%06x", rand.IntN(1<<24))

const prefix = "capok-conformance-"

var named atomic.Int32

// name is a new one of this run.
func name(kind string) string { return fmt.Sprintf("%s%s-%s-%d", prefix, run, kind, named.Add(1)) }

// kind is a kind of resource: where it is and what the bodies call it.
type kind struct{ service, path, one, many string }

var (
	servers       = kind{compute, "/servers", "server", "servers"}
	networks      = kind{network, "/networks", "network", "networks"}
	subnets       = kind{network, "/subnets", "subnet", "subnets"}
	ports         = kind{network, "/ports", "port", "ports"}
	routers       = kind{network, "/routers", "router", "routers"}
	groups        = kind{network, "/security-groups", "security_group", "security_groups"}
	rules         = kind{network, "/security-group-rules", "security_group_rule", "security_group_rules"}
	floatingIPs   = kind{network, "/floatingips", "floatingip", "floatingips"}
	loadBalancers = kind{balance, "/lbaas/loadbalancers", "loadbalancer", "loadbalancers"}
	listeners     = kind{balance, "/lbaas/listeners", "listener", "listeners"}
	pools         = kind{balance, "/lbaas/pools", "pool", "pools"}
	monitors      = kind{balance, "/lbaas/healthmonitors", "healthmonitor", "healthmonitors"}
	volumes       = kind{storage, "/volumes", "volume", "volumes"}
	images        = kind{imaging, "/images", "image", "images"}
)

// try asks for a new resource; if it is made, it ends with the behaviour.
func (k kind) try(ctx context.Context, fields object) answer {
	GinkgoHelper()
	got := cloud.post(ctx, k.service, k.path, object{k.one: fields})
	if got.status < http.StatusMultipleChoices {
		made := got.object(k.one)
		DeferCleanup(func(ctx SpecContext) { k.end(ctx, id(made)) })
	}
	return got
}

// make makes a resource.
func (k kind) make(ctx context.Context, fields object) object {
	GinkgoHelper()
	got := k.try(ctx, fields)
	Expect(got.status).To(BeElementOf(http.StatusOK, http.StatusCreated, http.StatusAccepted), got.String())
	return got.object(k.one)
}

// end deletes a resource, as soon as nothing holds it, and waits until a GET says 404.
func (k kind) end(ctx context.Context, id string) {
	GinkgoHelper()
	query := map[kind]string{loadBalancers: "?cascade=true"}[k]
	Eventually(func() int {
		if got := cloud.get(ctx, k.service, k.path+"/"+id); got.status == http.StatusNotFound {
			return got.status
		}
		return cloud.delete(ctx, k.service, k.path+"/"+id+query).status
	}).WithContext(ctx).Should(Equal(http.StatusNotFound), k.one+" "+id+" goes")
}

// show looks a resource up.
func (k kind) show(ctx context.Context, id string) answer {
	GinkgoHelper()
	return cloud.get(ctx, k.service, k.path+"/"+id)
}

// field is one field of a resource as it is now.
func (k kind) field(ctx context.Context, id, field string) func() any {
	return func() any {
		GinkgoHelper()
		return k.show(ctx, id).object(k.one)[field]
	}
}

// found lists what a query finds, all pages of it.
func (k kind) found(ctx context.Context, query url.Values) []object {
	GinkgoHelper()
	path := k.path
	if k == servers || k == volumes {
		path += "/detail"
	}
	var all []object
	got := cloud.get(ctx, k.service, path+"?"+query.Encode())
	for {
		Expect(got.status).To(Equal(http.StatusOK), got.String())
		all = append(all, got.objects(k.many)...)
		next := k.next(got)
		if next == "" {
			return all
		}
		got = cloud.send(ctx, http.MethodGet, next, nil)
	}
}

// next is the URL of the page after an answer: Glance has one "next", the others
// a list of links.
func (k kind) next(a answer) string {
	if next, one := a.body["next"].(string); one {
		return strings.TrimSuffix(cloud.urls[k.service], "/v2") + next
	}
	links, _ := a.body[k.many+"_links"].(list)
	for _, l := range links {
		if link := l.(object); link["rel"] == "next" {
			return link["href"].(string)
		}
	}
	return ""
}

// absent are answers that prove absence: 404 with a body that is JSON, which a proxy's
// own page is not. Glance's is none.
func absent() OmegaMatcher {
	return And(WithTransform(func(a answer) int { return a.status }, Equal(http.StatusNotFound)),
		WithTransform(func(a answer) object { return a.body }, Not(BeEmpty())))
}

// leftovers are the names of this run's things that are still there.
func leftovers(ctx context.Context) []string {
	GinkgoHelper()
	var left []string
	for _, k := range []kind{servers, networks, subnets, ports, routers, groups, loadBalancers, volumes} {
		for _, o := range k.found(ctx, nil) {
			if text, _ := o["name"].(string); strings.HasPrefix(text, prefix+run) {
				left = append(left, k.one+" "+text)
			}
		}
	}
	for _, o := range floatingIPs.found(ctx, nil) {
		if text, _ := o["description"].(string); strings.HasPrefix(text, prefix+run) {
			left = append(left, "floatingip "+text)
		}
	}
	return left
}

// refusal matches an answer by its status and a text in its body.
func refusal(status int, text string) OmegaMatcher {
	return And(WithTransform(func(a answer) int { return a.status }, Equal(status)),
		WithTransform(func(a answer) string { return a.text }, ContainSubstring(text)))
}

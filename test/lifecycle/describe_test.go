package lifecycle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

// describe says what is in the cloud and in our objects, with names instead of
// IDs, addresses and marks, so that two lives can be compared.
func (w *world) describe() string {
	w.Helper()
	d := description{world: w, names: map[string]string{}}
	d.cloud()
	d.objects()
	lines := make([]string, len(d.things))
	for i, t := range d.things {
		lines[i] = d.text([]any{t.kind, t.value})
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

type description struct {
	world  *world
	things []thing
	names  map[string]string // of IDs and addresses
}

type thing struct {
	kind  string
	value any
}

// unimportant is what differs between two lives that are the same.
var unimportant = []string{
	"id", "ID", "ProjectID", "UserID", "project_id", "tenant_id", "created_at", "updated_at", "revision_number", "mac_address",
	"Created", "Updated", "Launched", "Host", "binding:host_id", "UserData", "allocation_pools", "lastTransitionTime", "observedGeneration",
	"message", // its reason tells enough; how far a request came is told in many words
}

func collect[T any](d *description, kind string, all []T, idAndName func(T) []string) {
	for _, one := range all {
		names := idAndName(one)
		d.names[names[0]] = kind + "/" + names[1]
		d.things = append(d.things, thing{kind, one})
	}
}

func (d *description) cloud() {
	c := d.world.cloud
	collect(d, "server", c.Servers(""), func(s openstacksim.Server) []string { return []string{s.ID, s.Name} })
	collect(d, "network", c.Networks(""), func(n openstacksim.Network) []string { return []string{n.ID, n.Name} })
	collect(d, "subnet", c.Subnets(""), func(s openstacksim.Subnet) []string { return []string{s.ID, s.Name} })
	collect(d, "router", c.Routers(""), func(r openstacksim.Router) []string { return []string{r.ID, r.Name} })
	collect(d, "volume", c.Volumes(""), func(v openstacksim.Volume) []string { return []string{v.ID, v.Name} })
	groups := slices.DeleteFunc(c.SecurityGroups(""), func(g openstacksim.SecurityGroup) bool {
		return g.Name == "default" // Neutron makes it at the first look
	})
	collect(d, "group", groups, func(g openstacksim.SecurityGroup) []string { return []string{g.ID, g.Name} })
	collect(d, "balancer", c.LoadBalancers(""), func(l openstacksim.LoadBalancer) []string { return []string{l.ID, l.Name} })
	collect(d, "listener", c.Listeners(""), func(l openstacksim.Listener) []string { return []string{l.ID, l.Name} })
	collect(d, "pool", c.Pools(""), func(p openstacksim.Pool) []string { return []string{p.ID, p.Name} })
	collect(d, "monitor", c.HealthMonitors(""), func(m openstacksim.HealthMonitor) []string { return []string{m.ID, m.Name} })
	collect(d, "floating IP", c.FloatingIPs(""), func(f openstacksim.FloatingIP) []string { return []string{f.ID, ""} })
	for _, g := range groups {
		collect(d, "rule", c.Rules(g.ID), func(r openstacksim.SecurityGroupRule) []string { return []string{r.ID, ""} })
	}
	for _, p := range c.Pools("") {
		collect(d, "member", c.Members(p.ID), func(m openstacksim.Member) []string { return []string{m.ID, m.Name} })
	}
	for _, f := range c.FloatingIPs("") {
		d.names[f.Address] = "floating address"
	}
	for _, p := range c.Ports("") {
		name := cmp.Or(p.Name, p.DeviceOwner)
		if p.DeviceOwner == "Octavia" {
			name = p.DeviceOwner // its name is an ID
		}
		collect(d, "port", []openstacksim.Port{p}, func(openstacksim.Port) []string { return []string{p.ID, name} })
		for _, ip := range p.FixedIPs {
			d.names[ip.IPAddress] = "address of " + name
		}
	}
}

// objects are those of ours, without what is only a time or a version.
func (d *description) objects() {
	clusters, machines := &infrav1.OpenStackClusterList{}, &infrav1.OpenStackMachineList{}
	d.world.list(clusters)
	d.world.list(machines)
	for _, c := range clusters.Items {
		d.names[c.Annotations[infrav1.MarkAnnotation]] = "the mark"
		d.names[c.Annotations[infrav1.ProjectAnnotation]] = "the project"
		d.things = append(d.things, thing{"OpenStackCluster", []any{c.Name, c.Annotations, c.Finalizers, c.Spec, c.Status}})
	}
	for _, m := range machines.Items {
		d.things = append(d.things, thing{"OpenStackMachine", []any{m.Name, m.Annotations, m.Finalizers, m.Spec, m.Status}})
	}
}

// named finds what has a name of ours: addresses, IDs (Keystone's have no
// dashes), marks.
var named = regexp.MustCompile(`\b(\d+\.\d+\.\d+\.\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|cx-[a-z0-9]{10})\b`)

func (d *description) text(value any) string {
	content, err := json.Marshal(value)
	d.world.must(err)
	content = named.ReplaceAllFunc(content, func(id []byte) []byte {
		return []byte(cmp.Or(d.names[string(id)], string(id)))
	})
	for i, namespace := range d.world.namespaces {
		content = bytes.ReplaceAll(content, []byte(namespace), fmt.Appendf(nil, "namespace%d", i))
	}
	var generic any
	d.world.must(json.Unmarshal(content, &generic))
	return canonical(generic)
}

// canonical writes JSON with sorted lists, one attribute a line, and without
// what is unimportant.
func canonical(value any) string {
	switch value := value.(type) {
	case map[string]any:
		var parts []string
		for key, v := range value {
			if !slices.Contains(unimportant, key) {
				parts = append(parts, key+"="+canonical(v))
			}
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, " ") + "}"
	case []any:
		var parts []string
		for _, v := range value {
			parts = append(parts, canonical(v))
		}
		slices.Sort(parts)
		return "[" + strings.Join(parts, " ") + "]"
	default:
		return fmt.Sprint(value)
	}
}

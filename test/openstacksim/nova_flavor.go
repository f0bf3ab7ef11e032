package openstacksim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Flavor is a size of servers.
type Flavor struct {
	ID    string
	Name  string
	VCPUs int
	RAM   int // MiB
	Disk  int // GiB
	Extra map[string]string
}

func (f *Flavor) ident() string { return f.ID }
func (f *Flavor) owner() string { return "" }
func (f *Flavor) label() string { return f.Name }

// shown is nova/api/openstack/compute/views/flavors.py, show.
func (f *Flavor) shown(minor int) map[string]any {
	shown := map[string]any{"id": f.ID, "name": f.Name, "vcpus": f.VCPUs, "ram": f.RAM, "disk": f.Disk, "swap": "",
		"OS-FLV-EXT-DATA:ephemeral": 0, "OS-FLV-DISABLED:disabled": false, "os-flavor-access:is_public": true, "rxtx_factor": 1.0,
		"links": []any{}}
	if minor >= 55 {
		shown["description"] = nil
	}
	if minor >= 61 {
		shown["extra_specs"] = f.Extra
	}
	if minor >= 75 {
		shown["swap"] = 0
	}
	return shown
}

// listFlavors pages in the order of flavorid and filters by least size
// (nova/api/openstack/compute/flavors.py, _get_flavors).
func (c *Cloud) listFlavors(q *request) (any, error) {
	rows := slices.Clone(c.compute.flavors.rows)
	for name, size := range map[string]func(*Flavor) int{
		"minRam": func(f *Flavor) int { return f.RAM }, "minDisk": func(f *Flavor) int { return f.Disk },
	} {
		text := q.query.Get(name)
		if text == "" {
			continue
		}
		least, err := strconv.Atoi(text)
		if err != nil {
			return nil, badServer("Invalid %s filter [%s]", name, text)
		}
		rows = slices.DeleteFunc(rows, func(f *Flavor) bool { return size(f) < least })
	}
	slices.SortFunc(rows, func(a, b *Flavor) int { return strings.Compare(a.ID, b.ID) })
	p, err := paged(c, q, rows)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, f := range p.rows {
		if strings.HasSuffix(q.URL.Path, "/detail") {
			list = append(list, f.shown(q.minor))
		} else {
			list = append(list, map[string]any{"id": f.ID, "name": f.Name, "links": []any{}})
		}
	}
	return withLinks("flavors", list, p.links()), nil
}

func (c *Cloud) flavor(q *request) (*Flavor, error) {
	f, ok := c.compute.flavors.get(q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Flavor %s could not be found.", q.id("id"))
	}
	return f, nil
}

func (c *Cloud) showFlavor(q *request) (any, error) {
	f, err := c.flavor(q)
	if err != nil {
		return nil, err
	}
	return wrap("flavor", f.shown(q.minor)), nil
}

func (c *Cloud) showExtraSpecs(q *request) (any, error) {
	f, err := c.flavor(q)
	if err != nil {
		return nil, err
	}
	return wrap("extra_specs", f.Extra), nil
}

// showExtraSpec is nova/api/openstack/compute/flavors_extraspecs.py, show.
func (c *Cloud) showExtraSpec(q *request) (any, error) {
	f, err := c.flavor(q)
	if err != nil {
		return nil, err
	}
	value, ok := f.Extra[q.id("key")]
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Flavor %s has no extra specs with key %s.", f.ID, q.id("key"))
	}
	return wrap(q.id("key"), value), nil
}

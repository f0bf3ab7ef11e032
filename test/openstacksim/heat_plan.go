package openstacksim

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// planStack puts the resources of a template in an order in which each comes
// after what it needs, and refuses what cannot be made (heat/engine/stack.py,
// validate).
func (c *Cloud) planStack(s *Stack) error {
	byName := map[string]*stackResource{}
	for _, name := range slices.Sorted(maps.Keys(s.template.Resources)) {
		r := &stackResource{Name: name, Action: "INIT", Status: complete, Updated: c.at, definition: s.template.Resources[name]}
		if err := c.checkDefinition(r); err != nil {
			return err
		}
		byName[name] = r
	}
	for _, r := range byName {
		if err := r.findNeeds(byName); err != nil {
			return err
		}
	}
	if err := s.order(byName); err != nil {
		return err
	}
	for _, r := range s.resources {
		if _, err := c.propertiesOf(s, r); err != nil {
			return err
		}
	}
	return nil
}

// checkDefinition refuses what is not simulated the way Heat refuses what it does
// not know (heat/engine/properties.py, validate). Types and properties are then
// in Unknown, as Heat may know them.
func (c *Cloud) checkDefinition(r *stackResource) error {
	d := r.definition
	if d == nil || d.Type == "" {
		return badTemplate("Each resource must contain a type key.")
	}
	kind, ok := stackKinds[d.Type]
	if !ok {
		c.journal.unknown = append(c.journal.unknown, "heat resource type "+d.Type)
		return badTemplate("The Resource Type (%s) could not be found.", d.Type)
	}
	if service := kind.service(c).name; c.without[service] {
		return refuse(http.StatusBadRequest, "ResourceTypeUnavailable", "HEAT-E99001 Service %s is not available for resource type %s, "+
			"reason: Required service %s not available.", service, d.Type, service)
	}
	if err := c.checkProperties(r, kind); err != nil {
		return err
	}
	if p := d.DeletionPolicy; p != nil && !d.retained() && !strings.EqualFold(*p, "delete") {
		return badTemplate("Invalid deletion policy \"%s\"", *p) // also Snapshot, which is not simulated
	}
	if d.Metadata == nil {
		d.Metadata = map[string]any{}
	}
	r.Type = d.Type
	return nil
}

func (c *Cloud) checkProperties(r *stackResource, kind *stackKind) error {
	given := r.definition.Properties
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(kind.properties, key) {
			c.journal.unknown = append(c.journal.unknown, "heat property "+key+" of "+r.definition.Type)
			return badTemplate("Property error: : resources.%s.properties: : Unknown Property %s", r.Name, key)
		}
	}
	for _, keys := range kind.required {
		isGiven := func(key string) bool { return given[key] != nil }
		if names := strings.Split(keys, "|"); !slices.ContainsFunc(names, isGiven) {
			return badTemplate("Property error: : resources.%s.properties: : Property %s not assigned", r.Name, names[0])
		}
	}
	return nil
}

// findNeeds finds the resources that must be there first: those named in the
// properties or in depends_on, and those of which Heat knows it, such as the
// subnets of a port. Heat takes only those of the same network.
func (r *stackResource) findNeeds(all map[string]*stackResource) error {
	r.needs = references(r.definition.Properties)
	for _, on := range asList(r.definition.DependsOn) {
		r.needs = append(r.needs, hotText(on))
	}
	for name, other := range all {
		if slices.Contains(stackKinds[r.Type].after, other.Type) {
			r.needs = append(r.needs, name)
		}
	}
	slices.Sort(r.needs)
	r.needs = slices.Compact(r.needs)
	for _, need := range r.needs {
		if _, ok := all[need]; !ok {
			return refuse(http.StatusBadRequest, "InvalidTemplateReference", `The specified reference "%s" (in %s) is incorrect.`, need, r.Name)
		}
	}
	return nil
}

// order fills the resources of the stack: again and again those whose needs are in.
func (s *Stack) order(all map[string]*stackResource) error {
	left := slices.Sorted(maps.Keys(all))
	for len(left) > 0 {
		before := len(left)
		left = slices.DeleteFunc(left, func(name string) bool {
			for _, need := range all[name].needs {
				if _, in := s.resource(need); !in {
					return false
				}
			}
			s.resources = append(s.resources, all[name])
			return true
		})
		if len(left) == before {
			return refuse(http.StatusBadRequest, "CircularDependencyException", "Circular Dependency Found: %s", strings.Join(left, ", "))
		}
	}
	return nil
}

// references are the resources that get_resource and get_attr name in a value.
func references(value any) []string {
	var found []string
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			found = append(found, references(item)...)
		}
	case map[string]any:
		for key, item := range v {
			if names := asList(item); len(v) == 1 && len(names) > 0 && (key == "get_resource" || key == "get_attr") {
				found = append(found, hotText(names[0]))
			}
			found = append(found, references(item)...)
		}
	}
	return found
}

package openstacksim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// propertiesOf are the properties of a resource as the API wants them: functions
// replaced by what they give, names by IDs, value_specs among the others.
func (c *Cloud) propertiesOf(s *Stack, r *stackResource) (map[string]any, error) {
	resolved, err := c.resolve(s, map[string]any(r.definition.Properties))
	if err != nil {
		return nil, err
	}
	named, err := c.replaceNames(s, r, resolved)
	if err != nil {
		return nil, err
	}
	properties, _ := named.(map[string]any)
	specs, _ := properties["value_specs"].(map[string]any)
	delete(properties, "value_specs")
	maps.Copy(properties, specs)
	maps.DeleteFunc(properties, func(_ string, value any) bool { return value == nil })
	return properties, nil
}

// replaceNames goes through a value and gives what names a resource its ID and
// the name that the API has for it.
func (c *Cloud) replaceNames(s *Stack, r *stackResource, value any) (any, error) {
	switch v := value.(type) {
	case []any:
		list := slices.Clone(v) // it may be the value of a parameter
		for i, item := range v {
			var err error
			if list[i], err = c.replaceNames(s, r, item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		replaced := map[string]any{}
		for key, item := range v {
			as, ok := stackKinds[r.Type].names[key]
			var err error
			switch {
			case ok:
				key = as.as
				item, err = c.replaceName(s, r, as, item)
			case key != "metadata" && key != "value_specs":
				item, err = c.replaceNames(s, r, item)
			}
			if err != nil {
				return nil, err
			}
			replaced[key] = item
		}
		return replaced, nil
	}
	return value, nil
}

// replaceName is the ID of what a property names, or the IDs of a list. What is
// not made yet has none; that is for the time when the template is checked.
func (c *Cloud) replaceName(s *Stack, r *stackResource, as naming, value any) (any, error) {
	if given, ok := value.([]any); ok {
		list := slices.Clone(given)
		for i, item := range given {
			var err error
			if list[i], err = c.replaceName(s, r, as, item); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	text, ok := value.(string)
	if !ok || text == "" {
		return value, nil
	}
	for _, t := range c.tables {
		found := ""
		t.each(func(other row) {
			if t.name() == as.kind && (other.ident() == text || other.label() == text) && c.sees(&request{project: s.ProjectID}, other) {
				found = other.ident()
			}
		})
		if found != "" {
			return found, nil
		}
	}
	return nil, badTemplate("Property error: : resources.%s.properties.%s: : Error validating value '%s': %s", r.Name, as.as, text, notThere(as.kind, text))
}

// notThere is neutronclient/v2_0/client.py, _find_resource_by_name, for what
// belongs to Neutron, and EntityNotFound of heat/common/exception.py.
func notThere(kind, name string) string {
	if kind == "image" || kind == "flavor" {
		return fmt.Sprintf("The %s (%s) could not be found.", strings.ToUpper(kind[:1])+kind[1:], name)
	}
	kind = strings.ReplaceAll(kind, "-", "_")
	return fmt.Sprintf("Unable to find %s with name or id '%s'", kind, name)
}

// stackAttributes are what get_attr gives of a resource; none before it is made.
func (c *Cloud) stackAttributes(s *Stack, r *stackResource) map[string]any {
	k := stackKinds[r.Type]
	if r.PhysicalID == "" || k.path == "" {
		return nil
	}
	body, err := c.within(s.caller(), k.service(c), "GET "+k.path+"/{id}", r.PhysicalID, nil)
	if err != nil {
		return nil
	}
	all := object(body, k.one)
	attributes := map[string]any{"show": all}
	for key, value := range all {
		if slices.Contains(k.attributes, key) {
			attributes[key] = value
		}
	}
	if addresses, ok := all["addresses"].(map[string]any); ok { // heat/engine/resources/openstack/nova/server.py, _resolve_attribute
		networks := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(addresses)) {
			ips := []any{}
			for _, a := range asList(addresses[name]) {
				ips = append(ips, walk(a, []any{"addr"}))
			}
			networks[name] = ips
			if attributes["first_address"] == nil && len(ips) > 0 {
				attributes["first_address"] = ips[0]
			}
		}
		attributes["networks"] = networks
	}
	return attributes
}

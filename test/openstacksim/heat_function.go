package openstacksim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// resolve replaces the functions in a value by what they give (HOT guide,
// "Intrinsic functions").
func (c *Cloud) resolve(s *Stack, value any) (any, error) {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = c.resolve(s, item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		resolved := map[string]any{}
		for key, item := range v {
			inner, err := c.resolve(s, item)
			if err != nil {
				return nil, err
			}
			if len(v) == 1 && slices.Contains(hotFunctions, key) {
				return c.call(s, key, inner)
			}
			resolved[key] = inner
		}
		return resolved, nil
	}
	return value, nil
}

// hotFunctions are those of heat/engine/hot/template.py.
var hotFunctions = []string{"get_param", "get_resource", "get_attr", "str_replace", "list_join", "get_file", "digest", "repeat", "resource_facade",
	"str_split", "map_merge", "map_replace", "equals", "if", "not", "and", "or", "filter", "yaql", "make_url", "list_concat", "list_concat_unique",
	"contains", "str_replace_strict", "str_replace_vstrict"}

// call is one function with its argument. Those that are not simulated are in Unknown.
func (c *Cloud) call(s *Stack, function string, argument any) (any, error) {
	path := asList(argument)
	if len(path) == 0 {
		return nil, badTemplate("The function %s has no arguments", function)
	}
	switch function {
	case "get_param":
		return s.getParam(path)
	case "get_resource":
		return s.getResource(argument)
	case "get_attr":
		return c.getAttr(s, path)
	case "str_replace":
		return strReplace(argument), nil
	case "list_join":
		return listJoin(path), nil
	}
	c.journal.unknown = append(c.journal.unknown, "heat function "+function)
	return nil, badTemplate("openstacksim does not simulate the function %s", function)
}

func (s *Stack) getParam(path []any) (any, error) {
	name := hotText(path[0])
	pseudo := map[string]any{"OS::stack_id": s.ID, "OS::stack_name": s.Name, "OS::project_id": s.ProjectID}
	if value, ok := pseudo[name]; ok {
		return value, nil
	}
	value, ok := s.Parameters[name]
	if !ok {
		return nil, refuse(http.StatusBadRequest, "UserParameterMissing", "The Parameter (%s) was not provided.", name)
	}
	return walk(value, path[1:]), nil
}

func (s *Stack) getResource(argument any) (any, error) {
	r, ok := s.resource(hotText(argument))
	if !ok {
		return nil, refuse(http.StatusBadRequest, "InvalidTemplateReference", `The specified reference "%v" (in unknown) is incorrect.`, argument)
	}
	return r.PhysicalID, nil
}

// getAttr is nil as long as the resource is not made.
func (c *Cloud) getAttr(s *Stack, path []any) (any, error) {
	r, ok := s.resource(hotText(path[0]))
	if !ok || len(path) < 2 {
		return nil, badTemplate("Arguments to \"get_attr\" must be of the form [resource_name, attribute, (path), ...]")
	}
	if name := hotText(path[1]); name != "show" && !slices.Contains(stackKinds[r.Type].attributes, name) {
		return nil, refuse(http.StatusBadRequest, "InvalidTemplateAttribute", "The Referenced Attribute (%s %s) is incorrect.", r.Name, name)
	}
	return walk(c.stackAttributes(s, r), path[1:]), nil
}

// strReplace puts the longest of the keys first, as heat/engine/hot/functions.py does.
func strReplace(argument any) any {
	in, _ := argument.(map[string]any)
	params, _ := in["params"].(map[string]any)
	keys := slices.SortedFunc(maps.Keys(params), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, key := range keys {
		pairs = append(pairs, key, hotText(params[key]))
	}
	return strings.NewReplacer(pairs...).Replace(hotText(in["template"]))
}

func listJoin(list []any) any {
	var texts []string
	for _, part := range list[1:] {
		for _, item := range asList(part) {
			texts = append(texts, hotText(item))
		}
	}
	return strings.Join(texts, hotText(list[0]))
}

// hotText is a value as a text: JSON if it is none.
func hotText(value any) string {
	if text, ok := value.(string); ok || value == nil {
		return text
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}

// asList is the value if it is a list, or a list of it; nothing of nil.
func asList(value any) []any {
	list, ok := value.([]any)
	if !ok && value != nil {
		list = []any{value}
	}
	return list
}

// walk goes down a path of keys and indexes; what is not there is nil.
func walk(value any, path []any) any {
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[fmt.Sprint(step)]
		case []any:
			i, err := strconv.Atoi(fmt.Sprint(step))
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// outputs are resolved each time; what cannot be is nil with its error, as in
// heat/engine/api.py, format_stack_output.
func (c *Cloud) outputs(s *Stack) []any {
	list := []any{}
	for key, o := range s.template.Outputs {
		shown := map[string]any{"output_key": key, "description": o.Description}
		value, err := c.resolve(s, o.Value)
		shown["output_value"] = value
		if err != nil {
			shown["output_error"] = asAPIError(err).message
		}
		list = append(list, shown)
	}
	slices.SortFunc(list, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["output_key"].(string), b.(map[string]any)["output_key"].(string))
	})
	return list
}

func (c *Cloud) listOutputs(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, o := range c.outputs(s) {
		shown := o.(map[string]any)
		delete(shown, "output_value")
		list = append(list, shown)
	}
	return wrap("outputs", list), nil
}

func (c *Cloud) showOutput(q *request) (any, error) {
	s, err := c.stackOf(q)
	if err != nil {
		return nil, err
	}
	for _, o := range c.outputs(s) {
		if o.(map[string]any)["output_key"] == q.id("key") {
			return wrap("output", o), nil
		}
	}
	return nil, refuse(http.StatusNotFound, "NotFound", "Specified output key %s not found.", q.id("key"))
}

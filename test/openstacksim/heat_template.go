package openstacksim

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// template is a Heat orchestration template (HOT guide, "Template structure").
type template struct {
	Version     string                         `json:"heat_template_version"`
	Description string                         `json:"description"`
	Parameters  map[string]parameterDefinition `json:"parameters"`
	Resources   map[string]*resourceDefinition `json:"resources"`
	Outputs     map[string]outputDefinition    `json:"outputs"`
	Groups      any                            `json:"parameter_groups"` // for people

	raw json.RawMessage
}

// parameterDefinition has constraints, which are not checked.
type parameterDefinition struct {
	forPeople
	Type        string `json:"type"`
	Default     any    `json:"default"`
	Hidden      any    `json:"hidden"`
	Constraints any    `json:"constraints"`
	Immutable   any    `json:"immutable"`
	Tags        any    `json:"tags"`
}

// resourceDefinition has an update_policy, although no update is simulated.
type resourceDefinition struct {
	forPeople
	Type           string         `json:"type"`
	Properties     map[string]any `json:"properties"`
	DependsOn      any            `json:"depends_on"`
	DeletionPolicy *string        `json:"deletion_policy"`
	UpdatePolicy   any            `json:"update_policy"`
	Metadata       map[string]any `json:"metadata"`
}

// forPeople are texts that change nothing.
type forPeople struct {
	Label       any `json:"label"`
	Description any `json:"description"`
}

type outputDefinition struct {
	Description string `json:"description"`
	Value       any    `json:"value"`
}

// parseTemplate takes an object or, as some clients send it, a text of JSON or
// YAML (heat/common/template_format.py, parse).
func parseTemplate(raw json.RawMessage) (*template, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		converted, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return nil, badTemplate("Template format error: %v", err)
		}
		raw = converted
	}
	t := &template{raw: raw}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields() // conditions and the like are not simulated
	if err := strict.Decode(t); err != nil {
		return nil, badTemplate("Template format error: %v", err)
	}
	if t.Version == "" {
		return nil, badTemplate("Template format version not found.")
	}
	return t, nil
}

// parameters are what the template declares, with the values of the environment,
// then of the request (heat/engine/environment.py).
func (t *template) parameters(given map[string]any, environment json.RawMessage) (map[string]any, error) {
	var text string
	if json.Unmarshal(environment, &text) == nil {
		if converted, err := yaml.YAMLToJSON([]byte(text)); err == nil {
			environment = converted
		}
	}
	var env struct {
		Parameters map[string]any `json:"parameters"`
		Defaults   map[string]any `json:"parameter_defaults"`
	}
	_ = json.Unmarshal(environment, &env) // none is fine
	values := map[string]any{}
	maps.Copy(values, env.Parameters)
	maps.Copy(values, given)
	for name := range values {
		if _, ok := t.Parameters[name]; !ok {
			return nil, refuse(http.StatusBadRequest, "UnknownUserParameter", "The Parameter (%s) was not defined in template.", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Parameters)) {
		definition := t.Parameters[name]
		value, ok := values[name]
		if !ok {
			value, ok = env.Defaults[name]
		}
		if !ok {
			value = definition.Default
		}
		if value == nil {
			return nil, refuse(http.StatusBadRequest, "UserParameterMissing", "The Parameter (%s) was not provided.", name)
		}
		values[name] = definition.parse(value)
	}
	return values, nil
}

// parse gives a value the type of its parameter (heat/engine/parameters.py).
func (p parameterDefinition) parse(value any) any {
	text, isText := value.(string)
	switch {
	case p.Type == "string" && !isText:
		return hotText(value)
	case p.Type == "comma_delimited_list" && isText:
		list := []any{}
		for _, part := range strings.Split(text, ",") {
			list = append(list, strings.TrimSpace(part))
		}
		return list
	case (p.Type == "json" || p.Type == "number") && isText:
		var parsed any
		if json.Unmarshal([]byte(text), &parsed) == nil {
			return parsed
		}
	case p.Type == "boolean" && isText:
		return slices.Contains([]string{"true", "on", "yes", "1", "t", "y"}, strings.ToLower(text))
	}
	return value
}

// shownParameter is a text, and stars for a hidden one (heat/engine/api.py,
// format_stack; heat/engine/parameters.py, __str__).
func shownParameter(p parameterDefinition, value any) string {
	if isTrue(p.Hidden) {
		return "******"
	}
	return hotText(value)
}

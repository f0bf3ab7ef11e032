package openstacksim

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// fields are the attributes of a body as they came, to tell null from absent.
type fields map[string]json.RawMessage

func (f fields) has(name string) bool { _, ok := f[name]; return ok }

func (f fields) text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s)
	return s
}

// decode reads {"key": {...}} from the body into the attributes of a struct. An
// attribute that is not allowed is refused by its name; what is not in the body
// is left alone, so that an update decodes into a copy of what is there.
func (q *request) decode(key string, into any, allowed ...string) (fields, error) {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "The request body is not JSON: %v", err)
	}
	inner, ok := body[key]
	if !ok {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Unable to find '%s' in request body", key)
	}
	return decodeInto(inner, into, allowed...)
}

// inner reads {"key": {...}} from the body without checking its attributes, to
// look at some of them first.
func (q *request) inner(key string, into any) (json.RawMessage, error) {
	var body map[string]json.RawMessage
	if json.Unmarshal(q.raw, &body) != nil || body[key] == nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Unable to find '%s' in request body", key)
	}
	if err := json.Unmarshal(body[key], into); err != nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input: %v", err)
	}
	return body[key], nil
}

func decodeInto(raw json.RawMessage, into any, allowed ...string) (fields, error) {
	var given fields
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "The request body is not an object: %v", err)
	}
	for name := range given {
		if !slices.Contains(allowed, name) {
			return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Unrecognized attribute(s) '%s'", name)
		}
		// json.Unmarshal would write into the slices and maps of the old value.
		if f, ok := attribute(into, name); ok && f.CanSet() {
			f.SetZero()
		}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input: %v", err)
	}
	return given, nil
}

var attributes sync.Map // reflect.Type -> map[string][]int

// attribute finds the field of a struct that has the JSON name.
func attribute(of any, name string) (reflect.Value, bool) {
	v := reflect.ValueOf(of)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	known, ok := attributes.Load(v.Type())
	if !ok {
		known, _ = attributes.LoadOrStore(v.Type(), jsonNames(v.Type()))
	}
	index, ok := known.(map[string][]int)[name]
	if !ok {
		return reflect.Value{}, false
	}
	return v.FieldByIndex(index), true
}

func jsonNames(t reflect.Type) map[string][]int {
	names := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names[name] = f.Index
		}
	}
	return names
}

// wrap is {"name": value}.
func wrap(name string, value any) map[string]any { return map[string]any{name: value} }

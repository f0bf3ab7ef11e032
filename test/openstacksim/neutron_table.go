package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

type neutronRow[T any] interface {
	rowOf[T]
	standardRow
}

// neutronTable is what all kinds of Neutron's resources answer alike.
type neutronTable[T any, R neutronRow[T]] struct {
	cloud     *Cloud
	table     *table[T, R]
	one, many string // "port", "ports"

	// create makes a resource out of its attributes. A list of them is created
	// as a whole or not at all (neutron/pecan_wsgi/controllers/resource.py).
	create func(*request, json.RawMessage) (R, error)
	// update changes the row as the body says; nil for what cannot be changed.
	update func(*request, R) error
	remove func(*request, R) error
}

// neutronKind makes the cloud answer for one kind of resource.
func neutronKind[T any, R neutronRow[T]](c *Cloud, path string, k *neutronTable[T, R]) {
	k.cloud, k.many = c, k.one+"s"
	s, path := c.network.service, "/"+path
	c.on(s, "GET", path, k.list)
	c.on(s, "POST", path, k.add)
	c.on(s, "GET", path+"/{id}", k.show)
	c.on(s, "DELETE", path+"/{id}", k.drop)
	if k.update == nil {
		return
	}
	c.on(s, "PUT", path+"/{id}", k.change)
	c.on(s, "GET", path+"/{id}/tags", k.tags)
	c.on(s, "PUT", path+"/{id}/tags", k.setTags)
	c.on(s, "DELETE", path+"/{id}/tags", k.clearTags)
	c.on(s, "PUT", path+"/{id}/tags/{tag}", k.addTag)
	c.on(s, "GET", path+"/{id}/tags/{tag}", k.hasTag)
	c.on(s, "DELETE", path+"/{id}/tags/{tag}", k.dropTag)
}

// viewer is a row whose JSON holds more than its own attributes.
type viewer interface{ view(*Cloud) any }

func (k *neutronTable[T, R]) view(r R) any {
	if v, ok := any(r).(viewer); ok {
		return v.view(k.cloud)
	}
	copied := *r // the answer is written after the lock is gone
	return R(&copied)
}

func (k *neutronTable[T, R]) list(q *request) (any, error) {
	if k.one == "security_group" || k.one == "port" {
		k.cloud.defaultGroup(q.project)
	}
	rows, invalid := selected(k.cloud, q, k.table, neutronFilter[R])
	if len(invalid) > 0 { // neutron/api/api_common.py, get_filters_from_dict
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "%s is invalid attribute for filtering", invalid)
	}
	sortByID(q, rows)
	p, err := paged(k.cloud, q, rows)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, r := range p.rows {
		list = append(list, pick(q, k.view(r)))
	}
	body := wrap(k.many, list)
	if links := p.links(); links != nil {
		body[k.many+"_links"] = links
	}
	return body, nil
}

// neutronFilter knows the filters that are not equality of one attribute.
func neutronFilter[R standardRow](r R, name, value string) (fits, known bool) {
	if fits, known := fitsTags(r.std().Tags, name, value); known {
		return fits, true
	}
	port, isPort := any(r).(*Port)
	if name != "fixed_ips" || !isPort {
		return false, false
	}
	// api-ref: fixed_ips=ip_address%3D10.0.0.5, also subnet_id and ip_address_substr
	what, want, _ := strings.Cut(value, "=")
	return slices.ContainsFunc(port.FixedIPs, func(ip FixedIP) bool {
		return what == "ip_address" && ip.IPAddress == want || what == "subnet_id" && ip.SubnetID == want ||
			what == "ip_address_substr" && strings.Contains(ip.IPAddress, want)
	}), true
}

// find is the row of a request; what the project may not see is not there.
func (k *neutronTable[T, R]) find(q *request) (R, error) {
	r, ok := k.table.get(q.id("id"))
	if !ok || !k.cloud.sees(q, r) {
		return nil, k.notFound(q.id("id"))
	}
	return r, nil
}

// notFound writes what neutron_lib/exceptions has for each kind.
func (k *neutronTable[T, R]) notFound(id string) error {
	text := map[string][2]string{
		"network":             {"NetworkNotFound", "Network %s could not be found."},
		"subnet":              {"SubnetNotFound", "Subnet %s could not be found."},
		"trunk":               {"TrunkNotFound", "Trunk %s could not be found."},
		"subnetpool":          {"SubnetPoolNotFound", "Subnet pool %s could not be found."},
		"port":                {"PortNotFound", "Port %s could not be found."},
		"router":              {"RouterNotFound", "Router %s could not be found"},
		"floatingip":          {"FloatingIPNotFound", "Floating IP %s could not be found"},
		"security_group":      {"SecurityGroupNotFound", "Security group %s does not exist"},
		"security_group_rule": {"SecurityGroupRuleNotFound", "Security group rule %s does not exist"},
	}[k.one]
	return refuse(http.StatusNotFound, text[0], text[1], id)
}

// mine is find for changes: what is visible but another project's is refused
// (neutron/conf/policies: ADMIN_OR_PROJECT_MEMBER).
func (k *neutronTable[T, R]) mine(q *request) (R, error) {
	r, err := k.find(q)
	if err == nil && r.owner() != q.project {
		return nil, refuse(http.StatusForbidden, "PolicyNotAuthorized", "rule:%s_%s is disallowed by policy",
			strings.ToLower(q.Method), k.one)
	}
	return r, err
}

func (k *neutronTable[T, R]) show(q *request) (any, error) {
	r, err := k.find(q)
	if err != nil {
		return nil, err
	}
	return wrap(k.one, pick(q, k.view(r))), nil
}

func (k *neutronTable[T, R]) add(q *request) (any, error) {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "The request body is not JSON: %v", err)
	}
	if raw, bulk := body[k.many]; bulk {
		return k.addAll(q, raw)
	}
	raw, ok := body[k.one]
	if !ok {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Unable to find '%s' in request body", k.one)
	}
	if err := checkTexts(raw); err != nil {
		return nil, err
	}
	r, err := k.create(q, raw)
	if err != nil {
		return nil, err
	}
	return wrap(k.one, k.view(r)), nil
}

// checkTexts is neutron_lib/api/validators, validate_string, for the two texts
// that all kinds have (neutron_lib/db/constants.py, NAME_FIELD_SIZE and
// DESCRIPTION_FIELD_SIZE).
func checkTexts(raw json.RawMessage) error {
	var texts struct{ Name, Description string }
	_ = json.Unmarshal(raw, &texts) // what is no object is refused later
	for attribute, value := range map[string]string{"name": texts.Name, "description": texts.Description} {
		if utf8.RuneCountInString(value) > 255 {
			return refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input for %s. Reason: '%s' exceeds maximum length of 255.", attribute, value)
		}
	}
	return nil
}

// addAll creates all resources of a list, or none if one is refused.
func (k *neutronTable[T, R]) addAll(q *request, raw json.RawMessage) (any, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "%s is not a list: %v", k.many, err)
	}
	if k.one == "security_group_rule" {
		if err := k.cloud.checkBulkRules(items); err != nil {
			return nil, err
		}
	}
	for _, item := range items {
		if err := checkTexts(item); err != nil {
			return nil, err
		}
	}
	made, list := []R{}, []any{}
	for _, item := range items {
		r, err := k.create(q, item)
		if err != nil {
			for _, r := range slices.Backward(made) {
				_ = k.remove(q, r) // with what came along: nothing uses it yet
			}
			return nil, err
		}
		made, list = append(made, r), append(list, k.view(r))
	}
	return wrap(k.many, list), nil
}

func (k *neutronTable[T, R]) change(q *request) (any, error) {
	r, err := k.mine(q)
	if err != nil {
		return nil, err
	}
	if err := ifMatch(q, r.std()); err != nil {
		return nil, err
	}
	var body map[string]json.RawMessage
	_ = json.Unmarshal(q.raw, &body)
	if err := checkTexts(body[k.one]); err != nil {
		return nil, err
	}
	if err := k.update(q, r); err != nil {
		return nil, err
	}
	k.cloud.touch(r)
	return wrap(k.one, k.view(r)), nil
}

func (k *neutronTable[T, R]) drop(q *request) (any, error) {
	r, err := k.mine(q)
	if err != nil {
		return nil, err
	}
	if err := ifMatch(q, r.std()); err != nil {
		return nil, err
	}
	return nil, k.remove(q, r)
}

package openstacksim

import (
	"cmp"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// paging are the query parameters that are no filters.
var paging = []string{"limit", "marker", "page_reverse", "fields", "sort_key", "sort_dir"}

// filter compares rows with the query. It says whether a parameter is one that
// it knows and, if so, whether the row fits.
type filter[R row] func(r R, name, value string) (fits, known bool)

// selected lists the rows that the project may see and that fit the query, in
// the way of Neutron and Octavia: equality of attributes, several values of one
// attribute mean any of them. invalid names are those that no row has.
func selected[T any, R rowOf[T]](c *Cloud, q *request, t *table[T, R], special filter[R]) (rows []R, invalid []string) {
	for name := range q.query {
		var zero T
		_, plain := attribute(&zero, name)
		_, known := special(R(&zero), name, "")
		if !plain && !known && !slices.Contains(paging, name) {
			invalid = append(invalid, name)
		}
	}
	if len(invalid) > 0 {
		return nil, invalid
	}
	for _, r := range t.listed() {
		if c.sees(q, r) && !c.hidden[r.ident()] && fits(q.query, r, special) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// sees says whether the project of a request may see a row in lists.
func (c *Cloud) sees(q *request, r row) bool {
	if v, ok := r.(interface{ public() bool }); ok && v.public() {
		return true
	}
	return r.owner() == q.project || r.owner() == ""
}

func fits[R row](query url.Values, r R, special filter[R]) bool {
	for name, values := range query {
		if slices.Contains(paging, name) {
			continue
		}
		if !slices.ContainsFunc(values, func(value string) bool {
			if ok, known := special(r, name, value); known {
				return ok
			}
			f, _ := attribute(r, name)
			return equals(f, value)
		}) {
			return false
		}
	}
	return true
}

// equals compares an attribute with the text of a filter.
func equals(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return text == ""
		}
		return equals(v.Elem(), text)
	case reflect.String:
		return v.String() == text
	case reflect.Bool:
		want, err := strconv.ParseBool(strings.ToLower(text))
		return err == nil && want == v.Bool()
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10) == text
	case reflect.Slice:
		for i := range v.Len() {
			if equals(v.Index(i), text) {
				return true
			}
		}
	default: // attributes of other kinds are no filters
	}
	return false
}

// fitsTags is the filter by tags of Neutron, Octavia and Nova: tags (all of
// them), tags-any, not-tags (not all of them), not-tags-any, commas between
// (neutron/db/_model_query.py; octavia/db/base_models.py; nova/db/main/api.py).
func fitsTags(have []string, name, value string) (fits, known bool) {
	want := strings.Split(value, ",")
	in := func(tag string) bool { return slices.Contains(have, tag) }
	out := func(tag string) bool { return !in(tag) }
	switch name {
	case "tags":
		return !slices.ContainsFunc(want, out), true
	case "tags-any":
		return slices.ContainsFunc(want, in), true
	case "not-tags":
		return slices.ContainsFunc(want, out), true
	case "not-tags-any":
		return !slices.ContainsFunc(want, in), true
	}
	return false, false
}

// page is a part of a list.
type page[R row] struct {
	rows       []R
	next, prev string // URLs, empty if there is no such page
}

// paged cuts a list that is in its order into pages. There is a next page
// whenever this one is full, even if nothing follows (get_pagination_links in
// neutron/api/api_common.py, _get_collection_links in nova/api/openstack/common.py).
func paged[R row](c *Cloud, q *request, rows []R) (page[R], error) {
	limit := c.pageSize
	if text := q.query.Get("limit"); text != "" {
		asked, err := strconv.Atoi(text)
		if err != nil || asked < 0 {
			return page[R]{}, refuse(http.StatusBadRequest, "BadRequest",
				"Limit must be an integer 0 or greater and not '%s'", text)
		}
		if asked > 0 {
			limit = min(limit, asked)
		}
	}
	var p page[R]
	marker := q.query.Get("marker")
	if marker != "" {
		i := slices.IndexFunc(rows, func(r R) bool { return r.ident() == marker })
		if i < 0 {
			return p, refuse(http.StatusBadRequest, "BadRequest", "marker [%s] not found", marker)
		}
		rows = rows[i+1:]
	}
	p.rows = rows[:min(limit, len(rows))]
	if len(p.rows) == limit {
		p.next = c.pageURL(q, p.rows[limit-1].ident(), false)
	}
	if marker != "" && len(p.rows) > 0 {
		p.prev = c.pageURL(q, p.rows[0].ident(), true)
	}
	return p, nil
}

func (c *Cloud) pageURL(q *request, marker string, reverse bool) string {
	query := url.Values{}
	for key, values := range q.query {
		query[key] = values
	}
	query.Set("marker", marker)
	query.Del("page_reverse")
	if reverse {
		query.Set("page_reverse", "True")
	}
	return c.url + q.URL.Path + "?" + query.Encode()
}

// links is how Neutron, Octavia, Nova and Cinder write the neighbours of a page.
func (p page[R]) links() []map[string]string {
	var links []map[string]string
	if p.next != "" {
		links = append(links, map[string]string{"rel": "next", "href": p.next})
	}
	if p.prev != "" {
		links = append(links, map[string]string{"rel": "previous", "href": p.prev})
	}
	return links
}

// sortByID is the order of Neutron's pages unless a sort_key is
// given (neutron/api/v2/base.py adds the primary key to every sort).
func sortByID[R row](q *request, rows []R) {
	key, descending := q.query.Get("sort_key"), q.query.Get("sort_dir") == "desc"
	slices.SortFunc(rows, func(a, b R) int {
		order := 0
		if va, ok := attribute(a, key); ok && va.Kind() == reflect.String {
			vb, _ := attribute(b, key)
			order = cmp.Compare(va.String(), vb.String())
		}
		if descending {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.ident(), b.ident()))
	})
}

// pick keeps the attributes that the query asks for with fields=.
func pick(q *request, value any) any {
	names := q.query["fields"]
	if len(names) == 0 {
		return value
	}
	picked := map[string]any{}
	for _, name := range names {
		if f, ok := attribute(value, name); ok {
			picked[name] = f.Interface()
		}
	}
	return picked
}

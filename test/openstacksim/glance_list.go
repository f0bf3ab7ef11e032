package openstacksim

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// listImages is glance/api/v2/images.py, index: the newest first unless a sort
// is asked for; hidden images and those of the community only when asked for.
func (c *Cloud) listImages(q *request) (any, error) {
	order, err := imageOrder(q)
	if err != nil {
		return nil, err
	}
	if err := checkBooleans(q, "os_hidden", "protected"); err != nil {
		return nil, err
	}
	var rows []*Image
	for _, i := range slices.Backward(c.image.images.listed()) {
		if c.lists(q, i) && !c.hidden[i.ID] && i.fits(q) {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, order)
	p, err := paged(c, q, rows)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, i := range p.rows {
		list = append(list, i.shown())
	}
	body := map[string]any{"images": list, "first": "/v2/images", "schema": "/v2/schemas/images"}
	if p.next != "" {
		body["next"] = p.next[len(c.url+"/image"):] // a path from the root of Glance
	}
	return body, nil
}

func checkBooleans(q *request, filters ...string) error {
	for _, name := range filters {
		if v := strings.ToLower(q.query.Get(name)); v != "" && v != "true" && v != "false" {
			return refuse(http.StatusBadRequest, "", "Invalid value '%s' for '%s' filter. Valid values are 'true' or 'false'.", v, name)
		}
	}
	return nil
}

// lists says whether lists of a project have an image (glance/db/sqlalchemy/api.py,
// _make_conditions_from_filters, and image_get_all: community images of others
// only with visibility=community or all).
func (c *Cloud) lists(q *request, i *Image) bool {
	switch q.query.Get("visibility") {
	case "all":
		return c.reads(q, i)
	case "community":
		return i.Visibility == "community"
	}
	return c.sees(q, i)
}

// imageFilters are those that are not equality of what is shown.
var imageFilters = map[string]func(i *Image, values []string) bool{
	"tag": func(i *Image, values []string) bool {
		return !slices.ContainsFunc(values, func(tag string) bool { return !slices.Contains(i.Tags, tag) })
	},
	"visibility": func(i *Image, values []string) bool { return values[0] == "all" || values[0] == i.Visibility },
	"size_min":   func(i *Image, values []string) bool { return i.Size >= number(values[0]) },
	"size_max":   func(i *Image, values []string) bool { return i.Size <= number(values[0]) },
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // what is no number is 0
	return n
}

// fits applies the filters of a list; "in:a,b" fits each of several values and
// times are compared with "gte:2022-..." and the like (api-ref, section Images,
// "The in operator", "Time comparison filters").
func (i *Image) fits(q *request) bool {
	if q.query.Get("os_hidden") == "" && i.Hidden {
		return false
	}
	shown := i.shown()
	for key, values := range q.query {
		if slices.Contains([]string{"limit", "marker", "sort_key", "sort_dir", "sort", "member_status"}, key) {
			continue
		}
		if special, ok := imageFilters[key]; ok {
			if !special(i, values) {
				return false
			}
			continue
		}
		if !imageValueFits(fmt.Sprint(shown[key]), values[0]) {
			return false
		}
	}
	return true
}

func imageValueFits(have, want string) bool {
	operator, value, found := strings.Cut(want, ":")
	if !found {
		return have == want || strings.EqualFold(have, want) && (have == "true" || have == "false")
	}
	switch order := cmp.Compare(have, value); operator {
	case "in":
		return slices.ContainsFunc(strings.Split(value, ","), func(v string) bool { return strings.Trim(v, `"`) == have })
	case "eq":
		return order == 0
	case "neq":
		return order != 0
	case "gt":
		return order > 0
	case "gte":
		return order >= 0
	case "lt":
		return order < 0
	case "lte":
		return order <= 0
	}
	return have == want
}

var imageSortKeys = []string{"name", "status", "container_format", "disk_format", "size", "id", "created_at", "updated_at"}

// imageOrder is _get_sorting_params of glance/api/v2/images.py: sort=name:asc,size
// or sort_key and sort_dir; the usual direction is desc.
func imageOrder(q *request) (func(a, b *Image) int, error) {
	keys, dirs := q.query["sort_key"], q.query["sort_dir"]
	if sort := q.query.Get("sort"); sort != "" {
		if len(keys)+len(dirs) > 0 {
			return nil, refuse(http.StatusBadRequest, "", "Old and new sorting syntax cannot be combined")
		}
		for _, part := range strings.Split(sort, ",") {
			key, dir, _ := strings.Cut(strings.TrimSpace(part), ":")
			keys, dirs = append(keys, key), append(dirs, cmp.Or(dir, "desc"))
		}
	}
	for _, key := range keys {
		if !slices.Contains(imageSortKeys, key) {
			return nil, refuse(http.StatusBadRequest, "", "Invalid sort key: %s. It must be one of the following: %s.", key, strings.Join(imageSortKeys, ", "))
		}
	}
	for _, dir := range dirs {
		if dir != "asc" && dir != "desc" {
			return nil, refuse(http.StatusBadRequest, "", "Invalid sort direction: %s", dir)
		}
	}
	if len(dirs) > 1 && len(dirs) != len(keys) {
		return nil, refuse(http.StatusBadRequest, "", "Number of sort dirs does not match the number of sort keys")
	}
	return func(a, b *Image) int { return compareImages(a, b, keys, dirs) }, nil
}

func compareImages(a, b *Image, keys, dirs []string) int {
	for n, key := range keys {
		dir := "desc"
		if len(dirs) > 0 {
			dir = dirs[min(n, len(dirs)-1)]
		}
		order := cmp.Compare(fmt.Sprint(a.shown()[key]), fmt.Sprint(b.shown()[key]))
		if key == "size" {
			order = cmp.Compare(a.Size, b.Size)
		}
		if dir == "desc" {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

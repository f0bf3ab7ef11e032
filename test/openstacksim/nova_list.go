package openstacksim

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// listServers is GET /servers and /servers/detail, the newest first
// (nova/api/openstack/compute/servers.py, _get_servers; its sort is created_at desc).
func (c *Cloud) listServers(q *request) (any, error) {
	rows := slices.Clone(c.compute.servers.listed())
	since, hasSince, err := changesSince(q.query)
	if err != nil {
		return nil, err
	}
	if hasSince {
		rows = append(rows, c.compute.gone...)
	}
	rows = slices.DeleteFunc(rows, func(s *Server) bool {
		return s.ProjectID != q.project || c.hidden[s.ID] || c.compute.down[s.ID] || hasSince && s.Updated.Before(since) ||
			!serverFits(s, q.query, q.minor)
	})
	slices.SortStableFunc(rows, func(a, b *Server) int { return b.Created.Compare(a.Created) })
	p, err := paged(c, q, rows)
	if err != nil {
		return nil, err
	}
	list := c.downServers(q, c.pageSize-len(p.rows))
	for _, s := range p.rows {
		if isDetail(q) {
			list = append(list, s.detail(c, q.minor))
		} else {
			list = append(list, s.brief(c))
		}
	}
	p.prev = "" // Nova has no links back (nova/api/openstack/common.py, _get_collection_links)
	return withLinks("servers", list, p.links()), nil
}

func isDetail(q *request) bool { return strings.HasSuffix(q.URL.Path, "/detail") }

// downServers are the rows of servers in a cell that is down, as many as the
// page still takes: only since 2.69, and only where the request neither filters,
// sorts nor pages (nova/api/openstack/compute/servers.py, _is_cell_down_supported;
// nova/compute/api.py, get_all).
func (c *Cloud) downServers(q *request, room int) []any {
	list := []any{}
	asks := func(name string) bool { return q.query.Has(name) }
	if q.minor < 69 || slices.ContainsFunc(wholeServerParameters, asks) {
		return list
	}
	for _, s := range c.compute.servers.listed() {
		if len(list) < room && s.ProjectID == q.project && c.compute.down[s.ID] {
			list = append(list, s.unknown(c, isDetail(q)))
		}
	}
	return list
}

// wholeServerParameters need to know more of a server than its ID.
var wholeServerParameters = []string{"sort_key", "sort_dir", "limit", "marker", "reservation_id", "name", "status", "image", "flavor",
	"ip", "ip6", "changes-since", "changes-before", "locked", "tags", "tags-any", "not-tags", "not-tags-any", "availability_zone"}

// changesSince also lists deleted servers (nova/compute/api.py, get_all).
func changesSince(query url.Values) (time.Time, bool, error) {
	text := query.Get("changes-since")
	if text == "" {
		return time.Time{}, false, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true, nil
		}
	}
	return time.Time{}, false, refuse(http.StatusBadRequest, "",
		"Invalid input for query parameters changes-since. Value: %s. '%s' is not a 'date-time'", text, text)
}

// serverFilters are the filters of members (nova/api/openstack/compute/servers.py,
// _get_server_search_options); Nova ignores others. The name is a regular
// expression (nova/db/main/api.py, _regex_instance_filter).
var serverFilters = map[string]func(s *Server, value string) bool{
	"uuid":              func(s *Server, value string) bool { return s.ID == value },
	"status":            func(s *Server, value string) bool { return strings.EqualFold(s.Status, value) },
	"image":             func(s *Server, value string) bool { return s.ImageID == value },
	"flavor":            func(s *Server, value string) bool { return s.Flavor.ID == value },
	"availability_zone": func(s *Server, value string) bool { return s.Zone == value },
	"name": func(s *Server, value string) bool {
		re, err := regexp.Compile(value)
		return err == nil && re.MatchString(s.Name)
	},
}

// serverFits applies the filters; those by tag count since 2.26.
func serverFits(s *Server, query url.Values, minor int) bool {
	for key, values := range query {
		if fits, known := fitsTags(s.Tags, key, values[0]); known && minor >= 26 && !fits {
			return false
		}
		filter, ok := serverFilters[key]
		if ok && !slices.ContainsFunc(values, func(value string) bool { return filter(s, value) }) {
			return false
		}
	}
	return true
}

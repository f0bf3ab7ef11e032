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
	list := []any{}
	for _, s := range p.rows {
		if strings.HasSuffix(q.URL.Path, "/detail") {
			list = append(list, s.detail(c, q.minor))
		} else {
			list = append(list, s.brief(c))
		}
	}
	p.prev = "" // Nova has no links back (nova/api/openstack/common.py, _get_collection_links)
	return withLinks("servers", list, p.links()), nil
}

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

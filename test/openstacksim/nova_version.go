package openstacksim

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// The microversions of Nova 26 (nova/api/openstack/api_version_request.py).
const minMinor, maxMinor = 1, 93

var versionNumber = regexp.MustCompile(`^([1-9]\d*)\.([1-9]\d*|0)$`)

func (c *Cloud) novaVersion() any {
	return map[string]any{"id": "v2.1", "status": "CURRENT", "version": fmt.Sprintf("2.%d", maxMinor), "min_version": "2.1",
		"updated": "2013-07-23T11:33:21Z", "links": []any{map[string]any{"rel": "self", "href": c.url + "/compute/v2.1/"}}}
}

// negotiate is nova/api/openstack/wsgi.py, set_api_version_request: both headers
// count, the default is 2.1.
func negotiate(q *request) error {
	text := q.Header.Get("X-OpenStack-Nova-API-Version")
	for _, header := range q.Header.Values("OpenStack-API-Version") {
		if version, ok := strings.CutPrefix(header, "compute "); ok {
			text = strings.TrimSpace(version)
		}
	}
	minor, err := minorOf(text)
	if err != nil {
		return err
	}
	q.minor = minor
	version := fmt.Sprintf("2.%d", q.minor)
	q.header["OpenStack-API-Version"] = []string{"compute " + version}
	q.header["X-OpenStack-Nova-API-Version"] = []string{version}
	q.header["Vary"] = []string{"OpenStack-API-Version", "X-OpenStack-Nova-API-Version"}
	return nil
}

// minorOf is nova/exception.py, InvalidAPIVersionString (400) and
// InvalidGlobalAPIVersion (406: nova/api/openstack/wsgi.py, Resource.__call__).
func minorOf(version string) (int, error) {
	switch version {
	case "":
		return minMinor, nil
	case "latest":
		return maxMinor, nil
	}
	parts := versionNumber.FindStringSubmatch(version)
	if parts == nil {
		return 0, refuse(http.StatusBadRequest, "", "API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.", version)
	}
	minor, err := strconv.Atoi(parts[2])
	if err != nil || parts[1] != "2" || minor < minMinor || minor > maxMinor {
		return 0, refuse(http.StatusNotAcceptable, "", "Version %s is not supported by the API. Minimum is 2.%d and maximum is 2.%d.",
			version, minMinor, maxMinor)
	}
	return minor, nil
}

package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// networkQuotas are the kinds that Neutron counts.
var networkQuotas = []string{"network", "subnet", "subnetpool", "port", "router", "floatingip", "security_group", "security_group_rule",
	"trunk", "rbac_policy"}

func (c *Cloud) networkQuotaRoutes() {
	s := c.network.service
	c.on(s, "GET", "/quotas/{project}", c.showNetworkQuota)
	c.on(s, "PUT", "/quotas/{project}", c.updateNetworkQuota)
	c.on(s, "DELETE", "/quotas/{project}", c.deleteNetworkQuota)
	for _, end := range []string{"", ".json"} {
		c.on(s, "GET", "/quotas/{project}/default"+end, c.showNetworkDefaults)
		c.on(s, "GET", "/quotas/{project}/details"+end, c.showNetworkUsage)
	}
}

// networkUsage is what a project has of a kind.
func (c *Cloud) networkUsage(project, kind string) int {
	used := 0
	for _, t := range c.tables {
		if strings.ReplaceAll(t.name(), "-", "_") != kind {
			continue
		}
		t.each(func(r row) {
			if r.owner() == project {
				used++
			}
		})
	}
	return used
}

// checkQuota refuses what would go over the quota of a project
// (neutron/db/quota/driver_nolock.py, make_reservation: OverQuota is a 409).
func (c *Cloud) checkQuota(kind, project string) error {
	if limit := limitOf(c.network.quotas, project, kind); limit >= 0 && c.networkUsage(project, kind) >= limit {
		return refuse(http.StatusConflict, "OverQuota", "Quota exceeded for resources: ['%s'].", kind)
	}
	return nil
}

// quotaOf is the project of a request for a quota. One's own quota may be read;
// the rest is for operators (neutron/extensions/quotasv2.py, show and
// validate_policy).
func (c *Cloud) quotaOf(q *request, rule string) (string, error) {
	project := q.id("project")
	if c.isOperator(q) || rule == "get_quota" && project == q.project {
		return project, nil
	}
	return "", refuse(http.StatusForbidden, "PolicyNotAuthorized", "rule:%s is disallowed by policy", rule)
}

func networkQuota(show func(kind string) any) any {
	quota := map[string]any{}
	for _, kind := range networkQuotas {
		quota[kind] = show(kind)
	}
	return wrap("quota", quota)
}

func (c *Cloud) showNetworkQuota(q *request) (any, error) {
	project, err := c.quotaOf(q, "get_quota")
	if err != nil {
		return nil, err
	}
	return networkQuota(func(kind string) any { return limitOf(c.network.quotas, project, kind) }), nil
}

// showNetworkDefaults is what projects have without a quota of their own.
func (c *Cloud) showNetworkDefaults(q *request) (any, error) {
	if _, err := c.quotaOf(q, "get_quota"); err != nil {
		return nil, err
	}
	return networkQuota(func(kind string) any { return limitOf(c.network.quotas, "", kind) }), nil
}

// showNetworkUsage is neutron/db/quota/driver.py, get_detailed_project_quotas.
func (c *Cloud) showNetworkUsage(q *request) (any, error) {
	project, err := c.quotaOf(q, "get_quota")
	if err != nil {
		return nil, err
	}
	return networkQuota(func(kind string) any {
		return map[string]int{"limit": limitOf(c.network.quotas, project, kind), "used": c.networkUsage(project, kind), "reserved": 0}
	}), nil
}

// updateNetworkQuota is neutron/extensions/quotasv2.py, update: what is used
// counts only if check_limit asks for it.
func (c *Cloud) updateNetworkQuota(q *request) (any, error) {
	project, err := c.quotaOf(q, "update_quota")
	if err != nil {
		return nil, err
	}
	var want map[string]json.RawMessage
	if _, err := q.inner("quota", &want); err != nil {
		return nil, err
	}
	check := string(want["check_limit"]) == "true"
	delete(want, "check_limit")
	delete(want, "force")
	limits := map[string]int{}
	for kind, value := range want {
		var limit int
		if !slices.Contains(networkQuotas, kind) {
			return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Unrecognized attribute(s) '%s'", kind)
		}
		if json.Unmarshal(value, &limit) != nil || limit < -1 {
			return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Invalid input for %s. Reason: '%s' is too small - must be at least '-1'.", kind, value)
		}
		if used := c.networkUsage(project, kind); check && used > limit {
			return nil, refuse(http.StatusBadRequest, "HTTPBadRequest", "Quota limit %d for %s must be greater than or equal to already used %d", limit, kind, used)
		}
		limits[project+"/"+kind] = limit
	}
	for key, limit := range limits {
		c.network.quotas[key] = limit
	}
	return c.showNetworkQuota(q)
}

// deleteNetworkQuota gives a project the quotas of all again; without one of its
// own there is nothing to delete (neutron/db/quota/driver.py, delete_project_quota).
func (c *Cloud) deleteNetworkQuota(q *request) (any, error) {
	project, err := c.quotaOf(q, "delete_quota")
	if err != nil {
		return nil, err
	}
	found := false
	for _, kind := range networkQuotas {
		_, own := c.network.quotas[project+"/"+kind]
		found = found || own
		delete(c.network.quotas, project+"/"+kind)
	}
	if !found {
		return nil, refuse(http.StatusNotFound, "TenantQuotaNotFound", "Quota for tenant %s could not be found.", project)
	}
	return nil, nil
}

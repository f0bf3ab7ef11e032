package openstacksim

import (
	"cmp"
	"net/http"
	"strings"
)

// limitOf is how much of a kind a project may have, -1 for as much as it likes:
// its own quota, whose key is "project/kind", or that of all projects.
func limitOf(quotas map[string]int, project, kind string) int {
	for _, key := range []string{project + "/" + kind, kind} {
		if limit, ok := quotas[key]; ok {
			return limit
		}
	}
	return -1
}

// isOperator says whether a request is one of an administrator: of a user in the
// project admin.
func (c *Cloud) isOperator(q *request) bool { return q.project == c.identity.projects["admin"] }

// isProject says whether there is a project with this ID.
func (c *Cloud) isProject(id string) bool {
	for _, known := range c.identity.projects {
		if known == id {
			return true
		}
	}
	return false
}

// computeQuotas are the kinds that Nova counts, by the microversion from which
// on they are not shown any more (nova/api/openstack/compute/quota_sets.py,
// FILTERED_QUOTAS_2_36 and _2_57).
var computeQuotas = map[string]int{
	"instances": maxMinor + 1, "cores": maxMinor + 1, "ram": maxMinor + 1, "key_pairs": maxMinor + 1, "metadata_items": maxMinor + 1,
	"server_groups": maxMinor + 1, "server_group_members": maxMinor + 1,
	"injected_files": 57, "injected_file_content_bytes": 57, "injected_file_path_bytes": 57,
	"fixed_ips": 36, "floating_ips": 36, "security_groups": 36, "security_group_rules": 36,
}

// computeUsage is what a project has (nova/quota.py, _instances_cores_ram_count
// and _server_group_count).
func (c *Cloud) computeUsage(project string) map[string]int {
	used := map[string]int{}
	for _, s := range c.compute.servers.rows {
		if s.ProjectID == project {
			used["instances"]++
			used["cores"] += s.Flavor.VCPUs
			used["ram"] += s.Flavor.RAM
		}
	}
	used["server_groups"] = c.compute.groups.count(func(g *ServerGroup) bool { return g.ProjectID == project })
	return used
}

// checkComputeQuota is nova/compute/utils.py, check_num_instances_quota, and
// nova/exception.py, TooManyInstances: a 403 that names all that is exceeded.
// The items of metadata have a limit of their own (MetadataLimitExceeded).
func (c *Cloud) checkComputeQuota(s *Server) error {
	project, f := s.ProjectID, s.Flavor
	if limit := limitOf(c.compute.quotas, project, "metadata_items"); limit >= 0 && len(s.Metadata) > limit {
		return refuse(http.StatusForbidden, "", "Maximum number of metadata items exceeds %d", limit)
	}
	used, ask := c.computeUsage(project), map[string]int{"instances": 1, "cores": f.VCPUs, "ram": f.RAM}
	var kinds, asked, had, allowed []string
	for _, kind := range []string{"cores", "instances", "ram"} {
		limit, want, have := limitOf(c.compute.quotas, project, kind), ask[kind], used[kind]
		if limit >= 0 && have+want > limit {
			kinds, asked = append(kinds, kind), append(asked, text(&want))
			had, allowed = append(had, text(&have)), append(allowed, text(&limit))
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	join := func(parts []string) string { return strings.Join(parts, ", ") }
	return refuse(http.StatusForbidden, "", "Quota exceeded for %s: Requested %s, but already used %s of %s %s",
		join(kinds), join(asked), join(had), join(allowed), join(kinds))
}

// novaPolicy is nova/exception.py, PolicyNotAuthorized.
func novaPolicy(rule string) error {
	return refuse(http.StatusForbidden, "", "Policy doesn't allow os_compute_api:%s to be performed.", rule)
}

// quotaProject is the project of a request for a quota set: one's own, or any
// for operators (nova/policies/quota_sets.py).
func (c *Cloud) quotaProject(q *request, rule string) (string, error) {
	id := q.id("id")
	if !c.isOperator(q) && (id != q.project || rule == "update" || rule == "delete") {
		return "", novaPolicy("os-quota-sets:" + rule)
	}
	if !c.isProject(id) {
		return "", badServer("Project ID %s is not a valid project.", id)
	}
	return id, nil
}

// quotaSet writes each kind with show (quota_sets.py, _format_quota_set).
func quotaSet(q *request, id string, show func(kind string) any) any {
	set := map[string]any{}
	if id != "" {
		set["id"] = id
	}
	for kind, until := range computeQuotas {
		if q.minor < until {
			set[kind] = show(kind)
		}
	}
	return wrap("quota_set", set)
}

func (c *Cloud) showQuotaSet(q *request) (any, error) {
	id, err := c.quotaProject(q, "show")
	if err != nil {
		return nil, err
	}
	return quotaSet(q, id, func(kind string) any { return limitOf(c.compute.quotas, id, kind) }), nil
}

// showQuotaDefaults is what projects have without a quota of their own.
func (c *Cloud) showQuotaDefaults(q *request) (any, error) {
	return quotaSet(q, q.id("id"), func(kind string) any { return limitOf(c.compute.quotas, "", kind) }), nil
}

func (c *Cloud) showQuotaDetail(q *request) (any, error) {
	id, err := c.quotaProject(q, "detail")
	if err != nil {
		return nil, err
	}
	used := c.computeUsage(id)
	return quotaSet(q, id, func(kind string) any {
		return map[string]int{"limit": limitOf(c.compute.quotas, id, kind), "in_use": used[kind], "reserved": 0}
	}), nil
}

// updateQuotaSet is quota_sets.py, _update; without force a quota is not less
// than what is used.
func (c *Cloud) updateQuotaSet(q *request) (any, error) {
	id, err := c.quotaProject(q, "update")
	if err != nil {
		return nil, err
	}
	var want map[string]any
	if _, err := q.inner("quota_set", &want); err != nil {
		return nil, err
	}
	force, used := isTrue(want["force"]), c.computeUsage(id)
	delete(want, "force")
	for kind, value := range want {
		limit, isNumber := value.(float64)
		if until, known := computeQuotas[kind]; !isNumber || !known || q.minor >= until || limit < -1 {
			return nil, badServer("Invalid input for field/attribute quota_set. Additional properties are not allowed ('%s' was unexpected)", kind)
		}
		if !force && limit >= 0 && int(limit) < used[kind] {
			return nil, badServer("Quota limit %v for %s must be greater than or equal to already used and reserved %d.", limit, kind, used[kind])
		}
	}
	for kind, value := range want {
		limit, _ := value.(float64)
		c.compute.quotas[id+"/"+kind] = int(limit)
	}
	return reply{status: http.StatusOK, body: quotaSet(q, "", func(kind string) any { return limitOf(c.compute.quotas, id, kind) })}, nil
}

// deleteQuotaSet gives a project the quotas of all again; a 202.
func (c *Cloud) deleteQuotaSet(q *request) (any, error) {
	id, err := c.quotaProject(q, "delete")
	if err != nil {
		return nil, err
	}
	for kind := range computeQuotas {
		delete(c.compute.quotas, id+"/"+kind)
	}
	return reply{status: http.StatusAccepted}, nil
}

// showComputeLimits is nova/api/openstack/compute/limits.py; -1 is no limit.
func (c *Cloud) showComputeLimits(q *request) (any, error) {
	project := cmp.Or(q.query.Get("tenant_id"), q.project)
	if project != q.project && !c.isOperator(q) {
		return nil, novaPolicy("limits:other_project")
	}
	absolute, used := map[string]any{}, c.computeUsage(project)
	for kind, names := range map[string][]string{
		"instances": {"maxTotalInstances", "totalInstancesUsed"}, "cores": {"maxTotalCores", "totalCoresUsed"},
		"ram": {"maxTotalRAMSize", "totalRAMUsed"}, "server_groups": {"maxServerGroups", "totalServerGroupsUsed"},
		"server_group_members": {"maxServerGroupMembers"}, "key_pairs": {"maxTotalKeypairs"}, "metadata_items": {"maxServerMeta"},
		"injected_files": {"maxPersonality"}, "injected_file_content_bytes": {"maxPersonalitySize"},
		"floating_ips": {"maxTotalFloatingIps", "totalFloatingIpsUsed"}, "security_groups": {"maxSecurityGroups", "totalSecurityGroupsUsed"},
		"security_group_rules": {"maxSecurityGroupRules"},
	} {
		if q.minor >= computeQuotas[kind] {
			continue
		}
		absolute[names[0]] = limitOf(c.compute.quotas, project, kind)
		for _, name := range names[1:] {
			absolute[name] = used[kind]
		}
	}
	if q.minor < 39 { // views/limits.py: max_image_meta
		absolute["maxImageMeta"] = absolute["maxServerMeta"]
	}
	return wrap("limits", map[string]any{"rate": []any{}, "absolute": absolute}), nil
}

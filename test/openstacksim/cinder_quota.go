package openstacksim

import (
	"net/http"
	"slices"
)

// Quotas, limits and types of Cinder.

func (c *Cloud) volumeQuotaRoutes() {
	s := c.volume.service
	c.on(s, "GET", "/os-quota-sets/{target}", c.showVolumeQuota)
	c.on(s, "GET", "/os-quota-sets/{target}/defaults", c.showVolumeQuota)
	c.on(s, "GET", "/limits", c.showVolumeLimits)
}

// volumeUse is what a project has; snapshots count as gigabytes, too
// (cinder/conf: no_snapshot_gb_quota is off).
func (c *Cloud) volumeUse(project string) map[string]int {
	used := map[string]int{"volumes": 0, "gigabytes": 0, "snapshots": 0}
	for _, v := range c.volume.volumes.rows {
		if v.ProjectID == project {
			used["volumes"]++
			used["gigabytes"] += v.Size
		}
	}
	for _, s := range c.volume.snapshots.rows {
		if s.ProjectID == project {
			used["snapshots"]++
			used["gigabytes"] += s.Size
		}
	}
	return used
}

func (c *Cloud) volumeLimit(kind string) int {
	if limit, ok := c.volume.quotas[kind]; ok {
		return limit
	}
	return -1
}

// checkVolumeQuota is cinder/exception.py, VolumeLimitExceeded and
// VolumeSizeExceedsAvailableQuota: a 413 that says Retry-After: 0.
func (c *Cloud) checkVolumeQuota(project string, size int) error {
	used := c.volumeUse(project)
	if limit := c.volumeLimit("volumes"); limit >= 0 && used["volumes"] >= limit {
		return overVolumeQuota("VolumeLimitExceeded: Maximum number of volumes allowed (%d) exceeded for quota 'volumes'.", limit)
	}
	return c.checkGigabytes(project, size)
}

func (c *Cloud) checkGigabytes(project string, size int) error {
	used := c.volumeUse(project)["gigabytes"]
	if limit := c.volumeLimit("gigabytes"); limit >= 0 && used+size > limit {
		return overVolumeQuota("VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. "+
			"Requested %dG, quota is %dG and %dG has been consumed.", size, limit, used)
	}
	return nil
}

func overVolumeQuota(format string, args ...any) error {
	err := asAPIError(refuse(http.StatusRequestEntityTooLarge, "", format, args...))
	err.header = http.Header{"Retry-After": {"0"}}
	return err
}

// showVolumeQuota is cinder/api/contrib/quotas.py, show: with usage=True each is
// an object.
func (c *Cloud) showVolumeQuota(q *request) (any, error) {
	if q.id("target") != q.project {
		return nil, refuse(http.StatusForbidden, "", "Policy doesn't allow volume_extension:quotas:show to be performed.")
	}
	quota := map[string]any{"id": q.project}
	used := c.volumeUse(q.project)
	for _, kind := range []string{"volumes", "gigabytes", "snapshots", "backups", "backup_gigabytes", "per_volume_gigabytes", "groups"} {
		quota[kind] = c.volumeLimit(kind)
		if isTrue(q.query.Get("usage")) {
			quota[kind] = map[string]int{"limit": c.volumeLimit(kind), "in_use": used[kind], "reserved": 0}
		}
	}
	return wrap("quota_set", quota), nil
}

// showVolumeLimits is cinder/api/views/limits.py and cinder/api/contrib/used_limits.py.
func (c *Cloud) showVolumeLimits(q *request) (any, error) {
	used := c.volumeUse(q.project)
	return wrap("limits", map[string]any{"rate": []any{}, "absolute": map[string]int{
		"maxTotalVolumes": c.volumeLimit("volumes"), "totalVolumesUsed": used["volumes"],
		"maxTotalVolumeGigabytes": c.volumeLimit("gigabytes"), "totalGigabytesUsed": used["gigabytes"],
		"maxTotalSnapshots": c.volumeLimit("snapshots"), "totalSnapshotsUsed": used["snapshots"],
		"maxTotalBackups": -1, "totalBackupsUsed": 0, "maxTotalBackupGigabytes": -1, "totalBackupGigabytesUsed": 0}}), nil
}

func volumeType(name string) any {
	return map[string]any{"id": hexOf(name), "name": name, "is_public": true, "os-volume-type-access:is_public": true, "description": nil,
		"extra_specs": map[string]any{}, "qos_specs_id": nil}
}

func (c *Cloud) listVolumeTypes(*request) (any, error) {
	list := []any{}
	for _, name := range c.volume.types {
		list = append(list, volumeType(name))
	}
	return wrap("volume_types", list), nil
}

// findVolumeType takes an ID or a name.
func (c *Cloud) findVolumeType(which string) (string, bool) {
	i := slices.IndexFunc(c.volume.types, func(name string) bool { return name == which || hexOf(name) == which })
	if i < 0 {
		return "", false
	}
	return c.volume.types[i], true
}

// checkVolumeType is cinder/volume/volume_types.py, get_by_name_or_id.
func (c *Cloud) checkVolumeType(which string) error {
	if _, ok := c.findVolumeType(which); which != "" && !ok {
		return refuse(http.StatusNotFound, "", "Volume type with name %s could not be found.", which)
	}
	return nil
}

func (c *Cloud) showVolumeType(q *request) (any, error) {
	id := q.id("id")
	if id == "default" {
		id = c.volume.types[0]
	}
	name, ok := c.findVolumeType(id)
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Volume type %s could not be found.", id)
	}
	return wrap("volume_type", volumeType(name)), nil
}

package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// volume is Cinder: osapi_max_limit is the page size.
type volume struct {
	service   *service
	snapshots *table[Snapshot, *Snapshot]
	volumes   *table[Volume, *Volume]
	quotas    map[string]int // volumes, gigabytes, snapshots
	zones     []string
	types     []string // names; the first is the default
}

// Volume is a Cinder volume.
type Volume struct {
	ID, Name, Description, ProjectID, UserID string

	Status     string // creating, available, reserved, in-use, deleting, error
	Size       int    // GiB
	Zone       string
	Type       string
	ImageID    string
	SnapshotID string // it was made from
	Metadata   map[string]string
	ServerID   string
	Created    time.Time
}

func (v *Volume) ident() string { return v.ID }
func (v *Volume) owner() string { return v.ProjectID }
func (v *Volume) label() string { return v.Name }

func (c *Cloud) startVolume() {
	s := &service{name: "cinder", kind: "volumev3", root: "/volume", base: "/volume/v3/{project}", render: cinderError, prepare: ownProject}
	c.volume = &volume{service: s, snapshots: register[Snapshot](c, "snapshot"), volumes: register[Volume](c, "volume"),
		quotas: map[string]int{}, zones: []string{"nova", "az1", "az2"}, types: []string{"lvm"}}
	c.identity.catalog = append(c.identity.catalog, s)

	// cinder/api/versions.py: 300 for the list
	version := func() any {
		return wrap("versions", []any{map[string]any{"id": "v3.0", "status": "CURRENT", "version": "3.70", "min_version": "3.0",
			"updated": "2022-08-31T00:00:00Z", "links": []any{map[string]string{"rel": "self", "href": c.url + "/volume/v3/"}}}})
	}
	c.document(s, s.root, http.StatusMultipleChoices, version)
	c.document(s, "/volume/v3", http.StatusOK, version)
	c.on(s, "GET", "/volumes", c.listVolumes)
	c.on(s, "GET", "/volumes/detail", c.listVolumes)
	c.on(s, "POST", "/volumes", c.createVolume)
	c.on(s, "GET", "/volumes/{id}", c.showVolume)
	c.on(s, "DELETE", "/volumes/{id}", c.deleteVolume)
	c.on(s, "PUT", "/volumes/{id}", c.updateVolume)
	c.on(s, "POST", "/volumes/{id}/action", c.actOnVolume)
	c.on(s, "GET", "/types", c.listVolumeTypes)
	c.on(s, "GET", "/types/{id}", c.showVolumeType)
	c.on(s, "GET", "/os-availability-zone", c.listVolumeZones)
	c.snapshotRoutes()
	c.volumeQuotaRoutes()
}

// cinderError is cinder/api/openstack/wsgi.py, Fault: as Nova's, and a 413 says
// in its body, too, when to try again.
func cinderError(e *apiError) any {
	rendered := novaError(e)
	if body, ok := rendered.(map[string]any); ok && e.status == http.StatusRequestEntityTooLarge {
		if fault, ok := body["overLimit"].(map[string]any); ok {
			fault["retryAfter"] = e.header.Get("Retry-After")
		}
	}
	return rendered
}

// ownProject is cinder/api/openstack/wsgi.py: the project in the path is that of the token.
func ownProject(q *request) error {
	if q.id("project") != q.project {
		return refuse(http.StatusBadRequest, "", "Malformed request url")
	}
	return nil
}

// shown is cinder/api/v3/views/volumes.py and cinder/api/v2/views/volumes.py.
func (v *Volume) shown() map[string]any {
	attachments := []any{}
	if v.ServerID != "" {
		attachments = append(attachments, map[string]any{"server_id": v.ServerID, "volume_id": v.ID, "id": v.ID,
			"attachment_id": v.ID, "device": "/dev/vdb", "host_name": nil})
	}
	shown := map[string]any{"id": v.ID, "name": v.Name, "description": v.Description, "status": v.Status, "size": v.Size,
		"availability_zone": v.Zone, "volume_type": v.Type, "metadata": v.Metadata, "attachments": attachments, "user_id": v.UserID,
		"created_at": v.Created.UTC().Format("2006-01-02T15:04:05.000000"), "updated_at": nil, "bootable": "false", "encrypted": false,
		"multiattach": false, "snapshot_id": orNil(v.SnapshotID), "source_volid": nil, "consistencygroup_id": nil, "replication_status": nil,
		"os-vol-tenant-attr:tenant_id": v.ProjectID, "links": []any{}}
	if v.ImageID != "" {
		shown["bootable"] = "true"
		shown["volume_image_metadata"] = map[string]string{"image_id": v.ImageID}
	}
	return shown
}

// listVolumes is cinder/api/v3/volumes.py, _get_volumes: the newest first.
func (c *Cloud) listVolumes(q *request) (any, error) {
	rows := slices.DeleteFunc(slices.Clone(c.volume.volumes.listed()), func(v *Volume) bool {
		return v.ProjectID != q.project || c.hidden[v.ID] || !v.fits(q)
	})
	slices.SortStableFunc(rows, func(a, b *Volume) int { return b.Created.Compare(a.Created) })
	p, err := paged(c, q, rows)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, v := range p.rows {
		if strings.HasSuffix(q.URL.Path, "/detail") {
			list = append(list, v.shown())
		} else {
			list = append(list, map[string]any{"id": v.ID, "name": v.Name, "links": []any{}})
		}
	}
	p.prev = ""
	return withLinks("volumes", list, p.links()), nil
}

// fits knows the filters of cinder/api/v3/volumes.py; metadata comes as a
// Python dictionary or as JSON and must be part of the volume's.
func (v *Volume) fits(q *request) bool {
	for key, values := range q.query {
		ok := true
		switch key {
		case "name", "display_name":
			ok = v.Name == values[0]
		case "status":
			ok = v.Status == values[0]
		case "availability_zone":
			ok = v.Zone == values[0]
		case "bootable":
			ok = isTrue(values[0]) == (v.ImageID != "")
		case "metadata":
			var want map[string]string
			ok = json.Unmarshal([]byte(strings.ReplaceAll(values[0], "'", `"`)), &want) == nil
			for key, value := range want {
				ok = ok && v.Metadata[key] == value
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// volumeRequest is the body of POST /volumes.
type volumeRequest struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Size        int               `json:"size"`
	ImageRef    string            `json:"imageRef"`
	Type        string            `json:"volume_type"`
	Zone        string            `json:"availability_zone"`
	Metadata    map[string]string `json:"metadata"`
	SnapshotID  string            `json:"snapshot_id"`
	SourceID    string            `json:"source_volid"`
	BackupID    string            `json:"backup_id"`
	GroupID     string            `json:"consistencygroup_id"`
}

// createVolume is cinder/api/v3/volumes.py, create.
func (c *Cloud) createVolume(q *request) (any, error) {
	var want volumeRequest
	if _, err := q.decode("volume", &want, "name", "description", "size", "imageRef", "volume_type", "availability_zone", "metadata",
		"multiattach", "source_volid", "snapshot_id", "consistencygroup_id", "backup_id"); err != nil {
		return nil, err
	}
	if err := c.checkVolumeRequest(q, &want); err != nil {
		return nil, err
	}
	if want.SnapshotID != "" {
		snapshot, err := c.readySnapshot(q, want.SnapshotID, want.Size)
		if err != nil {
			return nil, err
		}
		want.Size = cmp.Or(want.Size, snapshot.Size)
	}
	if want.Size < 1 {
		return nil, refuse(http.StatusBadRequest, "", "Invalid input received: Invalid volume size provided for create request: %d "+
			"(size argument must be an integer (or string representation of an integer) and greater than zero).", want.Size)
	}
	if err := c.checkVolumeQuota(q.project, want.Size); err != nil {
		return nil, err
	}
	v := c.newVolume(&Volume{Name: want.Name, Description: want.Description, ProjectID: q.project, UserID: q.token.user.id, Size: want.Size,
		Zone: want.Zone, Type: want.Type, ImageID: want.ImageRef, SnapshotID: want.SnapshotID, Metadata: want.Metadata})
	return reply{status: http.StatusAccepted, body: wrap("volume", v.shown())}, nil
}

func (c *Cloud) checkVolumeRequest(q *request, want *volumeRequest) error {
	if want.SourceID != "" || want.BackupID != "" || want.GroupID != "" {
		return c.partNotSimulated(q)
	}
	if want.ImageRef != "" {
		if _, ok := c.image.images.get(want.ImageRef); !ok {
			return refuse(http.StatusBadRequest, "", "Invalid image identifier or unable to access requested image.")
		}
	}
	if want.Zone != "" && !slices.Contains(c.volume.zones, want.Zone) {
		return refuse(http.StatusBadRequest, "", "Availability zone '%s' is invalid.", want.Zone)
	}
	return c.checkVolumeType(want.Type)
}

func (c *Cloud) newVolume(v *Volume) *Volume {
	v.ID, v.Status, v.Created, v.Zone, v.Type = c.newID("volume"), "creating", c.at, cmp.Or(v.Zone, "nova"), cmp.Or(v.Type, c.volume.types[0])
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	c.later(c.delays.VolumeCreate, func() {
		if v.Status == "creating" {
			v.Status = "available"
		}
	})
	return c.volume.volumes.add(v)
}

package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Snapshot is a Cinder snapshot of a volume.
type Snapshot struct {
	ID, Name, Description, ProjectID, UserID string

	VolumeID string
	Status   string // creating, available, deleting
	Size     int    // GiB
	Metadata map[string]string
	Created  time.Time
}

func (s *Snapshot) ident() string { return s.ID }
func (s *Snapshot) owner() string { return s.ProjectID }
func (s *Snapshot) label() string { return s.Name }

func (c *Cloud) snapshotRoutes() {
	s := c.volume.service
	c.on(s, "GET", "/snapshots", c.listSnapshots)
	c.on(s, "GET", "/snapshots/detail", c.listSnapshots)
	c.on(s, "POST", "/snapshots", c.createSnapshot)
	c.on(s, "GET", "/snapshots/{id}", c.showSnapshot)
	c.on(s, "DELETE", "/snapshots/{id}", c.deleteSnapshot)
}

// shown is cinder/api/views/snapshots.py.
func (s *Snapshot) shown() map[string]any {
	return map[string]any{"id": s.ID, "name": s.Name, "description": s.Description, "volume_id": s.VolumeID, "status": s.Status, "size": s.Size,
		"metadata": s.Metadata, "created_at": s.Created.UTC().Format("2006-01-02T15:04:05.000000"), "updated_at": nil, "user_id": s.UserID,
		"os-extended-snapshot-attributes:project_id": s.ProjectID, "os-extended-snapshot-attributes:progress": "100%"}
}

func (c *Cloud) snapshotsOf(volume string) []*Snapshot {
	return c.volume.snapshots.where(func(s *Snapshot) bool { return s.VolumeID == volume })
}

// listSnapshots is cinder/api/v3/snapshots.py, _items: the newest first.
func (c *Cloud) listSnapshots(q *request) (any, error) {
	rows := slices.DeleteFunc(slices.Clone(c.volume.snapshots.listed()), func(s *Snapshot) bool {
		differs := func(key, have string) bool { return q.query.Has(key) && q.query.Get(key) != have }
		return s.ProjectID != q.project || c.hidden[s.ID] || differs("name", s.Name) || differs("status", s.Status) || differs("volume_id", s.VolumeID)
	})
	slices.SortStableFunc(rows, func(a, b *Snapshot) int { return b.Created.Compare(a.Created) })
	p, err := paged(c, q, rows)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, s := range p.rows {
		list = append(list, s.shown())
	}
	p.prev = ""
	return withLinks("snapshots", list, p.links()), nil
}

// createSnapshot is cinder/volume/api.py, create_snapshot_in_db: of an available
// volume, or with force of one in use.
func (c *Cloud) createSnapshot(q *request) (any, error) {
	var want struct {
		Name        string            `json:"name"`
		Description string            `json:"description"`
		VolumeID    string            `json:"volume_id"`
		Force       any               `json:"force"`
		Metadata    map[string]string `json:"metadata"`
	}
	if _, err := q.decode("snapshot", &want, "name", "description", "volume_id", "force", "metadata"); err != nil {
		return nil, err
	}
	v, ok := c.volume.volumes.of(q.project, want.VolumeID)
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Volume %s could not be found.", want.VolumeID)
	}
	if v.Status != "available" && (v.Status != "in-use" || !isTrue(want.Force)) {
		return nil, refuse(http.StatusBadRequest, "", "Invalid volume: Volume %s status must be available, but current status is: %s.", v.ID, v.Status)
	}
	if limit := c.volumeLimit("snapshots"); limit >= 0 && c.volumeUse(q.project)["snapshots"] >= limit {
		return nil, overVolumeQuota("SnapshotLimitExceeded: Maximum number of snapshots allowed (%d) exceeded", limit)
	}
	if err := c.checkGigabytes(q.project, v.Size); err != nil {
		return nil, err
	}
	if want.Metadata == nil {
		want.Metadata = map[string]string{}
	}
	s := c.volume.snapshots.add(&Snapshot{ID: c.newID("snapshot"), Name: want.Name, Description: want.Description, ProjectID: q.project,
		UserID: q.token.user.id, VolumeID: v.ID, Status: "creating", Size: v.Size, Metadata: want.Metadata, Created: c.at})
	c.later(c.delays.VolumeCreate, func() {
		if s.Status == "creating" {
			s.Status = "available"
		}
	})
	return reply{status: http.StatusAccepted, body: wrap("snapshot", s.shown())}, nil
}

func (c *Cloud) snapshotOf(q *request) (*Snapshot, error) {
	s, ok := c.volume.snapshots.of(q.project, q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Snapshot %s could not be found.", q.id("id"))
	}
	return s, nil
}

func (c *Cloud) showSnapshot(q *request) (any, error) {
	s, err := c.snapshotOf(q)
	if err != nil {
		return nil, err
	}
	return wrap("snapshot", s.shown()), nil
}

func (c *Cloud) deleteSnapshot(q *request) (any, error) {
	s, err := c.snapshotOf(q)
	switch {
	case err != nil:
		return nil, err
	case s.Status != "available" && s.Status != "error":
		return nil, refuse(http.StatusBadRequest, "", "Invalid snapshot: Snapshot status must be available or error or error_deleting.")
	}
	c.startSnapshotDelete(s)
	return reply{status: http.StatusAccepted}, nil
}

func (c *Cloud) startSnapshotDelete(s *Snapshot) {
	s.Status = "deleting"
	c.later(c.delays.VolumeDelete, func() { c.volume.snapshots.drop(s.ID) })
}

// readySnapshot is the source of a new volume (cinder/volume/flows/api/create_volume.py,
// _extract_snapshot and _extract_size).
func (c *Cloud) readySnapshot(q *request, id string, size int) (*Snapshot, error) {
	s, ok := c.volume.snapshots.of(q.project, id)
	switch {
	case !ok:
		return nil, refuse(http.StatusNotFound, "", "Snapshot %s could not be found.", id)
	case s.Status != "available":
		return nil, refuse(http.StatusBadRequest, "", "Invalid snapshot: Originating snapshot status must be one of 'available' values")
	case size != 0 && size < s.Size:
		return nil, refuse(http.StatusBadRequest, "", "Invalid input received: Volume size '%d'GB cannot be smaller than the snapshot size %dGB. "+
			"They must be >= original snapshot size.", size, s.Size)
	}
	return s, nil
}

func (c *Cloud) updateVolume(q *request) (any, error) {
	v, err := c.volumeOf(q)
	if err != nil {
		return nil, err
	}
	var want struct {
		Name        *string            `json:"name"`
		Description *string            `json:"description"`
		Metadata    *map[string]string `json:"metadata"`
	}
	if _, err := q.decode("volume", &want, "name", "description", "metadata"); err != nil {
		return nil, err
	}
	put(&v.Name, want.Name)
	put(&v.Description, want.Description)
	put(&v.Metadata, want.Metadata)
	return wrap("volume", v.shown()), nil
}

// actOnVolume is cinder/api/contrib/volume_actions.py; only os-extend is simulated.
func (c *Cloud) actOnVolume(q *request) (any, error) {
	v, err := c.volumeOf(q)
	if err != nil {
		return nil, err
	}
	var body map[string]struct {
		Size int `json:"new_size"`
	}
	err = json.Unmarshal(q.raw, &body)
	want, ok := body["os-extend"]
	if err != nil || !ok {
		return nil, c.partNotSimulated(q)
	}
	switch {
	case v.Status != "available":
		return nil, refuse(http.StatusBadRequest, "", "Invalid volume: Volume %s status must be available to extend, but current status is: %s.", v.ID, v.Status)
	case want.Size <= v.Size:
		return nil, refuse(http.StatusBadRequest, "", "Invalid input received: New size for extend must be greater than current size. "+
			"(current: %d, extended: %d).", v.Size, want.Size)
	}
	if err := c.checkGigabytes(q.project, want.Size-v.Size); err != nil {
		return nil, err
	}
	v.Size = want.Size
	return reply{status: http.StatusAccepted}, nil
}

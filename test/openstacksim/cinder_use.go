package openstacksim

import (
	"fmt"
	"net/http"
)

func (c *Cloud) volumeOf(q *request) (*Volume, error) {
	v, ok := c.volume.volumes.of(q.project, q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Volume %s could not be found.", q.id("id"))
	}
	return v, nil
}

func (c *Cloud) showVolume(q *request) (any, error) {
	v, err := c.volumeOf(q)
	if err != nil {
		return nil, err
	}
	return wrap("volume", v.shown()), nil
}

// deleteVolume is cinder/volume/api.py, delete: only what nobody uses.
func (c *Cloud) deleteVolume(q *request) (any, error) {
	v, err := c.volumeOf(q)
	if err != nil {
		return nil, err
	}
	snapshots := c.snapshotsOf(v.ID)
	switch {
	case (v.Status == "available" || v.Status == "error") && (len(snapshots) == 0 || isTrue(q.query.Get("cascade"))):
		for _, s := range snapshots {
			c.startSnapshotDelete(s)
		}
		c.startVolumeDelete(v)
	case v.Status == "deleting":
	default:
		return nil, refuse(http.StatusBadRequest, "", "Invalid volume: Volume status must be available or error or error_restoring or "+
			"error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a "+
			"transfer, or be disassociated from snapshots after volume transfer.")
	}
	return reply{status: http.StatusAccepted}, nil
}

func (c *Cloud) startVolumeDelete(v *Volume) {
	v.Status = "deleting"
	c.later(c.delays.VolumeDelete, func() { c.volume.volumes.drop(v.ID) })
}

func (c *Cloud) listVolumeZones(*request) (any, error) {
	list := []any{}
	for _, name := range c.volume.zones {
		list = append(list, map[string]any{"zoneName": name, "zoneState": map[string]bool{"available": true}})
	}
	return wrap("availabilityZoneInfo", list), nil
}

// checkVolumes is nova/compute/api.py, _validate_bdm: volumes that are named
// must be free, new ones need a size, one of them is to boot from. The zones may
// differ, as cinder.cross_az_attach is on by default.
func (c *Cloud) checkVolumes(q *request, want *serverRequest) error {
	boots := want.ImageRef != ""
	for _, b := range want.Volumes {
		boots = boots || fmt.Sprint(b.BootIndex) == "0"
		if err := c.checkVolume(q, b); err != nil {
			return err
		}
	}
	if !boots {
		return badServer("Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.")
	}
	return nil
}

func (c *Cloud) checkVolume(q *request, b blockDevice) error {
	switch b.SourceType + " to " + b.DestinationType {
	case "volume to volume", "volume to ":
		v, ok := c.volume.volumes.of(q.project, b.UUID)
		if !ok {
			return badServer("Block Device Mapping is Invalid: failed to get volume %s.", b.UUID)
		}
		if v.Status != "available" {
			return badServer("Invalid volume: status must be 'available'. Currently in '%s'", v.Status)
		}
	case "image to volume":
		if _, ok := c.image.images.get(b.UUID); !ok {
			return badServer("Block Device Mapping is Invalid: failed to get image %s.", b.UUID)
		}
		if b.VolumeSize == 0 {
			return badServer("Block Device Mapping is Invalid: Images with destination_type 'volume' need to have a non-zero size specified")
		}
	case "blank to volume":
		if b.VolumeSize == 0 {
			return badServer("Block Device Mapping is Invalid: Blank volumes (source: 'blank', dest: 'volume') need to have non-zero size")
		}
	}
	return nil
}

// reserveVolumes keeps the named volumes for the server from the moment of its
// creation (nova/compute/api.py, _check_attach_and_reserve_volume).
func (c *Cloud) reserveVolumes(s *Server, devices []blockDevice) {
	for _, b := range devices {
		if v, ok := c.volumeByID(b.UUID); ok && b.SourceType == "volume" {
			v.Status = "reserved"
			s.addVolume(v.ID, b.DeleteOnTermination)
		}
	}
}

// equipVolumes makes the volumes that do not exist yet
// (nova/virt/block_device.py, DriverVolImageBlockDevice and DriverVolBlankBlockDevice).
func (c *Cloud) equipVolumes(s *Server, devices []blockDevice) error {
	for _, b := range devices {
		if b.SourceType == "volume" || b.DestinationType != "volume" {
			continue
		}
		if err := c.checkVolumeQuota(s.ProjectID, b.VolumeSize); err != nil {
			return err
		}
		v := c.newVolume(&Volume{ProjectID: s.ProjectID, UserID: s.UserID, Size: b.VolumeSize, Zone: s.Zone, Type: b.VolumeType})
		if b.SourceType == "image" {
			v.ImageID = b.UUID
		}
		v.Status = "reserved"
		s.addVolume(v.ID, b.DeleteOnTermination)
	}
	return nil
}

func (c *Cloud) volumeByID(id string) (*Volume, bool) { return c.volume.volumes.get(id) }

func (c *Cloud) useVolume(id, serverID string) {
	if v, ok := c.volumeByID(id); ok {
		v.Status, v.ServerID = "in-use", serverID
	}
}

// releaseVolume is what happens to a volume whose server has gone.
func (c *Cloud) releaseVolume(id string, remove bool) {
	v, ok := c.volumeByID(id)
	if !ok {
		return
	}
	v.Status, v.ServerID = "available", ""
	if remove {
		c.startVolumeDelete(v)
	}
}

package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
)

func (c *Cloud) attachmentRoutes() {
	s := c.compute.service
	c.on(s, "GET", "/servers/{id}/os-volume_attachments", c.listAttachments)
	c.on(s, "POST", "/servers/{id}/os-volume_attachments", c.attachVolume)
	c.on(s, "GET", "/servers/{id}/os-volume_attachments/{volume}", c.showAttachment)
	c.on(s, "DELETE", "/servers/{id}/os-volume_attachments/{volume}", c.detachVolume)
}

// volumeAttachment is nova/api/openstack/compute/volumes.py,
// _translate_attachment_detail_view.
func volumeAttachment(q *request, s *Server, v ServerVolume) map[string]any {
	shown := map[string]any{"id": v.ID, "volumeId": v.ID, "serverId": s.ID, "device": v.Device}
	if q.minor >= 70 {
		shown["tag"] = nil
	}
	if q.minor >= 79 {
		shown["delete_on_termination"] = v.DeleteOnTermination
	}
	if q.minor >= 89 {
		delete(shown, "id")
		shown["attachment_id"], shown["bdm_uuid"] = v.ID, v.ID
	}
	return shown
}

// addVolume gives a server a volume, under the first free name of a virtio disk; the
// server's own disk has the first.
func (s *Server) addVolume(id string, deleteOnTermination bool) ServerVolume {
	letter := 'a'
	if s.ImageID != "" {
		letter++
	}
	name := func() string { return "/dev/vd" + string(letter) }
	for slices.ContainsFunc(s.Volumes, func(v ServerVolume) bool { return v.Device == name() }) {
		letter++
	}
	v := ServerVolume{ID: id, DeleteOnTermination: deleteOnTermination, Device: name()}
	s.Volumes = append(slices.Clone(s.Volumes), v)
	return v
}

func (c *Cloud) listAttachments(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, v := range s.Volumes {
		list = append(list, volumeAttachment(q, s, v))
	}
	return wrap("volumeAttachments", list), nil
}

// attached finds a server and which of its volumes is meant.
func (c *Cloud) attached(q *request) (*Server, ServerVolume, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, ServerVolume{}, err
	}
	id := q.id("volume")
	i := slices.IndexFunc(s.Volumes, func(v ServerVolume) bool { return v.ID == id })
	if i < 0 {
		return nil, ServerVolume{}, refuse(http.StatusNotFound, "", "Instance %s is not attached to volume %s", s.ID, id)
	}
	return s, s.Volumes[i], nil
}

func (c *Cloud) showAttachment(q *request) (any, error) {
	s, v, err := c.attached(q)
	if err != nil {
		return nil, err
	}
	return wrap("volumeAttachment", volumeAttachment(q, s, v)), nil
}

// attachVolume is volumes.py, create: the volume is reserved when Nova answers, and
// in use when its hypervisor is done.
func (c *Cloud) attachVolume(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	var body struct {
		Attachment struct {
			VolumeID            string `json:"volumeId"`
			DeleteOnTermination bool   `json:"delete_on_termination"`
		} `json:"volumeAttachment"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return nil, badServer("Malformed request body")
	}
	want := body.Attachment
	v, ok := c.volume.volumes.of(q.project, want.VolumeID)
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Volume %s could not be found.", want.VolumeID)
	}
	if err := s.allowed("attach_volume", "active", "paused", "stopped"); err != nil {
		return nil, err
	}
	switch {
	case v.ServerID != "" || v.Status == "reserved":
		return nil, badServer("Invalid volume: volume %s is already attached to instances: %s", v.ID, v.ServerID)
	case v.Status != "available":
		return nil, badServer("Invalid volume: status must be 'available'. Currently in '%s'", v.Status)
	}
	v.Status = "reserved"
	added := s.addVolume(v.ID, want.DeleteOnTermination)
	c.later(c.delays.ServerAction, func() {
		if v.Status == "reserved" { // the server may have gone, and let it go
			c.useVolume(v.ID, s.ID)
		}
	})
	return reply{status: http.StatusOK, body: wrap("volumeAttachment", volumeAttachment(q, s, added))}, nil
}

// detachVolume is volumes.py, delete: later the volume is free.
func (c *Cloud) detachVolume(q *request) (any, error) {
	s, have, err := c.attached(q)
	if err != nil {
		return nil, err
	}
	v, _ := c.volumeByID(have.ID)
	switch {
	case have.Device == "/dev/vda":
		return nil, badServer("Cannot detach a root device volume")
	case v == nil || v.Status != "in-use":
		return nil, badServer("Invalid volume: Invalid input received: Invalid volume: Unable to detach volume. Volume status must be 'in-use' and attach_status must be 'attached' to detach.")
	}
	if err := s.allowed("detach_volume", "active", "paused", "stopped"); err != nil {
		return nil, err
	}
	v.Status = "detaching"
	c.later(c.delays.ServerAction, func() {
		if v.Status == "detaching" {
			s.Volumes = slices.DeleteFunc(slices.Clone(s.Volumes), func(one ServerVolume) bool { return one.ID == v.ID })
			c.releaseVolume(v.ID, false)
		}
	})
	return reply{status: http.StatusAccepted}, nil
}

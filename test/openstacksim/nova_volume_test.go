package openstacksim

import (
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/keypairs"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
)

func TestVolumesComeAndGo(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	id := c.server("m0", c.create("port", body{"network_id": network}))
	nova := c.nova("79")
	volumes := "/volume/v3/" + c.sim.ProjectID(Project) + "/volumes"
	volume := func() string {
		return c.want(http.StatusAccepted, "POST", volumes, body{"volume": body{"size": 1}}, "volume")["id"].(string)
	}
	first, second := volume(), volume()
	attach := func(volume string) (*volumeattach.VolumeAttachment, error) {
		return volumeattach.Create(t.Context(), nova, id, volumeattach.CreateOpts{VolumeID: volume}).Extract()
	}
	wantStatus := func(volume, want string) {
		t.Helper()
		if got := c.want(http.StatusOK, "GET", volumes+"/"+volume, nil, "volume")["status"]; got != want {
			t.Errorf("volume: %v, want %s", got, want)
		}
	}
	_, err := attach(first)
	wantCode(t, err, http.StatusConflict, "Cannot 'attach_volume' instance "+id+" while it is in vm_state building")
	c.advance(10 * time.Second)
	_, err = attach("nothing")
	wantCode(t, err, http.StatusNotFound, "Volume nothing could not be found.")

	if got := must(attach(first))(t); got.Device != "/dev/vdb" || got.ID != first {
		t.Errorf("attached: %+v, want at /dev/vdb", got)
	}
	wantStatus(first, "reserved")
	_, err = attach(first)
	wantCode(t, err, http.StatusBadRequest, "is already attached")
	c.advance(5 * time.Second)
	wantStatus(first, "in-use")
	if got := must(attach(second))(t); got.Device != "/dev/vdc" {
		t.Errorf("second volume at %s, want /dev/vdc", got.Device)
	}
	err = volumeattach.Delete(t.Context(), nova, id, second).ExtractErr()
	wantCode(t, err, http.StatusBadRequest, "Volume status must be 'in-use'")
	c.advance(5 * time.Second)

	if err := volumeattach.Delete(t.Context(), nova, id, first).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	wantStatus(first, "detaching")
	c.advance(5 * time.Second)
	wantStatus(first, "available")
	_, err = volumeattach.Get(t.Context(), nova, id, first).Extract()
	wantCode(t, err, http.StatusNotFound, "is not attached to volume "+first)
	pages := must(volumeattach.List(nova, id).AllPages(t.Context()))(t)
	if got := must(volumeattach.ExtractVolumeAttachments(pages))(t); len(got) != 1 || got[0].Device != "/dev/vdc" {
		t.Errorf("attachments: %+v, want the second, where it was", got)
	}
	c.want(http.StatusNoContent, "DELETE", novaURL+"/servers/"+id, nil, "") // frees the second
	c.advance(10 * time.Second)
	wantStatus(second, "available")
}

func TestKeyPairsComeAndGo(t *testing.T) {
	c := start(t)
	nova := c.nova("79")
	const public = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGfyTQp1ExGLzDjcXnjM5nyhAuZkxZgTjPJpLvwAr5vV me"
	create := func(name, key string) (*keypairs.KeyPair, error) {
		return keypairs.Create(t.Context(), nova, keypairs.CreateOpts{Name: name, PublicKey: key}).Extract()
	}
	// as `ssh-keygen -l -E md5` prints it
	if got := must(create("k", public))(t); got.Fingerprint != "d1:9d:fc:a5:66:4e:06:68:2b:56:d8:3d:a6:e7:18:ad" {
		t.Errorf("key pair: %+v", got)
	}
	_, err := create("k", public)
	wantCode(t, err, http.StatusConflict, "Key pair 'k' already exists.")
	_, err = create("other", "ssh-ed25519 nonsense")
	wantCode(t, err, http.StatusBadRequest, "Keypair data is invalid")
	if got := must(keypairs.Get(t.Context(), nova, "k", nil).Extract())(t); got.PublicKey != public {
		t.Errorf("key pair: %+v", got)
	}
	if err := keypairs.Delete(t.Context(), nova, "k", nil).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	_, err = keypairs.Get(t.Context(), nova, "k", nil).Extract()
	wantCode(t, err, http.StatusNotFound, "Keypair k not found")
}

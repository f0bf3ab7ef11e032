package openstacksim

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

func TestVolumeOfAServer(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	c.sim.Seed()
	volumes := "/volume/v3/" + c.sim.ProjectID(Project) + "/volumes"
	id := c.want(http.StatusAccepted, "POST", volumes, body{"volume": body{"name": "m0-root", "size": 10,
		"imageRef": c.sim.Images("node")[0].ID, "metadata": body{"mark": "cx"}}}, "volume")["id"].(string)
	status := func() string { return c.want(http.StatusOK, "GET", volumes+"/"+id, nil, "volume")["status"].(string) }
	port := c.create("port", body{"network_id": network})
	server := body{"server": body{"name": "m0", "flavorRef": "1", "networks": []body{{"port": port}}, "block_device_mapping_v2": []body{
		{"source_type": "volume", "destination_type": "volume", "uuid": id, "boot_index": 0, "delete_on_termination": true}}}}

	c.refused(http.StatusBadRequest, "Currently in 'creating'", "POST", novaURL+"/servers", server)
	c.refused(http.StatusBadRequest, "Volume status must be available", "DELETE", volumes+"/"+id, nil)
	c.advance(3 * time.Second)
	if got := status(); got != "available" {
		t.Fatalf("status: %s, want available", got)
	}
	made := c.want(http.StatusAccepted, "POST", novaURL+"/servers", server, "server")["id"].(string)
	c.advance(10 * time.Second)
	if got := status(); got != "in-use" || c.status(made) != "ACTIVE" {
		t.Errorf("status: %s, want in-use", got)
	}
	for filter, want := range map[string]int{`{'mark': 'cx'}`: 1, `{"mark":"cx"}`: 1, `{'mark':'other'}`: 0} {
		if got := c.list(volumes+"/detail?metadata="+url.QueryEscape(filter), "volumes"); len(got) != want {
			t.Errorf("metadata=%s: %v, want %d", filter, got, want)
		}
	}
	c.want(http.StatusNoContent, "DELETE", novaURL+"/servers/"+made, nil, "")
	c.advance(3 * time.Second)
	if got := status(); got != "deleting" {
		t.Errorf("status after the server: %s, want deleting", got)
	}
	c.advance(3 * time.Second)
	c.want(http.StatusNoContent, "DELETE", neutronURL+"/ports/"+port, nil, "")
	c.sim.WantNothingLeft(t)
}

func TestVolumeQuotaAndZones(t *testing.T) {
	c := start(t)
	volumes := "/volume/v3/" + c.sim.ProjectID(Project) + "/volumes"
	c.refused(http.StatusBadRequest, "Availability zone 'x' is invalid", "POST", volumes, body{"volume": body{"size": 1, "availability_zone": "x"}})
	c.refused(http.StatusBadRequest, "Malformed request url", "GET", "/volume/v3/other/volumes", nil)
	c.sim.SetQuota("gigabytes", 5)
	r := c.send("POST", volumes, body{"volume": body{"size": 6}})
	if r.status != http.StatusRequestEntityTooLarge || r.body["overLimit"] == nil || r.header.Get("Retry-After") != "0" {
		t.Errorf("over quota: %d %s", r.status, r.text)
	}
}

func TestImages(t *testing.T) {
	c := start(t)
	id := c.sim.AddImage(Image{Name: "node-2", Tags: []string{"v1", "amd64"}, Properties: map[string]string{"kube_version": "v1.37.2"}})
	c.sim.AddImage(Image{Name: "node-3", Status: "queued"})
	for query, want := range map[string]int{"name=node-2": 1, "tag=v1&tag=amd64": 1, "tag=v1&tag=arm64": 0, "kube_version=v1.37.2": 1, "status=queued": 1, "": 3} {
		r := c.want(http.StatusOK, "GET", "/image/v2/images?"+query, nil, "")
		if got := r["images"].([]any); len(got) != want {
			t.Errorf("%s: %d images, want %d", query, len(got), want)
		}
	}
	first := c.want(http.StatusOK, "GET", "/image/v2/images?limit=2", nil, "")
	rest := c.want(http.StatusOK, "GET", "/image"+first["next"].(string), nil, "")
	if got := rest["images"].([]any); len(got) != 1 {
		t.Errorf("second page: %v", got)
	}
	if got := c.want(http.StatusOK, "GET", "/image/v2/images/"+id, nil, ""); got["kube_version"] != "v1.37.2" {
		t.Errorf("image: %v", got)
	}
	c.refused(http.StatusNotFound, "Failed to find image", "GET", "/image/v2/images/x", nil)
}

package openstacksim

import (
	"net/http"
	"testing"
	"time"
)

func TestSnapshots(t *testing.T) {
	c := start(t)
	base := "/volume/v3/" + c.sim.ProjectID(Project)
	volume := c.want(http.StatusAccepted, "POST", base+"/volumes", body{"volume": body{"name": "v", "size": 5}}, "volume")["id"].(string)
	in := body{"snapshot": body{"name": "s", "volume_id": volume}}
	c.refused(http.StatusBadRequest, "status must be available", "POST", base+"/snapshots", in)
	c.advance(4 * time.Second)
	snapshot := c.want(http.StatusAccepted, "POST", base+"/snapshots", in, "snapshot")["id"].(string)
	c.refused(http.StatusBadRequest, "Originating snapshot status", "POST", base+"/volumes", body{"volume": body{"snapshot_id": snapshot}})
	c.refused(http.StatusBadRequest, "Invalid snapshot", "DELETE", base+"/snapshots/"+snapshot, nil)
	c.advance(4 * time.Second)
	if got := c.list(base+"/snapshots/detail?volume_id="+volume, "snapshots"); len(got) != 1 || got[0]["status"] != "available" {
		t.Errorf("snapshots: %v", got)
	}
	c.refused(http.StatusBadRequest, "have snapshots", "DELETE", base+"/volumes/"+volume, nil)
	c.refused(http.StatusBadRequest, "cannot be smaller", "POST", base+"/volumes", body{"volume": body{"snapshot_id": snapshot, "size": 4}})
	made := c.want(http.StatusAccepted, "POST", base+"/volumes", body{"volume": body{"snapshot_id": snapshot}}, "volume")
	if made["size"].(float64) != 5 || made["snapshot_id"] != snapshot {
		t.Errorf("volume of a snapshot: %v", made)
	}
	c.advance(4 * time.Second)
	other := base + "/volumes/" + made["id"].(string)
	c.refused(http.StatusBadRequest, "must be greater", "POST", other+"/action", body{"os-extend": body{"new_size": 5}})
	c.want(http.StatusAccepted, "POST", other+"/action", body{"os-extend": body{"new_size": 6}}, "")
	if got := c.want(http.StatusOK, "PUT", other, body{"volume": body{"name": "new"}}, "volume"); got["name"] != "new" || got["size"].(float64) != 6 {
		t.Errorf("volume: %v", got)
	}
	used := c.want(http.StatusOK, "GET", base+"/limits", nil, "limits")["absolute"].(body)
	if used["totalVolumesUsed"].(float64) != 2 || used["totalGigabytesUsed"].(float64) != 16 || used["maxTotalVolumes"].(float64) != -1 {
		t.Errorf("limits: %v", used)
	}
	c.want(http.StatusAccepted, "DELETE", base+"/volumes/"+volume+"?cascade=true", nil, "")
	c.want(http.StatusAccepted, "DELETE", other, nil, "")
	c.advance(4 * time.Second)
	c.sim.WantNothingLeft(t)
}

func TestQuotasOfVolumes(t *testing.T) {
	c := start(t)
	base := "/volume/v3/" + c.sim.ProjectID(Project)
	volume := c.want(http.StatusAccepted, "POST", base+"/volumes", body{"volume": body{"size": 5}}, "volume")["id"].(string)
	c.advance(4 * time.Second)
	for _, tc := range []struct {
		kind, path, says string
		limit            int
		in               body
	}{
		{"volumes", "/volumes", "VolumeLimitExceeded: Maximum number of volumes allowed (1) exceeded for quota 'volumes'.", 1, body{"volume": body{"size": 1}}},
		{"gigabytes", "/volumes", "Requested 2G, quota is 6G and 5G has been consumed.", 6, body{"volume": body{"size": 2}}},
		{"gigabytes", "/snapshots", "Requested 5G, quota is 6G and 5G has been consumed.", 6, body{"snapshot": body{"volume_id": volume}}},
		{"snapshots", "/snapshots", "SnapshotLimitExceeded: Maximum number of snapshots allowed (0) exceeded", 0, body{"snapshot": body{"volume_id": volume}}},
	} {
		c.sim.SetQuota(tc.kind, tc.limit)
		c.refused(http.StatusRequestEntityTooLarge, tc.says, "POST", base+tc.path, tc.in)
		c.refused(http.StatusRequestEntityTooLarge, `"retryAfter":"0"`, "POST", base+tc.path, tc.in)
		quota := c.want(http.StatusOK, "GET", base+"/os-quota-sets/"+c.sim.ProjectID(Project)+"?usage=True", nil, "quota_set")
		if got := quota[tc.kind].(body)["limit"].(float64); int(got) != tc.limit {
			t.Errorf("%s: %v", tc.kind, quota)
		}
		c.sim.SetQuota(tc.kind, -1)
	}
	c.refused(http.StatusForbidden, "quotas:show", "GET", base+"/os-quota-sets/other", nil)
}

func TestVolumeTypes(t *testing.T) {
	c := start(t)
	base := "/volume/v3/" + c.sim.ProjectID(Project)
	c.refused(http.StatusNotFound, "Volume type with name ssd could not be found.", "POST", base+"/volumes", body{"volume": body{"size": 1, "volume_type": "ssd"}})
	c.sim.AddVolumeType("ssd")
	c.want(http.StatusAccepted, "POST", base+"/volumes", body{"volume": body{"size": 1, "volume_type": "ssd"}}, "volume")
	if got := c.want(http.StatusOK, "GET", base+"/types/default", nil, "volume_type")["name"]; got != "lvm" {
		t.Errorf("default type: %v", got)
	}
	c.refused(http.StatusNotFound, "could not be found", "GET", base+"/types/x", nil)
}

package openstacksim

import (
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/availabilityzones"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
)

// listed are the servers that Nova lists, by ID.
func (c *client) listed(minor string, opts servers.ListOpts) map[string]servers.Server {
	c.t.Helper()
	pages := must(servers.List(c.nova(minor), opts).AllPages(c.t.Context()))(c.t)
	byID := map[string]servers.Server{}
	for _, s := range must(servers.ExtractServers(pages))(c.t) {
		byID[s.ID] = s
	}
	return byID
}

func TestListsOfACellThatIsDown(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	up := c.server("up", c.create("port", body{"network_id": network}))
	down := c.server("down", c.create("port", body{"network_id": network}))
	c.advance(10 * time.Second)
	c.sim.CellDown(down)
	for _, tc := range []struct {
		why, minor string
		opts       servers.ListOpts
		rows       int
	}{
		{"minimal rows since 2.69", "69", servers.ListOpts{}, 2},
		{"left out before", "68", servers.ListOpts{}, 1},
		{"left out by a filter", "79", servers.ListOpts{Tags: "cx"}, 1},
		{"left out of pages", "79", servers.ListOpts{Limit: 3}, 1},
	} {
		t.Run(tc.why, func(t *testing.T) {
			got := c.listed(tc.minor, tc.opts)
			if len(got) != tc.rows || got[up].Status != "ACTIVE" {
				t.Errorf("rows: %+v, want %d", got, tc.rows)
			}
			if s, found := got[down]; found && (s.Status != "UNKNOWN" || s.Name != "" || s.TenantID == "" || s.Flavor != nil) {
				t.Errorf("row of the cell that is down: %+v", s)
			}
		})
	}
}

func TestAServerInACellThatIsDownByID(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	down := c.server("down", c.create("port", body{"network_id": network}))
	c.sim.CellDown(down)
	s := must(servers.Get(t.Context(), c.nova("79"), down).Extract())(t)
	if s.Status != "UNKNOWN" || s.Name != "" || s.Flavor["original_name"] != "m1.small" || s.AvailabilityZone != "UNKNOWN" {
		t.Errorf("by ID: %+v", s)
	}
	_, err := servers.Get(t.Context(), c.nova("68"), down).Extract()
	wantCode(t, err, http.StatusInternalServerError, "InstanceNotFound")
}

func TestChangesSince(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	server := func(name string) string { return c.server(name, c.create("port", body{"network_id": network})) }
	old, deleted := server("old"), server("deleted")
	c.advance(time.Minute)
	since := c.sim.Clock.Now().UTC().Format(time.RFC3339)
	c.want(http.StatusNoContent, "DELETE", novaURL+"/servers/"+deleted, nil, "")
	c.advance(time.Minute)
	young := server("young")
	got := c.listed("79", servers.ListOpts{ChangesSince: since})
	if _, found := got[old]; found || len(got) != 2 || got[deleted].Status != "DELETED" || got[young].Status != "BUILD" {
		t.Errorf("changed since %s: %+v", since, got)
	}
	if got := c.listed("79", servers.ListOpts{}); len(got) != 2 {
		t.Errorf("without: %+v, want the two that live", got)
	}
	_, err := servers.List(c.nova("79"), servers.ListOpts{ChangesSince: "yesterday"}).AllPages(t.Context())
	wantCode(t, err, http.StatusBadRequest, "is not a 'date-time'")
}

func TestFlavors(t *testing.T) {
	c := start(t)
	big := c.sim.AddFlavor(Flavor{ID: "9", Name: "big", VCPUs: 8, RAM: 16384, Disk: 80, Extra: map[string]string{"hw:cpu_policy": "dedicated"}})
	nova := c.nova("61")
	pages := must(flavors.ListDetail(nova, flavors.ListOpts{MinRAM: 4096}).AllPages(t.Context()))(t)
	list := must(flavors.ExtractFlavors(pages))(t)
	if len(list) != 1 || list[0].ID != big || list[0].VCPUs != 8 || list[0].ExtraSpecs["hw:cpu_policy"] != "dedicated" {
		t.Errorf("flavors of 4 GiB or more: %+v", list)
	}
	if f := must(flavors.Get(t.Context(), c.nova("60"), big).Extract())(t); f.ExtraSpecs != nil {
		t.Errorf("before 2.61 a flavor shows no extra specs: %+v", f)
	}
	if got := must(flavors.ListExtraSpecs(t.Context(), nova, big).Extract())(t); got["hw:cpu_policy"] != "dedicated" {
		t.Errorf("extra specs: %v", got)
	}
	_, err := flavors.GetExtraSpec(t.Context(), nova, big, "none").Extract()
	wantCode(t, err, http.StatusNotFound, "Flavor 9 has no extra specs with key none.")
	_, err = flavors.Get(t.Context(), nova, "10").Extract()
	wantCode(t, err, http.StatusNotFound, "Flavor 10 could not be found.")
}

func TestZones(t *testing.T) {
	c := start(t)
	c.sim.SetZoneDown("nova", true)
	c.sim.SetZoneDown("az2", true)
	pages := must(availabilityzones.List(c.nova("79")).AllPages(t.Context()))(t)
	for _, zone := range must(availabilityzones.ExtractAvailabilityZones(pages))(t) {
		if zone.ZoneState.Available != (zone.ZoneName == "az1") {
			t.Errorf("zone: %+v", zone)
		}
	}
	in := func(zone string) error {
		_, err := servers.Create(t.Context(), c.nova("79"), servers.CreateOpts{Name: "m0", FlavorRef: "1", ImageRef: c.sim.Images("node")[0].ID,
			Networks: "none", AvailabilityZone: zone}, nil).Extract()
		return err
	}
	wantCode(t, in("az2"), http.StatusBadRequest, "The requested availability zone is not available")
	if err := in(""); err != nil {
		t.Fatal(err)
	}
	c.advance(10 * time.Second)
	if s := c.sim.Servers("m0")[0]; s.Zone != "az1" {
		t.Errorf("zone %q, want the one that is up", s.Zone)
	}
}

func TestLimits(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	c.server("m0", c.create("port", body{"network_id": network}))
	c.sim.SetQuota("cores", 4)
	got := must(limits.Get(t.Context(), c.nova("79"), nil).Extract())(t).Absolute
	if got.MaxTotalCores != 4 || got.TotalCoresUsed != 1 || got.MaxTotalInstances != -1 || got.TotalRAMUsed != 2048 {
		t.Errorf("limits: %+v", got)
	}
	c.sim.SetQuota("metadata_items", 1)
	_, err := servers.Create(t.Context(), c.nova("79"), servers.CreateOpts{Name: "m1", FlavorRef: "1", ImageRef: c.sim.Images("node")[0].ID,
		Networks: "none", Metadata: map[string]string{"a": "1", "b": "2"}}, nil).Extract()
	wantCode(t, err, http.StatusForbidden, "Maximum number of metadata items exceeds 1")
}

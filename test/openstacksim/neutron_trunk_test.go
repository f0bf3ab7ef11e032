package openstacksim

import (
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/trunk_details"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/trunks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
)

func vlan(port string, id int) trunks.Subport {
	return trunks.Subport{PortID: port, SegmentationType: "vlan", SegmentationID: id}
}

// trunk makes a trunk with one sub-port.
func (c *client) trunk(network string) (trunk, parent, sub string) {
	c.t.Helper()
	parent, sub = c.create("port", body{"network_id": network}), c.create("port", body{"network_id": network})
	made := must(trunks.Create(c.t.Context(), c.neutron(), trunks.CreateOpts{Name: "t", PortID: parent, Subports: []trunks.Subport{vlan(sub, 100)}}).Extract())(c.t)
	if made.Status != "DOWN" || len(made.Subports) != 1 {
		c.t.Errorf("new trunk: %+v", made)
	}
	return made.ID, parent, sub
}

func (c *client) trunkStatus(id string) string {
	c.t.Helper()
	return must(trunks.Get(c.t.Context(), c.neutron(), id).Extract())(c.t).Status
}

func TestTrunksFollowTheirServer(t *testing.T) {
	c := start(t, WithDelays(Delays{ServerBuild: 8 * time.Second, PortUp: 4 * time.Second}))
	neutron := c.neutron()
	network, _, _ := c.network()
	trunk, parent, sub := c.trunk(network)
	server := c.server("m0", parent)
	c.advance(20 * time.Second)
	if got := c.trunkStatus(trunk); got != "ACTIVE" {
		t.Errorf("with its server: %s", got)
	}
	var shown struct {
		ports.Port
		trunk_details.TrunkDetailsExt
	}
	done(t, ports.Get(t.Context(), neutron, parent).ExtractInto(&shown))
	if d := shown.TrunkDetails; d.TrunkID != trunk || len(d.SubPorts) != 1 || d.SubPorts[0].MACAddress == "" {
		t.Errorf("port shows %+v", d)
	}
	if p := must(ports.Get(t.Context(), neutron, sub).Extract())(t); p.Status != "ACTIVE" || p.DeviceOwner != "trunk:subport" {
		t.Errorf("sub-port: %+v", p)
	}
	wantCode(t, trunks.Delete(t.Context(), neutron, trunk).ExtractErr(), http.StatusConflict, `"type":"TrunkInUse"`)
	c.sim.DeleteServer(server)
	if got := c.trunkStatus(trunk); got != "DOWN" {
		t.Errorf("without its server: %s", got)
	}
	done(t, trunks.Delete(t.Context(), neutron, trunk).ExtractErr())
}

func TestSubPortsComeAndGo(t *testing.T) {
	c := start(t, WithDelays(Delays{ServerBuild: 8 * time.Second, PortUp: 4 * time.Second}))
	neutron := c.neutron()
	network, _, _ := c.network()
	trunk, parent, sub := c.trunk(network)
	late := c.create("port", body{"network_id": network})
	c.server("m0", parent)
	c.advance(20 * time.Second)
	changed := must(trunks.AddSubports(t.Context(), neutron, trunk, trunks.AddSubportsOpts{Subports: []trunks.Subport{vlan(late, 200)}}).Extract())(t)
	if changed.Status != "DOWN" || len(changed.Subports) != 2 {
		t.Errorf("with one more: %+v", changed)
	}
	c.advance(5 * time.Second)
	if got := c.trunkStatus(trunk); got != "ACTIVE" {
		t.Errorf("with one more, later: %s", got)
	}
	remove := trunks.RemoveSubportsOpts{Subports: []trunks.RemoveSubport{{PortID: sub}}}
	must(trunks.RemoveSubports(t.Context(), neutron, trunk, remove).Extract())(t)
	if got := must(trunks.GetSubports(t.Context(), neutron, trunk).Extract())(t); len(got) != 1 || got[0].PortID != late {
		t.Errorf("sub-ports: %+v", got)
	}
	_, err := trunks.RemoveSubports(t.Context(), neutron, trunk, remove).Extract()
	wantCode(t, err, http.StatusNotFound, `"type":"SubPortNotFound"`)
}

func TestTrunksHoldTheirPorts(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	network, _, _ := c.network()
	c.sim.Seed()
	trunk, parent, sub := c.trunk(network)
	remove := func(id string) error { return ports.Delete(t.Context(), neutron, id).ExtractErr() }
	wantCode(t, remove(sub), http.StatusConflict, `"type":"PortInUseAsSubPort"`)
	wantCode(t, remove(parent), http.StatusConflict, `"type":"PortInUseAsTrunkParent"`)
	done(t, trunks.Delete(t.Context(), neutron, trunk).ExtractErr())
	done(t, remove(sub))
	done(t, remove(parent))
	c.sim.WantNothingLeft(t)
}

func TestTrunksThatAreRefused(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	network, _, _ := c.network()
	wide := c.create("network", body{"mtu": 9000})
	port := func() string { return c.create("port", body{"network_id": network}) }
	parent, sub, free, used := port(), port(), port(), port()
	c.server("m0", used)
	c.advance(10 * time.Second)
	create := func(parent string, subports ...trunks.Subport) error {
		_, err := trunks.Create(t.Context(), neutron, trunks.CreateOpts{PortID: parent, Subports: subports}).Extract()
		return err
	}
	if err := create(parent, vlan(sub, 100)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why, contains string
		err           error
		status        int
	}{
		{"parent of another", "ParentPortInUse", create(parent), http.StatusConflict},
		{"part of another", "TrunkPortInUse", create(free, vlan(sub, 1)), http.StatusConflict},
		{"port of a server", "ParentPortInUse", create(used), http.StatusConflict},
		{"sub-port of a server", `"type":"PortInUse"`, create(free, vlan(used, 1)), http.StatusConflict},
		{"itself", "ParentPortInUse", create(free, vlan(free, 1)), http.StatusConflict},
		{"larger packets", "SubPortMtuGreaterThanTrunkPortMtu", create(free, vlan(c.create("port", body{"network_id": wide}), 1)), http.StatusConflict},
		{"out of range", "Segmentation ID '4095' is not in range", create(free, vlan(port(), 4095)), http.StatusBadRequest},
		{"twice", "is not unique", create(free, vlan(port(), 1), vlan(port(), 1)), http.StatusBadRequest},
		{"no such port", "PortNotFound", create("nothing"), http.StatusNotFound},
	} {
		t.Run(tc.why, func(t *testing.T) { wantCode(t, tc.err, tc.status, tc.contains) })
	}
	id := c.sim.Trunks("")[0].ID
	add := func(s trunks.Subport) error {
		_, err := trunks.AddSubports(t.Context(), neutron, id, trunks.AddSubportsOpts{Subports: []trunks.Subport{s}}).Extract()
		return err
	}
	wantCode(t, add(vlan(free, 100)), http.StatusConflict, `"type":"DuplicateSubPort"`)
	off := false
	must(trunks.Update(t.Context(), neutron, id, trunks.UpdateOpts{AdminStateUp: &off}).Extract())(t)
	wantCode(t, add(vlan(free, 101)), http.StatusConflict, `"type":"TrunkDisabled"`)
	c.sim.SetQuota("trunk", 1)
	wantCode(t, create(free), http.StatusConflict, `"type":"OverQuota"`)
}

package openstacksim

import (
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
)

func TestActionsTakeTime(t *testing.T) {
	for _, tc := range []struct {
		why              string
		from             string
		do               func(*gophercloud.ServiceClient, string) error
		meanwhile, after string
		power            servers.PowerState // after it
		port             string
	}{
		{"soft reboot", "ACTIVE", reboot(t, servers.SoftReboot), "REBOOT", "ACTIVE", servers.RUNNING, "ACTIVE"},
		{"hard reboot", "ACTIVE", reboot(t, servers.HardReboot), "HARD_REBOOT", "ACTIVE", servers.RUNNING, "ACTIVE"},
		{"hard reboot of what is broken", "ERROR", reboot(t, servers.HardReboot), "ERROR", "ACTIVE", servers.RUNNING, "ACTIVE"},
		{"stop", "ACTIVE", func(nova *gophercloud.ServiceClient, id string) error {
			return servers.Stop(t.Context(), nova, id).ExtractErr()
		}, "ACTIVE", "SHUTOFF", servers.SHUTDOWN, "DOWN"},
		{"start", "SHUTOFF", func(nova *gophercloud.ServiceClient, id string) error {
			return servers.Start(t.Context(), nova, id).ExtractErr()
		}, "SHUTOFF", "ACTIVE", servers.RUNNING, "ACTIVE"},
		{"rebuild", "ERROR", rebuild(t), "REBUILD", "ACTIVE", servers.RUNNING, "ACTIVE"},
		{"rebuild of what is stopped", "SHUTOFF", rebuild(t), "REBUILD", "SHUTOFF", servers.SHUTDOWN, "ACTIVE"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c := start(t)
			network, _, _ := c.network()
			id := c.server("m0", c.create("port", body{"network_id": network, "name": "m0-0"}))
			c.advance(10 * time.Second)
			c.sim.SetServerStatus(id, tc.from, "")
			nova := c.nova("79")
			if err := tc.do(nova, id); err != nil {
				t.Fatal(err)
			}
			if s := must(servers.Get(t.Context(), nova, id).Extract())(t); s.Status != tc.meanwhile || s.TaskState == "" {
				t.Errorf("meanwhile: %s, task %q, want %s", s.Status, s.TaskState, tc.meanwhile)
			}
			wantCode(t, servers.Stop(t.Context(), nova, id).ExtractErr(), http.StatusConflict, "Cannot 'stop' instance "+id)
			c.advance(5 * time.Second)
			s := must(servers.Get(t.Context(), nova, id).Extract())(t)
			if s.Status != tc.after || s.TaskState != "" || s.PowerState != tc.power || s.Fault.Message != "" {
				t.Errorf("afterwards: %s, task %q, power %s, fault %q, want %s", s.Status, s.TaskState, s.PowerState, s.Fault.Message, tc.after)
			}
			if p := c.sim.Ports("m0-0")[0]; p.Status != tc.port {
				t.Errorf("port: %s, want %s", p.Status, tc.port)
			}
		})
	}
}

func reboot(t *testing.T, how servers.RebootMethod) func(*gophercloud.ServiceClient, string) error {
	return func(nova *gophercloud.ServiceClient, id string) error {
		return servers.Reboot(t.Context(), nova, id, servers.RebootOpts{Type: how}).ExtractErr()
	}
}

func rebuild(t *testing.T) func(*gophercloud.ServiceClient, string) error {
	return func(nova *gophercloud.ServiceClient, id string) error {
		s, err := servers.Get(t.Context(), nova, id).Extract()
		if err != nil {
			return err
		}
		_, err = servers.Rebuild(t.Context(), nova, id, servers.RebuildOpts{ImageRef: s.Image["id"].(string), Name: "again"}).Extract()
		return err
	}
}

func TestActionsThatAreRefused(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	id := c.server("m0", c.create("port", body{"network_id": network}))
	nova := c.nova("79")
	wantCode(t, reboot(t, servers.HardReboot)(nova, id), http.StatusConflict, "while it is in vm_state building")
	wantCode(t, servers.Stop(t.Context(), nova, id).ExtractErr(), http.StatusConflict, "Instance "+id+" is not ready")
	c.sim.NoValidHost(true)
	c.advance(10 * time.Second)
	wantCode(t, reboot(t, servers.HardReboot)(nova, id), http.StatusConflict, "is in an invalid state for 'reboot'") // never was ACTIVE
	wantCode(t, servers.Reboot(t.Context(), nova, "nothing", servers.RebootOpts{Type: servers.HardReboot}).ExtractErr(),
		http.StatusNotFound, "could not be found")
	c.refused(http.StatusNotImplemented, "does not simulate this action", "POST", novaURL+"/servers/"+id+"/action", body{"migrate": nil})
	if len(c.sim.Unknown()) != 1 {
		t.Errorf("not simulated: %v", c.sim.Unknown())
	}
}

func TestAnActionEndsWithTheServer(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	id := c.server("m0", c.create("port", body{"network_id": network}))
	c.advance(10 * time.Second)
	nova := c.nova("79")
	if err := reboot(t, servers.HardReboot)(nova, id); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Second)
	if err := servers.Delete(t.Context(), nova, id).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	c.advance(2 * time.Second) // the reboot would end now
	if s := c.sim.Servers("m0")[0]; s.Status != "ACTIVE" || s.TaskState != "deleting" {
		t.Errorf("while it is deleted: %s %s", s.Status, s.TaskState)
	}
	c.advance(2 * time.Second)
	if s := c.sim.Servers("m0"); len(s) > 0 {
		t.Errorf("still there: %+v", s)
	}
}

func TestConsole(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	id := c.server("m0", c.create("port", body{"network_id": network}))
	nova := c.nova("79")
	_, err := servers.ShowConsoleOutput(t.Context(), nova, id, servers.ShowConsoleOutputOpts{}).Extract()
	wantCode(t, err, http.StatusConflict, "is not ready")
	c.advance(10 * time.Second)
	c.sim.SetConsole(id, "one\ntwo\nthree")
	for length, want := range map[int]string{0: "one\ntwo\nthree", 1: "three", 2: "two\nthree", 9: "one\ntwo\nthree"} {
		got := must(servers.ShowConsoleOutput(t.Context(), nova, id, servers.ShowConsoleOutputOpts{Length: length}).Extract())(t)
		if got != want {
			t.Errorf("%d lines: %q, want %q", length, got, want)
		}
	}
}

package openstacksim

import (
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/attachinterfaces"
)

func TestInterfacesComeAndGo(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	id := c.server("m0", c.create("port", body{"network_id": network}))
	extra := c.create("port", body{"network_id": network, "name": "extra"})
	nova := c.nova("79")
	attach := func(opts attachinterfaces.CreateOpts) (*attachinterfaces.Interface, error) {
		return attachinterfaces.Create(t.Context(), nova, id, opts).Extract()
	}
	_, err := attach(attachinterfaces.CreateOpts{PortID: extra})
	wantCode(t, err, http.StatusConflict, "Cannot 'attach_interface' instance "+id+" while it is in vm_state building")
	c.advance(10 * time.Second)

	must(attach(attachinterfaces.CreateOpts{PortID: extra}))(t)
	if p := c.sim.Ports("extra")[0]; p.DeviceID != id || p.Status != "ACTIVE" {
		t.Errorf("port that was attached: %+v", p)
	}
	_, err = attach(attachinterfaces.CreateOpts{PortID: extra})
	wantCode(t, err, http.StatusConflict, "Port "+extra+" is still in use.")
	_, err = attach(attachinterfaces.CreateOpts{PortID: "nothing"})
	wantCode(t, err, http.StatusNotFound, "Port id nothing could not be found.")
	_, err = attach(attachinterfaces.CreateOpts{PortID: extra, NetworkID: network})
	wantCode(t, err, http.StatusBadRequest, "Must not input both network_id and port_id")
	made := must(attach(attachinterfaces.CreateOpts{}))(t)
	if made.NetID != network || len(made.FixedIPs) != 1 {
		t.Errorf("interface in the only network: %+v", made)
	}

	list := func() []attachinterfaces.Interface {
		pages := must(attachinterfaces.List(nova, id).AllPages(t.Context()))(t)
		return must(attachinterfaces.ExtractInterfaces(pages))(t)
	}
	if got := list(); len(got) != 3 {
		t.Errorf("interfaces: %+v, want 3", got)
	}
	for _, port := range []string{extra, made.PortID, "nothing"} { // Nova does not look before it answers
		if err := attachinterfaces.Delete(t.Context(), nova, id, port).ExtractErr(); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(); len(got) != 3 {
		t.Errorf("interfaces at once: %+v, still want 3", got)
	}
	c.advance(5 * time.Second)
	if got := list(); len(got) != 1 {
		t.Errorf("interfaces afterwards: %+v, want 1", got)
	}
	_, err = attachinterfaces.Get(t.Context(), nova, id, extra).Extract()
	wantCode(t, err, http.StatusNotFound, "does not have a port with id "+extra)
	if p := c.sim.Ports("extra")[0]; p.DeviceID != "" {
		t.Errorf("port that was detached: %+v", p)
	}
	_, err = attachinterfaces.Get(t.Context(), nova, id, made.PortID).Extract()
	wantCode(t, err, http.StatusNotFound, "could not be found") // Nova's own port goes
}

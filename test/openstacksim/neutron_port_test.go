package openstacksim

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
)

func TestAddressPairs(t *testing.T) {
	c := start(t)
	neutron := c.neutron()
	network := c.create("network", body{})
	create := func(pairs ...ports.AddressPair) (*ports.Port, error) {
		return ports.Create(t.Context(), neutron, ports.CreateOpts{NetworkID: network, AllowedAddressPairs: pairs}).Extract()
	}
	p := must(create(ports.AddressPair{IPAddress: "10.0.0.5"}, ports.AddressPair{IPAddress: "10.1.0.0/16", MACAddress: "fa:16:3e:00:00:01"}))(t)
	if pairs := p.AllowedAddressPairs; pairs[0].MACAddress != p.MACAddress || pairs[1].MACAddress != "fa:16:3e:00:00:01" {
		t.Errorf("pairs: %+v of %s", pairs, p.MACAddress)
	}
	_, err := create(ports.AddressPair{IPAddress: "10.0.0.5"}, ports.AddressPair{IPAddress: "10.0.0.5"})
	wantCode(t, err, http.StatusBadRequest, "DuplicateAddressPairInRequest")
	_, err = create(ports.AddressPair{IPAddress: "10.0.0"})
	wantCode(t, err, http.StatusBadRequest, "'10.0.0' is not a valid IP address")
	_, err = create(ports.AddressPair{MACAddress: "fa:16:3e:00:00:01"})
	wantCode(t, err, http.StatusBadRequest, "AllowedAddressPairsMissingIP")
	_, err = create(make([]ports.AddressPair, 11)...)
	wantCode(t, err, http.StatusBadRequest, "exceeds the maximum 10")
	c.refused(http.StatusConflict, "AddressPairAndPortSecurityRequired", "PUT", neutronURL+"/ports/"+p.ID,
		body{"port": body{"port_security_enabled": false, "security_groups": []string{}}})
	none := []ports.AddressPair{}
	if p := must(ports.Update(t.Context(), neutron, p.ID, ports.UpdateOpts{AllowedAddressPairs: &none}).Extract())(t); len(p.AllowedAddressPairs) > 0 {
		t.Errorf("pairs: %+v, want none", p.AllowedAddressPairs)
	}
}

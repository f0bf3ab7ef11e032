package openstacksim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
)

// Owners of ports that Neutron and others make (neutron_lib/constants.py).
const (
	ownerDHCP       = "network:dhcp"
	ownerGateway    = "network:router_gateway"
	ownerInterface  = "network:router_interface"
	ownerFloatingIP = "network:floatingip"
	ownerOctavia    = "Octavia" // octavia/common/constants.py: OCTAVIA_OWNER
)

// Port is a Neutron port.
type Port struct {
	standard
	Name         string         `json:"name"`
	NetworkID    string         `json:"network_id"`
	Status       string         `json:"status"`
	AdminStateUp bool           `json:"admin_state_up"`
	MACAddress   string         `json:"mac_address"`
	FixedIPs     []FixedIP      `json:"fixed_ips"`
	DeviceID     string         `json:"device_id"`
	DeviceOwner  string         `json:"device_owner"`
	Groups       []string       `json:"security_groups"`
	AddressPairs []AddressPair  `json:"allowed_address_pairs"`
	PortSecurity bool           `json:"port_security_enabled"`
	VNICType     string         `json:"binding:vnic_type"`
	HostID       string         `json:"binding:host_id"`
	Profile      map[string]any `json:"binding:profile"`
	DHCPOptions  []any          `json:"extra_dhcp_opts"`
	Propagate    *bool          `json:"propagate_uplink_status,omitempty"`
	IPAllocation string         `json:"ip_allocation"`
}

// AddressPair is an address that a port may also use.
type AddressPair struct {
	IPAddress  string `json:"ip_address"`
	MACAddress string `json:"mac_address"`
}

func (p *Port) label() string { return p.Name }

// owner of the ports that Neutron makes for itself is nobody, so that no
// project sees them.
func (p *Port) owner() string {
	if p.ProjectID == "" {
		return "neutron"
	}
	return p.ProjectID
}

// portAttributes may be set at any time. Neutron's default policy keeps
// binding:profile to admins; this cloud, like those with SR-IOV, gives it to
// members.
var portAttributes = []string{"name", "description", "admin_state_up", "fixed_ips", "device_id", "device_owner", "security_groups",
	"allowed_address_pairs", "port_security_enabled", "binding:vnic_type", "binding:profile", "extra_dhcp_opts"}

func (c *Cloud) createPort(q *request, raw json.RawMessage) (*Port, error) {
	p := c.newPort(q.project)
	// tags: neutron/extensions/tagging.py, TAG_ATTRIBUTE_MAP_PORTS has allow_post.
	given, err := decodeInto(raw, p, append(slices.Clone(portAttributes), "network_id", "mac_address", "tags", "project_id",
		"tenant_id", "propagate_uplink_status")...)
	if err != nil {
		return nil, err
	}
	n, ok := c.network.networks.get(p.NetworkID)
	if !ok || !c.sees(q, n) {
		return nil, refuse(http.StatusNotFound, "NetworkNotFound", "Network %s could not be found.", p.NetworkID)
	}
	// neutron/conf/policies/port.py: fixed addresses on a network of others need a role.
	if err := c.checkQuota("port", q.project); err != nil {
		return nil, err
	}
	if !given.has("port_security_enabled") {
		p.PortSecurity = n.PortSecurity
	}
	if !given.has("security_groups") && p.PortSecurity {
		p.Groups = []string{c.defaultGroup(q.project).ID}
	}
	if err := c.checkPort(q, p, given); err != nil {
		return nil, err
	}
	if p.FixedIPs, err = c.allocate(n, p.FixedIPs, !given.has("fixed_ips"), p.ID); err != nil {
		return nil, err
	}
	return c.network.ports.add(p), nil
}

func (c *Cloud) newPort(project string) *Port {
	p := &Port{standard: c.newStandard("port", project), Status: "DOWN", AdminStateUp: true, Groups: []string{}, FixedIPs: []FixedIP{},
		AddressPairs: []AddressPair{}, PortSecurity: true, VNICType: "normal", Profile: map[string]any{}, DHCPOptions: []any{},
		IPAllocation: "immediate"}
	p.MACAddress = fmt.Sprintf("fa:16:3e:%s:%s:%s", p.ID[0:2], p.ID[2:4], p.ID[4:6])
	return p
}

// checkPort fills in what null means and refuses what does not go together
// (neutron/plugins/ml2/plugin.py, _portsec_ext_port_create_processing and
// _portsec_ext_port_update_processing; neutron/db/securitygroups_db.py,
// _get_security_groups_on_port).
func (c *Cloud) checkPort(q *request, p *Port, given fields) error {
	if p.Groups == nil {
		p.Groups = []string{}
	}
	if err := p.checkPairs(); err != nil {
		return err
	}
	if !p.PortSecurity && len(p.Groups) > 0 && given.has("security_groups") {
		return refuse(http.StatusBadRequest, "PortSecurityAndIPRequiredForSecurityGroups",
			"Port security must be enabled and port must have an IP address in order to use security groups.")
	}
	if !p.PortSecurity && len(p.Groups) > 0 {
		return refuse(http.StatusConflict, "PortSecurityPortHasSecurityGroup", "Port has security group associated. "+
			"Cannot disable port security or IP address until security group is removed.")
	}
	if !p.PortSecurity && len(p.AddressPairs) > 0 {
		return refuse(http.StatusConflict, "AddressPairAndPortSecurityRequired",
			"Port Security must be enabled in order to have allowed address pairs on a port.")
	}
	for _, id := range p.Groups {
		if _, ok := c.network.groups.of(q.project, id); !ok {
			return refuse(http.StatusNotFound, "SecurityGroupNotFound", "Security group %s does not exist", id)
		}
	}
	return nil
}

// checkPairs is neutron_lib/api/validators/allowedaddresspairs.py and
// neutron/conf/extensions/allowedaddresspairs.py, max_allowed_address_pair; a pair
// without a MAC address has that of the port (neutron/db/allowedaddresspairs_db.py).
func (p *Port) checkPairs() error {
	if len(p.AddressPairs) > 10 {
		return refuse(http.StatusBadRequest, "AllowedAddressPairExhausted", "The number of allowed address pair exceeds the maximum 10.")
	}
	pairs := []AddressPair{}
	for _, pair := range p.AddressPairs {
		_, notAddress := netip.ParseAddr(pair.IPAddress)
		_, notPrefix := netip.ParsePrefix(pair.IPAddress)
		pair.MACAddress = cmp.Or(pair.MACAddress, p.MACAddress)
		switch {
		case pair.IPAddress == "":
			return refuse(http.StatusBadRequest, "AllowedAddressPairsMissingIP", "AllowedAddressPair must contain ip_address")
		case notAddress != nil && notPrefix != nil:
			return refuse(http.StatusBadRequest, "HTTPBadRequest", "'%s' is not a valid IP address", pair.IPAddress)
		case slices.Contains(pairs, pair):
			return refuse(http.StatusBadRequest, "DuplicateAddressPairInRequest",
				"Request contains duplicate address pair: mac_address %s ip_address %s.", pair.MACAddress, pair.IPAddress)
		}
		pairs = append(pairs, pair)
	}
	p.AddressPairs = pairs
	return nil
}

func (c *Cloud) updatePort(q *request, p *Port) error {
	changed := *p
	given, err := q.decode("port", &changed, portAttributes...)
	if err != nil {
		return err
	}
	if err := c.checkPort(q, &changed, given); err != nil {
		return err
	}
	if given.has("fixed_ips") {
		n, _ := c.network.networks.get(p.NetworkID)
		// neutron/db/ipam_backend_mixin.py, _get_changed_ips_for_port: an address without its subnet keeps it.
		if changed.FixedIPs, err = c.allocate(n, changed.FixedIPs, false, p.ID); err != nil {
			return err
		}
	}
	*p = changed
	return nil
}

// deletePort refuses router interfaces (neutron/db/l3_db.py,
// prevent_l3_port_deletion) and lets a floating IP go.
func (c *Cloud) deletePort(_ *request, p *Port) error {
	if p.DeviceOwner == ownerInterface || p.DeviceOwner == ownerGateway || p.DeviceOwner == ownerFloatingIP {
		return refuse(http.StatusConflict, "ServicePortInUse", "Port %s cannot be deleted directly via the port API: "+
			"has device owner %s.", p.ID, p.DeviceOwner)
	}
	if err := c.checkNotTrunked(p); err != nil {
		return err
	}
	c.dropPort(p.ID)
	return nil
}

func (c *Cloud) dropPort(id string) {
	for _, f := range c.network.floating.rows {
		if f.PortID != nil && *f.PortID == id {
			f.detach()
			c.touch(f)
		}
	}
	c.network.ports.drop(id)
}

// attachPort is what Nova does with a port that a server gets
// (nova/network/neutron.py, _update_port_binding_for_instance).
func (c *Cloud) attachPort(p *Port, owner, device, status string) {
	p.DeviceOwner, p.DeviceID, p.Status = owner, device, status
	c.touch(p)
	if !p.bound() {
		c.setTrunk(p, "DOWN")
	}
}

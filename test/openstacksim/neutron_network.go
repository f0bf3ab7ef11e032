package openstacksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Network is a Neutron network.
type Network struct {
	standard
	Name         string   `json:"name"`
	Status       string   `json:"status"`
	AdminStateUp bool     `json:"admin_state_up"`
	Shared       bool     `json:"shared"`
	External     bool     `json:"router:external"`
	MTU          int      `json:"mtu"`
	PortSecurity bool     `json:"port_security_enabled"`
	Subnets      []string `json:"subnets"`
	Zones        []string `json:"availability_zones"`
	ZoneHints    []string `json:"availability_zone_hints"`
}

func (n *Network) label() string { return n.Name }
func (n *Network) public() bool  { return n.Shared || n.External }

// Subnet is a Neutron subnet.
type Subnet struct {
	standard
	Name            string           `json:"name"`
	NetworkID       string           `json:"network_id"`
	IPVersion       int              `json:"ip_version"`
	CIDR            string           `json:"cidr"`
	GatewayIP       *string          `json:"gateway_ip"`
	EnableDHCP      bool             `json:"enable_dhcp"`
	DNSNameservers  []string         `json:"dns_nameservers"`
	AllocationPools []AllocationPool `json:"allocation_pools"`
	HostRoutes      []any            `json:"host_routes"`
	SubnetPoolID    *string          `json:"subnetpool_id"`
	IPv6AddressMode *string          `json:"ipv6_address_mode"`
	IPv6RAMode      *string          `json:"ipv6_ra_mode"`
	ServiceTypes    []string         `json:"service_types"`

	shared bool
}

// AllocationPool is a range of addresses, both ends included.
type AllocationPool struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

func (s *Subnet) label() string { return s.Name }
func (s *Subnet) public() bool  { return s.shared }

func (c *Cloud) seedNetwork() {
	c.addExternalNetwork("public", "172.24.4.0/24", AllocationPool{"172.24.4.50", "172.24.4.250"})
}

// AddExternalNetwork adds an external network with one subnet to the seed and
// returns its ID: where many clusters need more addresses than "public" has.
func (c *Cloud) AddExternalNetwork(name, cidr string, pool AllocationPool) string {
	return ask(c, func() string {
		n := c.addExternalNetwork(name, cidr, pool)
		c.seeded[n.ID], c.seeded[n.Subnets[0]] = true, true
		return n.ID
	})
}

func (c *Cloud) addExternalNetwork(name, cidr string, pool AllocationPool) *Network {
	admin := c.identity.projects["admin"]
	n := &Network{standard: c.newStandard("network", admin), Name: name, Status: "ACTIVE", AdminStateUp: true, External: true,
		MTU: 1500, PortSecurity: true, Zones: []string{}, ZoneHints: []string{}}
	s := &Subnet{standard: c.newStandard("subnet", admin), Name: name + "-subnet", NetworkID: n.ID, IPVersion: 4,
		CIDR: cidr, AllocationPools: []AllocationPool{pool},
		DNSNameservers: []string{}, HostRoutes: []any{}, ServiceTypes: []string{}}
	gateway := netip.MustParsePrefix(cidr).Addr().Next().String()
	s.GatewayIP = &gateway
	n.Subnets = []string{s.ID}
	c.network.subnets.add(s)
	return c.network.networks.add(n)
}

func (c *Cloud) createNetwork(q *request, raw json.RawMessage) (*Network, error) {
	n := &Network{standard: c.newStandard("network", q.project), Status: "ACTIVE", AdminStateUp: true, MTU: 1450,
		PortSecurity: true, Subnets: []string{}, Zones: []string{}, ZoneHints: []string{}}
	_, err := decodeInto(raw, n, "name", "description", "admin_state_up", "mtu", "port_security_enabled",
		"availability_zone_hints", "project_id", "tenant_id", "shared", "router:external", "dns_domain")
	if err != nil {
		return nil, err
	}
	if n.Shared || n.External { // neutron/conf/policies/network.py: admins only
		return nil, refuse(http.StatusForbidden, "PolicyNotAuthorized", "rule:create_network is disallowed by policy")
	}
	if err := c.checkQuota("network", q.project); err != nil {
		return nil, err
	}
	return c.network.networks.add(n), nil
}

func (c *Cloud) updateNetwork(q *request, n *Network) error {
	changed := *n
	if _, err := q.decode("network", &changed, "name", "description", "admin_state_up", "mtu", "port_security_enabled"); err != nil {
		return err
	}
	*n = changed
	return nil
}

// deleteNetwork takes the subnets along, but no ports of users
// (neutron/db/db_base_plugin_v2.py, delete_network).
func (c *Cloud) deleteNetwork(_ *request, n *Network) error {
	var ports []string
	for _, p := range c.network.ports.rows {
		if p.NetworkID == n.ID && p.DeviceOwner != ownerDHCP {
			ports = append(ports, p.ID)
		}
	}
	if len(ports) > 0 {
		return refuse(http.StatusConflict, "NetworkInUse", "Unable to complete operation on network %s. "+
			"There are one or more ports still in use on the network, id for these ports is %s.", n.ID, strings.Join(ports, ","))
	}
	for _, id := range n.Subnets {
		c.network.subnets.drop(id)
	}
	c.network.networks.drop(n.ID)
	return nil
}

var subnetAttributes = []string{"name", "description", "gateway_ip", "enable_dhcp", "dns_nameservers", "allocation_pools",
	"host_routes", "service_types", "dns_publish_fixed_ip"}

// newSubnetAttributes may be set at creation only.
var newSubnetAttributes = []string{"network_id", "ip_version", "cidr", "ipv6_address_mode", "ipv6_ra_mode", "subnetpool_id", "prefixlen",
	"use_default_subnetpool", "project_id", "tenant_id"}

func (c *Cloud) createSubnet(q *request, raw json.RawMessage) (*Subnet, error) {
	s := &Subnet{standard: c.newStandard("subnet", q.project), EnableDHCP: true, DNSNameservers: []string{},
		HostRoutes: []any{}, ServiceTypes: []string{}}
	given, err := decodeInto(raw, s, slices.Concat(subnetAttributes, newSubnetAttributes)...)
	if err != nil {
		return nil, err
	}
	n, ok := c.network.networks.get(s.NetworkID)
	if !ok || !c.sees(q, n) {
		return nil, refuse(http.StatusNotFound, "NetworkNotFound", "Network %s could not be found.", s.NetworkID)
	}
	if err := c.checkQuota("subnet", q.project); err != nil {
		return nil, err
	}
	if err := c.subnetFromPool(q, s, n, raw); err != nil {
		return nil, err
	}
	prefix, err := c.checkSubnet(s, n)
	if err != nil {
		return nil, err
	}
	if !given.has("gateway_ip") {
		gateway := prefix.Addr().Next().String()
		s.GatewayIP = &gateway
	}
	if len(s.AllocationPools) == 0 {
		s.AllocationPools = defaultPools(prefix, s.GatewayIP)
	}
	if err := s.checkPools(); err != nil {
		return nil, err
	}
	s.shared = n.Shared
	n.Subnets = append(slices.Clone(n.Subnets), s.ID)
	c.touch(n) // neutron/db/models_v2.py, Subnet.revises_on_change
	return c.network.subnets.add(s), nil
}

// checkSubnet is _validate_subnet of neutron/db/db_base_plugin_v2.py and
// _validate_subnet_cidr of neutron/db/ipam_backend_mixin.py.
func (c *Cloud) checkSubnet(s *Subnet, n *Network) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(s.CIDR)
	if err != nil {
		return prefix, refuse(http.StatusBadRequest, "HTTPBadRequest",
			"Invalid input for cidr. Reason: '%s' is not a valid IP subnet.", s.CIDR)
	}
	if version := map[bool]int{true: 4, false: 6}[prefix.Addr().Is4()]; version != s.IPVersion {
		return prefix, refuse(http.StatusBadRequest, "InvalidInput", "Invalid input for operation: "+
			"The value of cidr %s does not match the ip_version '%d'.", s.CIDR, s.IPVersion)
	}
	for _, id := range n.Subnets {
		other, _ := c.network.subnets.get(id)
		if netip.MustParsePrefix(other.CIDR).Overlaps(prefix) {
			return prefix, refuse(http.StatusBadRequest, "InvalidInput", "Invalid input for operation: Requested subnet "+
				"with cidr: %s for network: %s overlaps with another subnet.", s.CIDR, n.ID)
		}
	}
	s.CIDR = prefix.Masked().String()
	return prefix.Masked(), nil
}

func (c *Cloud) updateSubnet(q *request, s *Subnet) error {
	changed := *s
	if _, err := q.decode("subnet", &changed, subnetAttributes...); err != nil {
		return err
	}
	if err := changed.checkPools(); err != nil {
		return err
	}
	*s = changed
	if n, ok := c.network.networks.get(s.NetworkID); ok {
		c.touch(n)
	}
	return nil
}

// deleteSubnet refuses while ports have addresses in it (SubnetInUse in
// neutron_lib/exceptions; neutron/plugins/ml2/plugin.py, _before_delete_subnet).
func (c *Cloud) deleteSubnet(_ *request, s *Subnet) error {
	for _, p := range c.network.ports.rows {
		if p.DeviceOwner != ownerDHCP && p.on(s.ID) {
			return refuse(http.StatusConflict, "SubnetInUse", "Unable to complete operation on subnet %s: "+
				"One or more ports have an IP allocation from this subnet.", s.ID)
		}
	}
	if n, ok := c.network.networks.get(s.NetworkID); ok {
		n.Subnets = slices.DeleteFunc(slices.Clone(n.Subnets), func(id string) bool { return id == s.ID })
		c.touch(n)
	}
	c.network.subnets.drop(s.ID)
	return nil
}

// defaultPools is all of the prefix but the network address, the gateway and,
// for IPv4, the broadcast address (neutron/ipam/utils.py, generate_pools).
func defaultPools(prefix netip.Prefix, gateway *string) []AllocationPool {
	first, last := prefix.Addr().Next(), lastOf(prefix)
	if prefix.Addr().Is4() && prefix.Bits() < 31 {
		last = last.Prev()
	}
	if gateway == nil {
		return []AllocationPool{{first.String(), last.String()}}
	}
	var pools []AllocationPool
	gw := netip.MustParseAddr(*gateway)
	if first.Less(gw) && !last.Less(gw) {
		pools = append(pools, AllocationPool{first.String(), gw.Prev().String()})
	}
	if !gw.Less(first) {
		first = gw.Next()
	}
	if !last.Less(first) {
		pools = append(pools, AllocationPool{first.String(), last.String()})
	}
	return pools
}

func lastOf(prefix netip.Prefix) netip.Addr {
	b := prefix.Addr().AsSlice()
	for i := prefix.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	last, ok := netip.AddrFromSlice(b)
	if !ok {
		panic(fmt.Sprintf("no address in %d bytes", len(b)))
	}
	return last
}

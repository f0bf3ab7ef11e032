package openstacksim

import (
	"net/http"
	"net/netip"
	"slices"
)

// FixedIP is an address of a port.
type FixedIP struct {
	SubnetID  string `json:"subnet_id"`
	IPAddress string `json:"ip_address"`
}

// allocate finds the addresses of a new or changed port. Nothing wanted means
// one IPv4 and one IPv6 address if the network has such subnets
// (neutron/db/ipam_pluggable_backend.py, _allocate_ips_for_port).
func (c *Cloud) allocate(n *Network, want []FixedIP, anywhere bool, except string) ([]FixedIP, error) {
	taken := c.takenAddresses(n.ID, except)
	if anywhere {
		return c.allocateAnywhere(n, taken)
	}
	got := []FixedIP{}
	for _, w := range want {
		ip, err := c.allocateOne(n, w, taken)
		if err != nil {
			return nil, err
		}
		taken[ip] = true
		got = append(got, ip)
	}
	return got, nil
}

func (c *Cloud) takenAddresses(networkID, except string) map[FixedIP]bool {
	taken := map[FixedIP]bool{}
	for _, p := range c.network.ports.rows {
		if p.NetworkID == networkID && p.ID != except {
			for _, ip := range p.FixedIPs {
				taken[ip] = true
			}
		}
	}
	return taken
}

func (c *Cloud) allocateAnywhere(n *Network, taken map[FixedIP]bool) ([]FixedIP, error) {
	got := []FixedIP{}
	for _, version := range []int{4, 6} {
		tried, done := false, false
		for _, id := range n.Subnets {
			s, _ := c.network.subnets.get(id)
			if s.IPVersion != version || done {
				continue
			}
			tried = true
			if address, ok := free(s, taken); ok {
				got, done = append(got, FixedIP{s.ID, address}), true
			}
		}
		if tried && !done {
			return nil, noMoreAddresses(n)
		}
	}
	return got, nil
}

func noMoreAddresses(n *Network) error {
	return refuse(http.StatusConflict, "IpAddressGenerationFailure", "No more IP addresses available on network %s.", n.ID)
}

// allocateOne is neutron/db/ipam_backend_mixin.py, _get_subnet_for_fixed_ip and
// neutron/ipam/drivers/neutrondb_ipam/driver.py, verify_ip.
func (c *Cloud) allocateOne(n *Network, want FixedIP, taken map[FixedIP]bool) (FixedIP, error) {
	s, err := c.subnetFor(n, want)
	if err != nil {
		return want, err
	}
	if want.IPAddress == "" {
		address, ok := free(s, taken)
		if !ok {
			return want, noMoreAddresses(n)
		}
		return FixedIP{s.ID, address}, nil
	}
	want = FixedIP{s.ID, want.IPAddress}
	if taken[want] {
		return want, refuse(http.StatusConflict, "IpAddressAlreadyAllocated",
			"IP address %s already allocated in subnet %s", want.IPAddress, s.ID)
	}
	return want, nil
}

func (c *Cloud) subnetFor(n *Network, want FixedIP) (*Subnet, error) {
	if want.SubnetID != "" {
		s, ok := c.network.subnets.get(want.SubnetID)
		if !ok {
			return nil, refuse(http.StatusNotFound, "SubnetNotFound", "Subnet %s could not be found.", want.SubnetID)
		}
		if s.NetworkID != n.ID {
			return nil, refuse(http.StatusBadRequest, "InvalidInput", "Invalid input for operation: Failed to create port on "+
				"network %s, because fixed_ips included invalid subnet %s.", n.ID, s.ID)
		}
		if want.IPAddress != "" && !within(s, want.IPAddress) {
			return nil, refuse(http.StatusBadRequest, "InvalidIpForSubnet",
				"IP address %s is not a valid IP for the specified subnet.", want.IPAddress)
		}
		return s, nil
	}
	for _, id := range n.Subnets {
		if s, _ := c.network.subnets.get(id); within(s, want.IPAddress) {
			return s, nil
		}
	}
	return nil, refuse(http.StatusBadRequest, "InvalidIpForNetwork",
		"IP address %s is not a valid IP for any of the subnets on the specified network.", want.IPAddress)
}

func within(s *Subnet, address string) bool {
	addr, err := netip.ParseAddr(address)
	return err == nil && netip.MustParsePrefix(s.CIDR).Contains(addr)
}

// free is the lowest free address of the pools; Neutron takes any of them.
func free(s *Subnet, taken map[FixedIP]bool) (string, bool) {
	for _, pool := range s.AllocationPools {
		end := netip.MustParseAddr(pool.End)
		for a := netip.MustParseAddr(pool.Start); a.IsValid() && !end.Less(a); a = a.Next() {
			if !taken[FixedIP{s.ID, a.String()}] {
				return a.String(), true
			}
		}
	}
	return "", false
}

// on says whether the port has an address in the subnet.
func (p *Port) on(subnetID string) bool {
	return slices.ContainsFunc(p.FixedIPs, func(ip FixedIP) bool { return ip.SubnetID == subnetID })
}

// Package bridge is the external network of the development cloud on this
// machine: a bridge on which the machine, the management cluster and Neutron's
// floating IPs meet. Nothing is routed from it to the outside.
//
// It knows no OpenStack, so that the management cluster can use it alone.
// Read first: Settings, Up and Down.
package bridge

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
)

// Settings says which address range and which bridge is used.
type Settings struct {
	Network netip.Prefix // IPv4, /24 or larger
	Name    string       // of the bridge, at most 15 characters
}

// documentation are ranges that examples use (RFC 5737), and that some machines
// therefore use for something of their own.
var documentation = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
}

var nameFormat = regexp.MustCompile(`^[a-z][a-z0-9-]{0,14}$`)

// FromEnvironment reads CAPOK_NETWORK (default 172.24.4.0/24) and CAPOK_BRIDGE
// (default capok-ex).
func FromEnvironment() (Settings, error) {
	return parse(os.Getenv("CAPOK_NETWORK"), os.Getenv("CAPOK_BRIDGE"))
}

func parse(network, name string) (Settings, error) {
	if network == "" {
		network = "172.24.4.0/24"
	}
	if name == "" {
		name = "capok-ex"
	}
	prefix, err := netip.ParsePrefix(network)
	switch {
	case err != nil:
		return Settings{}, fmt.Errorf("CAPOK_NETWORK=%s: say an address range such as 172.24.4.0/24", network)
	case !prefix.Addr().Is4() || prefix.Bits() > 24 || prefix != prefix.Masked():
		return Settings{}, fmt.Errorf("CAPOK_NETWORK=%s: an IPv4 range of /24 or larger is needed, written as its first address", network)
	case !nameFormat.MatchString(name):
		return Settings{}, fmt.Errorf("CAPOK_BRIDGE=%s: at most 15 of a-z, 0-9 and -, a letter first", name)
	}
	for _, d := range documentation {
		if prefix.Overlaps(d) {
			return Settings{}, fmt.Errorf("CAPOK_NETWORK=%s: the documentation range %s is not for use", network, d)
		}
	}
	return Settings{Network: prefix, Name: name}, nil
}

// Host is this machine's address; all OpenStack APIs listen there.
func (s Settings) Host() netip.Addr { return s.nth(1) }

// Management is the management cluster's address.
func (s Settings) Management() netip.Addr { return s.nth(2) }

// Pool is the first and the last of the addresses that Neutron gives away.
func (s Settings) Pool() (first, last netip.Addr) { return s.nth(50), s.nth(250) }

func (s Settings) nth(n byte) netip.Addr {
	a := s.Network.Addr().As4()
	a[3] += n // never carries: the range ends on a multiple of 256
	return netip.AddrFrom4(a)
}

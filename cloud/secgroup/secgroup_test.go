package secgroup

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/capok/capok/cloud"
)

// line prints a rule so that a golden list can be read.
func line(r cloud.SecurityRule) string {
	remote := r.RemoteGroupID + r.RemoteIPPrefix
	if remote == "" {
		remote = "anywhere"
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %d-%d %s", r.Direction, r.EtherType, r.Protocol, r.PortMin, r.PortMax, remote)), " ")
}

func lines(rules []cloud.SecurityRule) []string {
	var all []string
	for _, r := range rules {
		all = append(all, line(r))
	}
	return all
}

func TestDesired(t *testing.T) {
	base := Wish{
		ControlPlaneID: "cp", WorkerID: "wk", APIPorts: []int{8443, 9443},
		ClusterCIDRs: []netip.Prefix{netip.MustParsePrefix("10.6.0.0/24"), netip.MustParsePrefix("fd00::/64")},
	}
	all := base
	all.AllowAll = true
	all.Worker = []cloud.SecurityRule{in("", "udp", 53, 53)}
	cases := []struct {
		why                  string
		wish                 Wish
		controlPlane, worker []string
	}{{
		why: "what Kubernetes needs; the API's real port; IPv6 ranges get no IPv4 rule", wish: base,
		controlPlane: []string{
			"egress IPv4 0-0 anywhere", "egress IPv6 0-0 anywhere",
			"ingress IPv4 tcp 8443-8443 anywhere", "ingress IPv4 tcp 9443-9443 anywhere",
			"ingress IPv4 tcp 2379-2380 cp", "ingress IPv4 tcp 10250-10250 cp", "ingress IPv4 tcp 10250-10250 wk",
		},
		worker: []string{
			"egress IPv4 0-0 anywhere", "egress IPv6 0-0 anywhere",
			"ingress IPv4 tcp 10250-10250 cp", "ingress IPv4 tcp 10250-10250 wk",
			"ingress IPv4 tcp 30000-32767 cp", "ingress IPv4 tcp 30000-32767 wk", "ingress IPv4 tcp 30000-32767 10.6.0.0/24",
			"ingress IPv4 udp 30000-32767 cp", "ingress IPv4 udp 30000-32767 wk", "ingress IPv4 udp 30000-32767 10.6.0.0/24",
		},
	}, {
		why: "all in-cluster traffic replaces the ports, not the API; own rules stay", wish: all,
		controlPlane: []string{
			"egress IPv4 0-0 anywhere", "egress IPv6 0-0 anywhere",
			"ingress IPv4 tcp 8443-8443 anywhere", "ingress IPv4 tcp 9443-9443 anywhere",
			"ingress IPv4 0-0 cp", "ingress IPv4 0-0 wk",
		},
		worker: []string{
			"egress IPv4 0-0 anywhere", "egress IPv6 0-0 anywhere", "ingress IPv4 0-0 cp", "ingress IPv4 0-0 wk",
			"ingress IPv4 udp 53-53 anywhere",
		},
	}}
	for _, c := range cases {
		got := Desired(c.wish)
		if diff := cmp.Diff(c.controlPlane, lines(got.ControlPlane)); diff != "" {
			t.Errorf("%s: control plane:\n%s", c.why, diff)
		}
		if diff := cmp.Diff(c.worker, lines(got.Worker)); diff != "" {
			t.Errorf("%s: worker:\n%s", c.why, diff)
		}
	}
}

func TestDiff(t *testing.T) {
	ssh := in("", "tcp", 22, 22)
	cases := []struct {
		why            string
		want, have     []cloud.SecurityRule
		create, delete []string
	}{
		{why: "equal", want: []cloud.SecurityRule{ssh}, have: []cloud.SecurityRule{ssh}},
		{
			why: "the family follows from the prefix, and nothing is deleted for want of it",
			want: []cloud.SecurityRule{
				{Direction: ingress, Protocol: "tcp", PortMin: 22, PortMax: 22},
				{Direction: ingress, Protocol: "tcp", PortMin: 22, PortMax: 22, RemoteIPPrefix: "fd00::/8"},
			},
			have:   []cloud.SecurityRule{ssh},
			create: []string{"ingress IPv6 tcp 22-22 fd00::/8"},
		},
		{
			why: "names and numbers, any address and none, the whole range and none",
			want: []cloud.SecurityRule{
				{Direction: ingress, Protocol: "TCP", PortMin: 22, RemoteIPPrefix: "0.0.0.0/0"},
				{Direction: ingress, Protocol: "udp", PortMin: 1, PortMax: 65535},
				{Direction: ingress, Protocol: "any"},
				{Direction: ingress, EtherType: ipv6, Protocol: "icmp"},
			},
			have: []cloud.SecurityRule{
				{Direction: ingress, EtherType: ipv4, Protocol: "6", PortMin: 22, PortMax: 22},
				{Direction: ingress, EtherType: ipv4, Protocol: "udp"},
				{Direction: ingress, EtherType: ipv4},
				{Direction: ingress, EtherType: ipv6, Protocol: "ipv6-icmp"},
			},
		},
		{
			why:  "a prefix with host bits is its network",
			want: []cloud.SecurityRule{{Direction: ingress, RemoteIPPrefix: "10.6.0.9/24"}},
			have: []cloud.SecurityRule{{Direction: ingress, EtherType: ipv4, RemoteIPPrefix: "10.6.0.0/24"}},
		},
		{
			why:    "two wishes that are the same are one rule: Neutron refuses doubles",
			want:   []cloud.SecurityRule{ssh, {Direction: ingress, Description: "ssh", Protocol: "6", PortMin: 22}},
			create: []string{"ingress IPv4 tcp 22-22 anywhere"},
		},
		{
			why: "a rule that somebody added goes", want: []cloud.SecurityRule{ssh},
			have: []cloud.SecurityRule{ssh, in("", "tcp", 1, 65535)}, delete: []string{"ingress IPv4 tcp 1-65535 anywhere"},
		},
		{
			why: "icmp type and code are no range", want: []cloud.SecurityRule{in("", "icmp", 8, 0)},
			have: []cloud.SecurityRule{in("", "icmp", 8, 8)}, create: []string{"ingress IPv4 icmp 8-0 anywhere"},
			delete: []string{"ingress IPv4 icmp 8-8 anywhere"},
		},
	}
	for _, c := range cases {
		got := Diff(c.want, c.have)
		if !slices.Equal(lines(got.Create), c.create) || !slices.Equal(lines(got.Delete), c.delete) {
			t.Errorf("%s: create %q, delete %q; want %q, %q", c.why, lines(got.Create), lines(got.Delete), c.create, c.delete)
		}
	}
}

package management

import (
	"context"
	"os"
	"strings"

	"github.com/capok/capok/test/openstack/bridge"
)

// wayOut lets the management cluster reach a cloud beyond this machine, or
// takes that away again. With the OpenStack on this machine nothing needs it.
// The file remembers whether the machine forwarded before.
func wayOut(ctx context.Context, s bridge.Settings, remember string, wanted bool) error {
	// What only crosses a bridge keeps its source: br_netfilter shows us such packets
	// too, and the cloud may be one whose bridges are on this machine.
	rule := []string{"POSTROUTING", "-t", "nat", "-s", s.Management().String(), "!", "-d", s.Network.String(),
		"-m", "physdev", "!", "--physdev-is-bridged", "-j", "MASQUERADE"}
	present := command(ctx, "iptables", append([]string{"-C"}, rule...)...) == nil
	switch {
	case wanted && !present:
		if err := command(ctx, "iptables", append([]string{"-A"}, rule...)...); err != nil {
			return err
		}
	case !wanted && present:
		if err := command(ctx, "iptables", append([]string{"-D"}, rule...)...); err != nil {
			return err
		}
	}
	if wanted {
		return forward(remember)
	}
	return unforward(remember)
}

const forwardFile = "/proc/sys/net/ipv4/ip_forward"

func forward(remember string) error {
	was, err := os.ReadFile(forwardFile)
	if err != nil || strings.TrimSpace(string(was)) == "1" {
		return err
	}
	if err := write(remember, was); err != nil {
		return err
	}
	return os.WriteFile(forwardFile, []byte("1\n"), 0o644)
}

func unforward(remember string) error {
	was, err := os.ReadFile(remember)
	if os.IsNotExist(err) {
		return nil // not turned on by us
	} else if err != nil {
		return err
	}
	if err := os.WriteFile(forwardFile, was, 0o644); err != nil {
		return err
	}
	return os.Remove(remember)
}

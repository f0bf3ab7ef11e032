package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	// guardMetric is worse than any other route's: the guard counts only while
	// the bridge's own route is not there.
	guardMetric = "4000000"
	carrier     = "capok-carrier" // an empty plug that keeps the bridge's link up
)

// Up makes the bridge with the machine's address, and a route that keeps
// packets for the range on this machine when the bridge is gone, and raises
// the limit that the containers on it share. It refuses a range that the
// machine has a route to already. It may be called again.
func Up(ctx context.Context, s Settings) error {
	if err := s.checkRoutes(ctx); err != nil {
		return err
	}
	if err := inotify.raise(); err != nil {
		return err
	}
	if err := run(ctx, "ip", "route", "replace", "unreachable", s.Network.String(), "metric", guardMetric); err != nil {
		return err
	}
	if !exists(s.Name) {
		if err := run(ctx, "ip", "link", "add", s.Name, "type", "bridge", "forward_delay", "0", "stp_state", "0"); err != nil {
			return err
		}
	}
	if !exists(carrier + "0") {
		if err := run(ctx, "ip", "link", "add", carrier+"0", "type", "veth", "peer", "name", carrier+"1"); err != nil {
			return err
		}
	}
	address := fmt.Sprintf("%s/%d", s.Host(), s.Network.Bits())
	for _, c := range [][]string{
		{"ip", "address", "replace", address, "dev", s.Name},
		{"ip", "link", "set", s.Name, "up"},
		{"ip", "link", "set", carrier + "0", "master", s.Name, "up"},
		{"ip", "link", "set", carrier + "1", "up"},
	} {
		if err := run(ctx, c...); err != nil {
			return err
		}
	}
	return nil
}

// Down takes the bridge and its guard away. While something that is not ours is
// still plugged into the bridge it does nothing and says what that is.
func Down(ctx context.Context, s Settings) (pluggedIn []string, err error) {
	ports, _ := filepath.Glob("/sys/class/net/" + s.Name + "/brif/*")
	for _, port := range ports {
		if name := filepath.Base(port); name != carrier+"0" {
			pluggedIn = append(pluggedIn, name)
		}
	}
	if len(pluggedIn) > 0 {
		return pluggedIn, nil
	}
	for _, name := range []string{carrier + "0", s.Name} {
		if exists(name) {
			err = errors.Join(err, run(ctx, "ip", "link", "delete", name))
		}
	}
	routes, listErr := routes(ctx)
	for _, r := range routes {
		if r.isGuard(s) {
			err = errors.Join(err, run(ctx, "ip", "route", "delete", "unreachable", s.Network.String(), "metric", guardMetric))
		}
	}
	return nil, errors.Join(err, listErr, inotify.restore())
}

// route is what `ip -json route` says of one.
type route struct {
	Type        string `json:"type"`
	Destination string `json:"dst"`
	Device      string `json:"dev"`
	Metric      int    `json:"metric"`
}

func routes(ctx context.Context) ([]route, error) {
	out, err := exec.CommandContext(ctx, "ip", "-json", "-4", "route", "show", "table", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	var all []route
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	return all, nil
}

func (r route) isGuard(s Settings) bool {
	return r.Type == "unreachable" && r.Destination == s.Network.String() && fmt.Sprint(r.Metric) == guardMetric
}

func (s Settings) checkRoutes(ctx context.Context) error {
	all, err := routes(ctx)
	if err != nil {
		return err
	}
	return s.clash(all)
}

// clash finds a route to a part of the range that is not ours.
func (s Settings) clash(all []route) error {
	for _, r := range all {
		if r.Device == s.Name || r.isGuard(s) || r.Destination == "default" {
			continue
		}
		to, err := netip.ParsePrefix(r.Destination)
		if err != nil {
			addr, err := netip.ParseAddr(r.Destination)
			if err != nil {
				continue
			}
			to = netip.PrefixFrom(addr, addr.BitLen())
		}
		if to.Overlaps(s.Network) {
			return fmt.Errorf("this machine already has a route to %s by %s: set CAPOK_NETWORK to a free range of /24", to, r.Device)
		}
	}
	return nil
}

func exists(link string) bool {
	_, err := os.Stat("/sys/class/net/" + link)
	return err == nil
}

func run(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

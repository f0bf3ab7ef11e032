package openstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/capok/capok/test/lab/cgroup"
)

var (
	namespaces = regexp.MustCompile(`^(qrouter|qdhcp|capoklb)-`)
	links      = regexp.MustCompile(`^(brq[0-9a-f]{8}-[0-9a-f]{2}|tap[0-9a-f]{8}-[0-9a-f]{2}|vxlan-[0-9]+)$`)
	ipsets     = regexp.MustCompile(`^NIPv[46]`)
	// A rule in one of the kernel's chains that is about one of Neutron's.
	neutronJump  = regexp.MustCompile(`^-A ((?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)\b.*neutron.*)$`)
	neutronChain = regexp.MustCompile(`^:(neutron\S+)`)
)

// stopServers stops the containers of zone "node", which live on without their
// nova-compute, and undoes their mounts.
func (c *cloud) stopServers(ctx context.Context) error {
	var stops sync.WaitGroup
	for _, name := range c.containers() {
		stops.Go(func() {
			// fails for one that does not run
			_, _ = c.tool(ctx, "lxc-stop", "-P", c.instances(), "-n", name, "-k")
		})
	}
	stops.Wait()
	mounts, err := mountsBelow(c.Path())
	for _, m := range mounts {
		_, unmountErr := c.tool(ctx, "umount", "-l", m)
		err = errors.Join(err, unmountErr)
	}
	return err
}

// removeGroups removes the control groups of the containers, some time after
// stopServers: LXC's monitors leave theirs as they end.
func (c *cloud) removeGroups() error {
	var errs []error
	for _, name := range c.containers() {
		errs = append(errs, cgroup.Remove(name))
	}
	return errors.Join(errs...)
}

// instances is where nova-compute of zone "node" keeps its containers.
func (c *cloud) instances() string { return c.Path("nova-node", "instances") }

func (c *cloud) containers() []string {
	configs, _ := filepath.Glob(filepath.Join(c.instances(), "*", "config"))
	var names []string
	for _, config := range configs {
		names = append(names, filepath.Base(filepath.Dir(config)))
	}
	return names
}

// mountsBelow lists what is mounted in a folder, the deepest first.
func mountsBelow(dir string) ([]string, error) {
	table, err := os.ReadFile("/proc/mounts")
	var found []string
	for line := range strings.Lines(string(table)) {
		if at := strings.Fields(line)[1]; strings.HasPrefix(at, dir+"/") {
			found = append(found, at)
		}
	}
	slices.Sort(found)
	slices.Reverse(found)
	return found, err
}

// stopNamespaces ends what runs in the network namespaces of routers, DHCP and
// load balancers, and removes them.
func (c *cloud) stopNamespaces(ctx context.Context) error {
	list, err := c.tool(ctx, "ip", "netns", "list")
	for line := range strings.Lines(list) {
		name := strings.Fields(line)[0]
		if !namespaces.MatchString(name) {
			continue
		}
		if pids, _ := c.tool(ctx, "ip", "netns", "pids", name); pids != "" {
			_, _ = c.tool(ctx, append([]string{"kill", "-KILL"}, strings.Fields(pids)...)...)
		}
		_, deleteErr := c.tool(ctx, "ip", "netns", "delete", name)
		err = errors.Join(err, deleteErr)
	}
	for _, kind := range []string{"pid", "sock"} {
		stale, _ := filepath.Glob(c.Path("loadbalancers", "*."+kind))
		for _, f := range stale {
			err = errors.Join(err, os.Remove(f))
		}
	}
	return err
}

// removeLinks removes Neutron's bridges, taps and tunnels.
func (c *cloud) removeLinks(ctx context.Context) error {
	all, err := os.ReadDir("/sys/class/net")
	for _, link := range all {
		if links.MatchString(link.Name()) {
			_, _ = c.tool(ctx, "ip", "link", "delete", link.Name())
		}
	}
	return err
}

// removeRules removes Neutron's rules and chains, and nothing else: what other
// programs have in the same tables is not touched.
func (c *cloud) removeRules(ctx context.Context) error {
	var errs []error
	for _, program := range []string{"iptables", "ip6tables", "ebtables"} {
		saved, err := c.tool(ctx, program+"-save")
		errs = append(errs, err)
		if undo := removal(saved); undo != "" {
			cmd := exec.CommandContext(ctx, program+"-restore", "--noflush")
			cmd.Stdin = strings.NewReader(undo)
			if out, err := cmd.CombinedOutput(); err != nil {
				errs = append(errs, fmt.Errorf("%s-restore: %w: %s", program, err, out))
			}
		}
	}
	list, err := c.tool(ctx, "ipset", "list", "-name")
	for _, name := range strings.Fields(list) {
		if ipsets.MatchString(name) {
			_, destroyErr := c.tool(ctx, "ipset", "destroy", name)
			err = errors.Join(err, destroyErr)
		}
	}
	return errors.Join(append(errs, err)...)
}

// removal turns what iptables-save said into what iptables-restore needs in
// order to remove Neutron's part of it.
func removal(saved string) string {
	var out strings.Builder
	var table string
	var jumps, chains []string
	flush := func() {
		if len(jumps)+len(chains) == 0 {
			return
		}
		fmt.Fprintln(&out, table)
		for _, rule := range jumps {
			fmt.Fprintln(&out, "-D", rule)
		}
		for _, command := range []string{"-F", "-X"} {
			for _, chain := range chains {
				fmt.Fprintln(&out, command, chain)
			}
		}
		fmt.Fprintln(&out, "COMMIT")
	}
	for line := range strings.Lines(saved) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "*") {
			flush()
			table, jumps, chains = line, nil, nil
		} else if m := neutronJump.FindStringSubmatch(line); m != nil {
			jumps = append(jumps, m[1])
		} else if m := neutronChain.FindStringSubmatch(line); m != nil {
			chains = append(chains, m[1])
		}
	}
	flush()
	return out.String()
}

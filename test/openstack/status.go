package openstack

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/capok/capok/test/lab/progress"
)

// CloudsFile is the clouds.yaml that Up writes, with the clouds "capok" (user
// capok, project kaas), "capok-other" (project other) and "capok-admin".
func CloudsFile() string {
	c := cloud{}
	return c.Path("clouds.yaml")
}

func (c *cloud) writeClouds() error {
	text := "clouds:\n"
	for _, entry := range []struct{ name, user, project string }{
		{"capok", "capok", "kaas"}, {"capok-other", "other", "other"}, {"capok-admin", "admin", "admin"},
	} {
		text += fmt.Sprintf(`  %s:
    auth:
      auth_url: %s/v3
      username: %s
      password: %s
      project_name: %s
      user_domain_name: Default
      project_domain_name: Default
    region_name: RegionOne
    interface: public
    identity_api_version: 3
`, entry.name, c.URL(5000), entry.user, c.Password, entry.project)
	}
	return write(CloudsFile(), []byte(text), 0o600)
}

// Status prints the cloud's processes, with the memory that each takes, and
// says how to use it. It returns an error if a process has died.
func Status(_ context.Context, p *progress.Printer, out io.Writer) error {
	c, err := settings(p)
	if err != nil {
		return err
	}
	names := c.processes.Known()
	slices.Sort(names)
	total := 0
	for _, name := range names {
		pid := c.processes.Pid(name)
		memory := groupMemory(pid)
		total += memory
		state := fmt.Sprintf("up, pid %d", pid)
		if pid == 0 {
			state = "died, see " + c.processes.Log(name)
		}
		fmt.Fprintf(out, "%-26s %5d MiB  %s\n", name, memory, state)
	}
	if len(names) == 0 {
		fmt.Fprintln(out, "OpenStack: down; make up starts it")
		return nil
	}
	fmt.Fprintf(out, "%-26s %5d MiB  (proportional set size)\n\n", "all", total)
	fmt.Fprintf(out, "export OS_CLIENT_CONFIG_FILE=%s OS_CLOUD=capok\nopenstack server list\n", CloudsFile())
	return c.dead()
}

// groupMemory is the proportional set size of a process group in MiB.
func groupMemory(group int) int {
	kib := 0
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil || group == 0 {
			continue
		}
		// after the name: state, parent, group
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if fields[2] != strconv.Itoa(group) {
			continue
		}
		rollup, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "smaps_rollup"))
		for line := range strings.Lines(string(rollup)) {
			if value, ok := strings.CutPrefix(line, "Pss:"); ok {
				n, _ := strconv.Atoi(strings.Fields(value)[0])
				kib += n
			}
		}
	}
	return kib / 1024
}

package management

import (
	"fmt"
	"os"
	"strings"
)

// shielded are the kernel settings that a kubelet sets for the whole machine.
// It finds a file of ours with the value it wants in their place, and leaves
// the machine's alone.
var shielded = []struct{ setting, value string }{
	{"vm/overcommit_memory", "1"},
	{"vm/panic_on_oom", "0"},
	{"kernel/panic", "10"},
	{"kernel/panic_on_oops", "1"},
	{"kernel/keys/root_maxkeys", "1000000"},
	{"kernel/keys/root_maxbytes", "25000000"},
}

// configure writes LXC's configuration of the container.
func (c container) configure() error {
	lines := []string{
		"lxc.uts.name = " + name,
		"lxc.rootfs.path = dir:" + c.path("root"),
		"lxc.init.cmd = /sbin/init",
		"lxc.environment = product_name=OpenStack Nova", // where cloud-init looks what it runs on
		"lxc.net.0.type = veth",
		"lxc.net.0.veth.pair = " + veth,
		"lxc.net.0.link = " + c.net.Name,
		"lxc.net.0.flags = up",
		"lxc.net.0.name = eth0",
		"lxc.net.0.hwaddr = " + mac,
		"lxc.mount.auto = proc:rw sys:mixed cgroup:rw:force",
		"lxc.cap.drop =",
		"lxc.apparmor.profile = unconfined",
		"lxc.seccomp.profile =",
		"lxc.autodev = 1",
		"lxc.tty.max = 0",
		"lxc.pty.max = 1024",
		"lxc.mount.entry = /dev/kmsg dev/kmsg none bind,create=file 0 0",
		"lxc.console.logfile = " + c.path("console.log"),
	}
	lines = append(lines, priority()...)
	if err := os.MkdirAll(c.path("sysctl"), 0o755); err != nil {
		return err
	}
	for _, s := range shielded {
		file := c.path("sysctl", strings.ReplaceAll(s.setting, "/", "."))
		if err := os.WriteFile(file, []byte(s.value+"\n"), 0o644); err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("lxc.mount.entry = %s proc/sys/%s none bind 0 0", file, s.setting))
	}
	return os.WriteFile(c.path("lxc", name, "config"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// priority lets the cluster go before what else the machine builds and runs:
// its managers end when their leases cannot be renewed in time.
func priority() []string {
	if exists("/sys/fs/cgroup/cpu/cgroup.procs") { // cgroup v1
		return []string{"lxc.cgroup.cpu.shares = 16384"} // of 1024
	}
	return []string{"lxc.cgroup2.cpu.weight = 1600"} // of 100
}

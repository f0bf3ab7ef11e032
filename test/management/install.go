package management

import (
	"context"
	"os/exec"

	"github.com/capok/capok/test/lab/progress"
)

// Install installs the Debian packages of LXC and iptables if they are
// missing. Where there is an OpenStack on this machine, its own Install has
// done so.
func Install(ctx context.Context, p *progress.Printer) error {
	missing := false
	for _, program := range programs {
		_, err := exec.LookPath(program)
		missing = missing || err != nil
	}
	if !missing {
		return nil
	}
	return p.Phase(ctx, "install lxc and iptables", func(ctx context.Context) error {
		return command(ctx, "apt-get", "-y", "-q", "-o", "DPkg::Lock::Timeout=600", "install", "--no-install-recommends", "lxc", "iproute2", "iptables")
	})
}

package node

import (
	"context"
	"os"
	"path/filepath"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
)

// buildComponents builds every binary first: it takes longest by far when
// the cache is empty.
func (b build) buildComponents(ctx context.Context) error {
	for _, name := range append(inImages, onNode...) {
		if _, err := component.Path(ctx, b.p, name); err != nil {
			return err
		}
	}
	return nil
}

// written are small files of the image that are not copied from image/.
// Those of Debian that must differ on each node are emptied.
var written = map[string]string{
	"etc/machine-id": "",
	"etc/hostname":   "node\n",
	"etc/hosts":      "127.0.0.1 localhost\n",
	"etc/fstab":      "LABEL=" + label + " / ext4 defaults,noatime 0 1\n",
}

var removed = []string{"etc/ssh/ssh_host_*", "var/lib/dbus/machine-id", "etc/apt/sources.list.d/*", "var/lib/apt/lists/*", "var/cache/apt/*"}

// disabled are timers of Debian that are of no use on a node that is
// replaced rather than updated.
var disabled = []string{"apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "fstrim.timer"}

var enabled = []string{"capok-node-setup.service", "containerd.service", "kubelet.service"}

// files puts our own files and the binaries into the root.
func (b build) files(ctx context.Context) error {
	if err := run(ctx, b.p, "cp", "-r", "--preserve=mode", place.Repo("test", "node", "image")+"/.", b.root); err != nil {
		return err
	}
	for name, text := range written {
		if err := os.WriteFile(b.path(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, pattern := range removed {
		found, err := filepath.Glob(b.path(pattern))
		if err != nil {
			return err
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	if err := b.installBinaries(ctx); err != nil {
		return err
	}
	units := []string{"chroot", b.root, "systemctl", "--quiet"}
	if err := run(ctx, b.p, append(append(units, "mask"), disabled...)...); err != nil {
		return err
	}
	return run(ctx, b.p, append(append(units, "enable"), enabled...)...)
}

func (b build) installBinaries(ctx context.Context) error {
	plugins := component.Plugins()
	for _, name := range onNode {
		from, err := component.Path(ctx, b.p, name)
		if err != nil {
			return err
		}
		folder := "usr/local/bin"
		for _, plugin := range plugins {
			if name == plugin {
				folder = "opt/cni/bin"
			}
		}
		if err := run(ctx, b.p, "install", "-D", "-m", "755", from, b.path(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// path is a path in the root file system.
func (b build) path(elem ...string) string {
	return filepath.Join(append([]string{b.root}, elem...)...)
}

package node

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
)

const release = "bookworm"

// tools are the Debian packages that the build itself uses.
var tools = []string{"mmdebstrap", "qemu-utils", "extlinux", "e2fsprogs"}

// packages are what a node needs from Debian, without recommended ones.
var packages = strings.Fields(`
	systemd-sysv dbus udev kmod procps sudo
	cloud-init cloud-guest-utils e2fsprogs
	containerd conntrack iptables nftables ebtables ipset ethtool socat
	iproute2 iputils-ping ifupdown isc-dhcp-client net-tools netbase resolvconf
	openssh-server ca-certificates curl
	linux-image-cloud-amd64 initramfs-tools`)

// ramDisk asks for a small initial RAM disk, with what a virtio machine needs
// to find its disk, before the kernel's package makes it.
const ramDisk = `mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d" &&
printf 'MODULES=list\nCOMPRESS=gzip\n' >"$1/etc/initramfs-tools/conf.d/capok" &&
printf '%s\n' virtio_pci virtio_blk virtio_scsi virtio_net sd_mod ext4 crc32c_generic >"$1/usr/share/initramfs-tools/modules.d/capok"`

func bootstrap(target string) []string {
	args := []string{"mmdebstrap", "--variant=minbase", "--include=" + strings.Join(packages, ","),
		`--aptopt=APT::Install-Recommends "false"`, "--essential-hook=" + ramDisk}
	for _, folder := range []string{"man", "doc", "locale", "info"} {
		args = append(args, "--dpkgopt=path-exclude=/usr/share/"+folder+"/*")
	}
	return append(args, release, target)
}

// debian unpacks a fresh Debian into the root. The archive of it is kept:
// most changes of the image do not touch it.
func (b build) debian(ctx context.Context) error {
	key := sha256.Sum256([]byte(strings.Join(bootstrap(""), "\n")))
	archive := place.Cache(fmt.Sprintf("debian-%s-%x.tar", release, key[:6]))
	if !exists(archive) {
		partial := filepath.Join(b.folder, "debian.tar")
		if err := run(ctx, b.p, bootstrap(partial)...); err != nil {
			return err
		}
		if err := os.Rename(partial, archive); err != nil {
			return err
		}
	}
	if err := os.Mkdir(b.root, 0o755); err != nil {
		return err
	}
	return run(ctx, b.p, "tar", "-xp", "--numeric-owner", "--xattrs", "--xattrs-include=*", "-f", archive, "-C", b.root)
}

// installTools installs the packages of tools that are missing.
func installTools(ctx context.Context, p *progress.Printer) error {
	var missing []string
	for _, name := range tools {
		status, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${db:Status-Abbrev}", name).Output()
		if err != nil || !strings.HasPrefix(string(status), "ii") {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return p.Phase(ctx, "install "+strings.Join(missing, " "), func(ctx context.Context) error {
		apt := []string{"apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=600"}
		if err := run(ctx, p, append(apt, "update")...); err != nil {
			return err
		}
		return run(ctx, p, append(append(apt, "install", "--no-install-recommends"), missing...)...)
	})
}

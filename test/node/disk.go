package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// label is the file system's, by which the kernel and fstab find it.
const label = "capok-node"

// size is the disk's; the first boot grows the file system to the flavor's.
const size = "4G"

// kernelOptions: a serial console for the cloud's console log, and the first
// network card called eth0.
const kernelOptions = "root=LABEL=" + label + " rw console=tty0 console=ttyS0 quiet net.ifnames=0"

// install writes the boot loader into a mounted disk. The mount is made in a
// namespace of its own and so goes away with the process.
const install = `mount -o loop "$1" "$2" && extlinux --install "$2/boot/extlinux" && umount "$2"`

// disk makes the file system without a partition table: the same file boots
// by BIOS (extlinux in its first sector) and mounts through a loop device.
func (b build) disk(ctx context.Context) error {
	if err := b.bootMenu(); err != nil {
		return err
	}
	raw, mount := filepath.Join(b.folder, "node.img"), filepath.Join(b.folder, "mount")
	if err := os.Mkdir(mount, 0o700); err != nil {
		return err
	}
	for _, step := range [][]string{
		// extlinux does not read checksums of metadata
		{"mke2fs", "-q", "-F", "-t", "ext4", "-L", label, "-m", "0", "-O", "^metadata_csum", "-E", "lazy_itable_init=0", "-d", b.root, raw, size},
		{"unshare", "--mount", "sh", "-c", install, "sh", raw, mount},
		{"qemu-img", "convert", "-O", "qcow2", "-c", "-o", "compression_type=zstd", raw, filepath.Join(b.folder, "node.qcow2")},
	} {
		if err := run(ctx, b.p, step...); err != nil {
			return err
		}
	}
	if err := os.Remove(mount); err != nil {
		return err
	}
	return os.Remove(raw)
}

func (b build) bootMenu() error {
	kernels, err := filepath.Glob(b.path("boot/vmlinuz-*"))
	if err != nil {
		return err
	}
	if len(kernels) != 1 {
		return fmt.Errorf("want one kernel in boot/, found %v", kernels)
	}
	version := strings.TrimPrefix(filepath.Base(kernels[0]), "vmlinuz-")
	if err := os.MkdirAll(b.path("boot/extlinux"), 0o755); err != nil {
		return err
	}
	menu := fmt.Sprintf("DEFAULT node\nPROMPT 0\nTIMEOUT 0\nLABEL node\n KERNEL ../vmlinuz-%s\n INITRD ../initrd.img-%s\n APPEND %s\n", version, version, kernelOptions)
	return os.WriteFile(b.path("boot/extlinux/extlinux.conf"), []byte(menu), 0o644)
}

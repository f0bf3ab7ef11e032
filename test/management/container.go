package management

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/capok/capok/test/lab/cgroup"
	"github.com/capok/capok/test/openstack/bridge"
)

// name is the container's, and the node's.
const name = "capok-management"

// veth is the host's end of the container's network cable.
const veth = "capok-mgmt"

// container is a system container: its own init, its own network, and the
// node image's root file system below a writable layer.
type container struct {
	base string // the node image's root file system
	dir  string // everything of this container
	net  bridge.Settings
}

func (c container) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir}, elem...)...)
}

// plain are folders that cannot lie on an overlay: containerd mounts overlays
// of its own there, etcd and the kubelet want a plain file system below them.
var plain = []string{"containerd", "kubelet", "etcd"}

// start brings the container up, from whatever is there of it.
func (c container) start(ctx context.Context) error {
	if c.running(ctx) {
		return nil
	}
	if err := c.lay(ctx); err != nil {
		return fmt.Errorf("root file system: %w", err)
	}
	if err := c.mount(); err != nil {
		return err
	}
	if err := errors.Join(c.seed(), c.resolve()); err != nil {
		return fmt.Errorf("user data and name servers: %w", err)
	}
	if err := c.configure(); err != nil {
		return err
	}
	log, err := os.Create(c.path("lxc-start.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	// Not through a pipe: the container would hold it open.
	return detached(ctx, log, "lxc-start", "-P", c.path("lxc"), "-n", name, "-o", c.path("lxc.log"), "-l", "INFO", "-d")
}

func (c container) running(ctx context.Context) bool {
	state, err := output(ctx, "lxc-info", "-P", c.path("lxc"), "-n", name, "-s", "-H")
	return err == nil && state == "RUNNING"
}

// run runs a program inside.
func (c container) run(ctx context.Context, in io.Reader, args ...string) (string, error) {
	return pipe(ctx, in, "lxc-attach", append([]string{"-P", c.path("lxc"), "-n", name, "--clear-env", "--"}, args...)...)
}

// lay makes the writable layer. The images that the node image brings along
// are hard links, so they cost neither time nor space; containerd writes only
// to its data bases, which are copied.
func (c container) lay(ctx context.Context) error {
	for _, dir := range append([]string{"upper", "work", "root", "lxc/" + name}, plain...) {
		if err := os.MkdirAll(c.path(dir), 0o755); err != nil {
			return err
		}
	}
	done := c.path("containerd.laid")
	images := filepath.Join(c.base, "var/lib/containerd")
	if exists(done) || !exists(images) {
		return nil
	}
	if err := command(ctx, "cp", "-al", images+"/.", c.path("containerd")); err != nil {
		if err := command(ctx, "cp", "-a", images+"/.", c.path("containerd")); err != nil { // another file system
			return err
		}
	}
	err := filepath.WalkDir(c.path("containerd"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".db" {
			return err
		}
		return command(ctx, "cp", "--remove-destination", filepath.Join(images, strings.TrimPrefix(path, c.path("containerd"))), path)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o644)
}

// mount puts the layers together.
func (c container) mount() error {
	root := c.path("root")
	if !mounted(root) {
		layers := "lowerdir=" + c.base + ",upperdir=" + c.path("upper") + ",workdir=" + c.path("work")
		if err := syscall.Mount("overlay", root, "overlay", 0, layers); err != nil {
			return fmt.Errorf("mount overlay at %s (%s): %w", root, layers, err)
		}
	}
	for _, dir := range plain {
		target := filepath.Join(root, "var/lib", dir)
		if mounted(target) {
			continue
		}
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := syscall.Mount(c.path(dir), target, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("bind %s: %w", target, err)
		}
	}
	return nil
}

// stop ends the container and takes away all that it left on the machine but
// its files.
func (c container) stop(ctx context.Context) error {
	if c.running(ctx) {
		if err := command(ctx, "lxc-stop", "-P", c.path("lxc"), "-n", name, "-t", "20"); err != nil {
			return err
		}
	}
	return errors.Join(c.unmount(), cgroup.Remove(name), removeVeth(ctx))
}

func (c container) unmount() error {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	var below []string
	for line := range strings.Lines(string(mounts)) {
		if at := strings.Fields(line)[4]; strings.HasPrefix(at, c.dir+"/") {
			below = append(below, at)
		}
	}
	for i := len(below) - 1; i >= 0; i-- { // what was mounted last is on top
		if err := syscall.Unmount(below[i], syscall.MNT_DETACH); err != nil && mounted(below[i]) {
			return fmt.Errorf("unmount %s: %w", below[i], err)
		}
	}
	return nil
}

func removeVeth(ctx context.Context) error {
	if !exists("/sys/class/net/" + veth) {
		return nil
	}
	return command(ctx, "ip", "link", "delete", veth)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func mounted(path string) bool {
	var here, above syscall.Stat_t
	if syscall.Stat(path, &here) != nil || syscall.Stat(filepath.Dir(path), &above) != nil {
		return false
	}
	if here.Dev != above.Dev {
		return true
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // a bind mount from the same device
	return strings.Contains(string(mounts), " "+path+" ")
}

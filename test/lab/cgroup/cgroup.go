// Package cgroup removes the control groups that LXC made for a container.
package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// root is where cgroup v2, or a folder for each controller of v1, is mounted.
const root = "/sys/fs/cgroup"

// Remove removes the empty groups of a container that does not run. LXC leaves them
// when its monitor is killed. A group with a process in it is an error: the kernel
// refuses to remove it.
func Remove(container string) error { return remove(root, container) }

func remove(root, container string) error {
	var errs []error
	for _, group := range []string{"lxc.payload." + container, "lxc.monitor." + container} {
		for _, dir := range find(root, group) {
			errs = append(errs, removeTree(dir))
		}
	}
	// Other containers share this one: it goes with the last of them.
	for _, dir := range find(root, "lxc.pivot") {
		_ = syscall.Rmdir(dir)
	}
	return errors.Join(errs...)
}

func find(root, group string) []string {
	var found []string
	for _, pattern := range []string{filepath.Join(root, group), filepath.Join(root, "*", group)} {
		dirs, _ := filepath.Glob(pattern)
		found = append(found, dirs...)
	}
	return found
}

// removeTree removes a group and those below it; what else lies in the folder of a
// group is the kernel's and goes with it.
func removeTree(dir string) error {
	children, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, child := range children {
		if child.IsDir() {
			if err := removeTree(filepath.Join(dir, child.Name())); err != nil {
				return err
			}
		}
	}
	if err := syscall.Rmdir(dir); err != nil {
		return fmt.Errorf("cgroup %s: %w", dir, err)
	}
	return nil
}

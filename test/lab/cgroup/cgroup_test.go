package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRemoveTakesOneContainersGroupsOnly(t *testing.T) {
	root := t.TempDir()
	made := []string{
		"memory/lxc.payload.a/system.slice/x", "memory/lxc.monitor.a", "unified/lxc.payload.a", "lxc.payload.a/init.scope", // v1 and v2
		"memory/lxc.payload.ab", "memory/lxc.pivot/busy",
	}
	for _, dir := range made {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time nothing is there
		if err := remove(root, "a"); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"memory/lxc.payload.a", "memory/lxc.monitor.a", "unified/lxc.payload.a", "lxc.payload.a"} {
		if _, err := os.Stat(filepath.Join(root, dir)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", dir, err)
		}
	}
	for _, dir := range []string{"memory/lxc.payload.ab", "memory/lxc.pivot"} {
		if _, err := os.Stat(filepath.Join(root, dir)); err != nil {
			t.Errorf("%s is another container's: %v", dir, err)
		}
	}
}

// Package place says where the development environment keeps its things.
//
// Nothing is kept in the checkout: what is built lies in Cache, keyed by
// version, and survives a wipe; what runs lies in State.
package place

import (
	"os"
	"path/filepath"
	"runtime"
)

// Cache is the folder of built things: $CAPOK_CACHE, by default capok in the
// user's cache folder. Names in it carry a version or a hash, so that several
// checkouts can share it.
func Cache(elem ...string) string {
	return folder("CAPOK_CACHE", "XDG_CACHE_HOME", ".cache", elem)
}

// State is the folder of running things (data, logs, pid files, kubeconfigs):
// $CAPOK_STATE, by default capok in the user's state folder.
func State(elem ...string) string {
	return folder("CAPOK_STATE", "XDG_STATE_HOME", ".local/state", elem)
}

// Repo is the root of the checkout that this program was built from.
func Repo(elem ...string) string {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	return filepath.Join(append([]string{root}, elem...)...)
}

func folder(own, xdg, home string, elem []string) string {
	base := os.Getenv(own)
	if base == "" {
		parent := os.Getenv(xdg)
		if parent == "" {
			parent = filepath.Join(os.Getenv("HOME"), home)
		}
		base = filepath.Join(parent, "capok")
	}
	return filepath.Join(append([]string{base}, elem...)...)
}

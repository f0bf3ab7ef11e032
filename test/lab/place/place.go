// Package place says where the development environment keeps its things.
//
// Nothing is kept in the checkout: what is built lies in Cache, keyed by
// version, and survives a wipe; what runs lies in State.
package place

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
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

// Repo is the root of the checkout that the program was started in. The paths of
// its sources cannot tell: they are trimmed, so that tests and released programs
// share what was compiled.
func Repo(elem ...string) string {
	return filepath.Join(append([]string{root()}, elem...)...)
}

var root = sync.OnceValue(func() string {
	here, err := os.Getwd()
	if err != nil {
		panic("the current folder is gone: " + err.Error())
	}
	for folder := here; ; folder = filepath.Dir(folder) {
		content, _ := os.ReadFile(filepath.Join(folder, "go.mod"))
		if bytes.HasPrefix(content, []byte("module github.com/capok/capok\n")) {
			return folder
		}
		if folder == filepath.Dir(folder) {
			panic(here + " is not in a checkout of Capok: start this there")
		}
	}
})

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

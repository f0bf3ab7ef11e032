package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/lock"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
)

// Name is what the image is called in Glance.
const Name = "capok-node-" + component.Kubernetes

// Image returns the path of the disk image (qcow2, zstd inside, no partition
// table, boots by BIOS) and builds it first if the cache does not hold it.
func Image(ctx context.Context, p *progress.Printer) (string, error) {
	folder, err := ensure(ctx, p)
	return filepath.Join(folder, "node.qcow2"), err
}

// RootFS returns the folder with the image's files, for containers that do
// not come through Glance. It is shared and must not be written to: mount it
// as the lower layer of an overlay.
func RootFS(ctx context.Context, p *progress.Printer) (string, error) {
	folder, err := ensure(ctx, p)
	return filepath.Join(folder, "rootfs"), err
}

func ensure(ctx context.Context, p *progress.Printer) (string, error) {
	key, err := cacheKey(ctx)
	if err != nil {
		return "", fmt.Errorf("node image: %w", err)
	}
	folder := place.Cache("node-image-" + key)
	if exists(folder) {
		return folder, nil
	}
	if os.Geteuid() != 0 {
		return "", errors.New("building the node image needs root: it unpacks a Debian and mounts its disk")
	}
	release, err := lock.Take(ctx, p, place.Cache("node-image.lock"))
	if err != nil {
		return "", err
	}
	defer release()
	if exists(folder) { // another process built it while we waited
		return folder, nil
	}
	if err := removeLeftovers(); err != nil {
		return "", err
	}
	began := time.Now()
	partial, err := os.MkdirTemp(place.Cache(), "node-image-*.partial")
	if err != nil {
		return "", err
	}
	if err := (build{p, partial, filepath.Join(partial, "rootfs")}).run(ctx); err != nil {
		return "", fmt.Errorf("build the node image: %w", err)
	}
	p.Sayf("node image built in %.0fs", time.Since(began).Seconds())
	// made readable for its owner only; services of other users read the disk
	if err := os.Chmod(partial, 0o755); err != nil {
		return "", err
	}
	return folder, os.Rename(partial, folder)
}

// removeLeftovers removes what killed builds left. The caller holds the lock.
func removeLeftovers() error {
	left, err := filepath.Glob(place.Cache("node-image-*.partial"))
	for _, folder := range left {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

// build is one build of the image in a folder of its own.
type build struct {
	p      *progress.Printer
	folder string
	root   string // the root file system, in folder
}

func (b build) run(ctx context.Context) error {
	if err := installTools(ctx, b.p); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"node image: Kubernetes binaries", b.buildComponents},
		{"node image: Debian", b.debian},
		{"node image: files", b.files},
		{"node image: container images", b.importImages},
		{"node image: disk", b.disk},
	} {
		if err := b.p.Phase(ctx, step.name, step.run); err != nil {
			return err
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

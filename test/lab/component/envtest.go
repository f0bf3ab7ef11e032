package component

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
)

// Envtest returns a folder with etcd, kube-apiserver and kubectl, as
// controller-runtime's envtest wants it in KUBEBUILDER_ASSETS. It builds what
// is missing.
func Envtest(ctx context.Context) (string, error) {
	p := progress.New()
	folder := place.Cache("components", "envtest-"+Kubernetes)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		path, err := Path(ctx, p, name)
		if err != nil {
			return "", err
		}
		if err := link(path, filepath.Join(folder, name)); err != nil {
			return "", fmt.Errorf("link %s for envtest: %w", name, err)
		}
	}
	return folder, nil
}

// link makes name a symbolic link to target in one step, so that a process
// that runs tests at the same time always finds one.
func link(target, name string) error {
	if now, err := os.Readlink(name); err == nil && now == target {
		return nil
	}
	fresh := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, name)
}

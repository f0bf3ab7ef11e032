// Package manifests tests what users and clusterctl apply, on a real API
// server: the CRDs with their rules, the admission policies, the cluster
// templates and the other release files.
//
// It knows nothing of controllers; what those do with the objects is tested
// beside them. Only what monitoring sees comes from a manager that runs with the
// rights of the release. Read run first, then create_test.go.
package manifests

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
)

var (
	// user talks to the API server with all rights; unknown fields are errors.
	user client.Client
	// release is the folder that hack/release filled; its components are installed.
	release string
	// admin is how a client reaches the API server, with all rights.
	admin *rest.Config
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run starts etcd and kube-apiserver with Cluster API's CRDs, installs the
// components of a release made from this checkout, and runs the tests.
func run(m *testing.M) int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ctrl.SetLogger(klog.Background())
	assets, err := kubernetes(ctx)
	if err != nil {
		return broken("build kube-apiserver and etcd", err)
	}
	if release, err = os.MkdirTemp("", "capok-release-"); err != nil {
		return broken("make a folder", err)
	}
	defer os.RemoveAll(release)
	if err := makeRelease(ctx, assets, release); err != nil {
		return broken("run hack/release", err)
	}
	environment, err := newEnvironment(ctx, assets)
	if err != nil {
		return broken("find the CRDs of Cluster API", err)
	}
	if admin, err = environment.Start(); err != nil {
		return broken("start kube-apiserver and etcd of "+assets, err)
	}
	defer func() { _ = environment.Stop() }()
	plain, err := client.New(admin, client.Options{})
	if err != nil {
		return broken("make a client", err)
	}
	user = client.WithFieldValidation(plain, metav1.FieldValidationStrict)
	if err := install(ctx); err != nil {
		return broken("install the components", err)
	}
	return m.Run()
}

func broken(what string, err error) int {
	fmt.Fprintf(os.Stderr, "test/manifests cannot start: %s: %v\n", what, err)
	return 1
}

// kubernetes is the folder with kube-apiserver, etcd and kubectl.
func kubernetes(ctx context.Context) (string, error) {
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		return assets, nil
	}
	return component.Envtest(ctx)
}

func makeRelease(ctx context.Context, assets, folder string) error {
	command := exec.CommandContext(ctx, place.Repo("hack", "release"), folder)
	command.Env = append(os.Environ(), "KUBEBUILDER_ASSETS="+assets)
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func newEnvironment(ctx context.Context, assets string) (*envtest.Environment, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api")
	list.Dir = place.Repo()
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	source := strings.TrimSpace(string(out))
	return &envtest.Environment{
		BinaryAssetsDirectory:    assets,
		ControlPlaneStartTimeout: 3 * time.Minute,
		ErrorIfCRDPathMissing:    true,
		CRDDirectoryPaths: []string{
			filepath.Join(source, "core/config/crd/bases"),
			filepath.Join(source, "bootstrap/kubeadm/config/crd/bases"),
			filepath.Join(source, "controlplane/kubeadm/config/crd/bases"),
		},
	}, nil
}

// TestInputs opens all that a release is made of. Go's test cache does not see
// what hack/release reads, and would keep the result of older manifests.
func TestInputs(t *testing.T) {
	for _, input := range []string{"config", "templates", "metadata.yaml", "hack/release"} {
		err := filepath.WalkDir(place.Repo(input), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			return file.Close()
		})
		if err != nil {
			t.Error(err)
		}
	}
}

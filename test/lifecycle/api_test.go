package lifecycle

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
)

// api is a management cluster.
type api struct {
	// user is who makes objects, and Cluster API: it may do everything.
	user client.WithWatch
	// capok is our manager: it may do what config/rbac gives it.
	capok client.WithWatch
	// config is how our manager connects; nil: in memory.
	config *rest.Config
}

// inMemory is an API for one story: exact in which write took effect, ten times
// as fast, and without the rules of the real one.
func inMemory(scheme *runtime.Scheme) *api {
	tracker := clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder()) // without managed fields
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(tracker).WithStatusSubresource(
		&infrav1.OpenStackCluster{}, &infrav1.OpenStackMachine{}, &clusterv1.Cluster{}, &clusterv1.Machine{}).Build()
	return &api{user: c, capok: c}
}

// connect makes the clients. The manager's has the rights of its ClusterRole:
// a verb that is missing there fails a story.
func connect(ctx context.Context, config *rest.Config, scheme *runtime.Scheme) (*api, error) {
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{} // of names of finalizers
	impersonated := rest.CopyConfig(config)
	impersonated.Impersonate.UserName = "capok"
	a := &api{config: impersonated}
	var err error
	if a.user, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	if a.capok, err = client.NewWithWatch(impersonated, client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	return a, a.grant(ctx)
}

func (a *api) grant(ctx context.Context) error {
	content, err := os.ReadFile(place.Repo("config", "rbac", "role.yaml"))
	if err != nil {
		return err
	}
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(content, role); err != nil {
		return fmt.Errorf("read the manager's role: %w", err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "manager"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "capok"}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := a.user.Create(ctx, object); err != nil {
			return fmt.Errorf("create %s: %w", object.GetName(), err)
		}
	}
	return nil
}

func newEnvironment(ctx context.Context) (*envtest.Environment, error) {
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		var err error
		if assets, err = component.Envtest(ctx); err != nil {
			return nil, err
		}
	}
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api")
	list.Dir = place.Repo()
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	environment := &envtest.Environment{
		BinaryAssetsDirectory:    assets,
		ControlPlaneStartTimeout: 3 * time.Minute,
		ErrorIfCRDPathMissing:    true,
		CRDDirectoryPaths: []string{
			filepath.Join(strings.TrimSpace(string(out)), "core/config/crd/bases"),
			place.Repo("config", "crd", "bases"),
		},
	}
	// Nothing has to outlive the tests: a write need not reach the disk.
	environment.ControlPlane.Etcd = &envtest.Etcd{}
	environment.ControlPlane.Etcd.Configure().Set("unsafe-no-fsync", "true")
	return environment, nil
}

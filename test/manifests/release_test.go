package manifests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/contract"
	"sigs.k8s.io/yaml"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// components returns the objects of one kind in infrastructure-components.yaml.
func components[T any](t *testing.T, kind string) []T {
	t.Helper()
	objects, err := readObjects("infrastructure-components.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var found []T
	for _, object := range objects {
		if object.GetKind() != kind {
			continue
		}
		var typed T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &typed); err != nil {
			t.Fatal(err)
		}
		found = append(found, typed)
	}
	return found
}

// TestReleaseSeries: clusterctl refuses unknown keys and a release without its series.
func TestReleaseSeries(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(release, "metadata.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var metadata struct {
		APIVersion    string `json:"apiVersion"`
		Kind          string `json:"kind"`
		ReleaseSeries []struct {
			Major, Minor int
			Contract     string
		} `json:"releaseSeries"`
	}
	if err := yaml.UnmarshalStrict(content, &metadata); err != nil {
		t.Fatal(err)
	}
	if metadata.APIVersion != "clusterctl.cluster.x-k8s.io/v1alpha3" || metadata.Kind != "Metadata" {
		t.Errorf("clusterctl does not know %s %s", metadata.APIVersion, metadata.Kind)
	}
	for _, series := range metadata.ReleaseSeries {
		if series.Contract != clusterv1.GroupVersion.Version {
			t.Errorf("series %d.%d keeps contract %q, the CRDs say %s", series.Major, series.Minor, series.Contract, clusterv1.GroupVersion.Version)
		}
	}
	if len(metadata.ReleaseSeries) == 0 {
		t.Error("no release series")
	}
}

// TestComponentsShape: the rules of clusterctl's provider contract.
func TestComponentsShape(t *testing.T) {
	objects, err := readObjects("infrastructure-components.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var namespaces []string
	for _, object := range objects {
		if object.GetKind() == "Namespace" {
			namespaces = append(namespaces, object.GetName())
		}
		if got := object.GetLabels()["cluster.x-k8s.io/provider"]; got != "infrastructure-openstack" {
			t.Errorf("%s %s has provider label %q", object.GetKind(), object.GetName(), got)
		}
		wantNamespace(t, object)
	}
	if !slices.Equal(namespaces, []string{"capok-system"}) {
		t.Errorf("namespaces are %v, want exactly capok-system", namespaces)
	}
}

func wantNamespace(t *testing.T, object unstructured.Unstructured) {
	t.Helper()
	namespaced := slices.Contains([]string{"ServiceAccount", "Role", "RoleBinding", "Deployment", "Service", "Certificate", "Issuer"}, object.GetKind())
	if got := object.GetNamespace(); namespaced != (got == "capok-system") || !namespaced && got != "" {
		t.Errorf("%s %s is in namespace %q", object.GetKind(), object.GetName(), got)
	}
}

func TestCRDsKeepTheContract(t *testing.T) {
	crds := components[apiextensionsv1.CustomResourceDefinition](t, "CustomResourceDefinition")
	if len(crds) != 5 {
		t.Errorf("%d CRDs, want 5", len(crds))
	}
	for _, crd := range crds {
		kind := crd.Spec.Names.Kind
		if want := contract.CalculateCRDName(infrav1.GroupVersion.Group, kind); crd.Name != want {
			t.Errorf("%s is called %s, Cluster API looks for %s", kind, crd.Name, want)
		}
		scope := apiextensionsv1.NamespaceScoped
		if kind == kindIdentity {
			scope = apiextensionsv1.ClusterScoped
		}
		if crd.Spec.Scope != scope || !slices.Contains(crd.Spec.Names.Categories, "cluster-api") {
			t.Errorf("%s is not a %s kind of category cluster-api", kind, scope)
		}
		wantContracts(t, crd)
		if kind == kindIdentity {
			continue // it only says what is; there is no status
		}
		for _, version := range crd.Spec.Versions {
			hasStatus := version.Subresources != nil && version.Subresources.Status != nil
			if hasStatus == strings.HasSuffix(kind, "Template") {
				t.Errorf("status subresource of %s: %v", kind, hasStatus)
			}
		}
	}
}

// wantContracts: Cluster API finds the version of a kind by these labels.
func wantContracts(t *testing.T, crd apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	for _, contract := range []string{"v1beta1", "v1beta2"} {
		want := contract // kept by our version of that name
		if len(crd.Spec.Versions) == 1 {
			want = crd.Spec.Versions[0].Name
		}
		if got := crd.Labels[clusterv1.GroupVersion.Group+"/"+contract]; got != want {
			t.Errorf("%s keeps contract %s by version %q, want %q", crd.Spec.Names.Kind, contract, got, want)
		}
	}
}

func TestManagerIsConfined(t *testing.T) {
	deployments := components[appsv1.Deployment](t, "Deployment")
	if len(deployments) != 1 || len(deployments[0].Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("want one Deployment with one container, got %d", len(deployments))
	}
	pod := deployments[0].Spec.Template.Spec
	manager := pod.Containers[0]
	if manager.Name != "manager" { // clusterctl looks for it by name
		t.Errorf("the container is called %q", manager.Name)
	}
	if manager.Image == "" || strings.Contains(manager.Image, "$") {
		t.Errorf("image %q", manager.Image)
	}
	security := manager.SecurityContext
	if *security.RunAsUser == 0 || *security.AllowPrivilegeEscalation || !*security.ReadOnlyRootFilesystem {
		t.Errorf("the manager runs with too many rights: %v", security)
	}
}

func TestRightsAreNamed(t *testing.T) {
	for _, role := range components[rbacv1.ClusterRole](t, "ClusterRole") {
		for _, rule := range role.Rules {
			for _, granted := range slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs) {
				if granted == "*" {
					t.Errorf("%s grants everything: %v", role.Name, rule)
				}
			}
			reads := []string{"get", "list", "watch"}
			for _, verb := range rule.Verbs {
				if slices.Contains(rule.Resources, "secrets") && !slices.Contains(reads, verb) {
					t.Errorf("%s may %s Secrets; they are only read", role.Name, verb)
				}
			}
		}
	}
}

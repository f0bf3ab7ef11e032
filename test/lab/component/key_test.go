package component

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capok/capok/test/lab/place"
)

func TestCacheKeyChangesWithEveryInput(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	key := func(how recipe, goVersion string) string {
		t.Helper()
		key, err := cacheKey(folder, how, goVersion)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	write("go.mod", "module a\n")
	how := recipe{"a", ".", "-s"}
	first := key(how, "go1.26.8")
	if again := key(how, "go1.26.8"); again != first {
		t.Errorf("the same input gave %s and %s", first, again)
	}
	if key(how, "go1.27.0") == first {
		t.Error("another Go gives the same key")
	}
	if key(recipe{"a", ".", "-s -w"}, "go1.26.8") == first {
		t.Error("other flags give the same key")
	}
	write("main.go", "package main\n")
	if key(how, "go1.26.8") == first {
		t.Error("another source file gives the same key")
	}
}

// TestVersionsAreThoseOfTheModules keeps the stamps honest.
func TestVersionsAreThoseOfTheModules(t *testing.T) {
	for module, pin := range map[string]string{
		"kubernetes":   "k8s.io/kubernetes " + Kubernetes,
		"etcd":         "go.etcd.io/etcd/server/v3 " + Etcd,
		"coredns":      "github.com/coredns/coredns " + CoreDNS,
		"cni":          "github.com/containernetworking/plugins " + CNI,
		"flannel":      "github.com/flannel-io/flannel " + Flannel,
		"cluster-api":  "sigs.k8s.io/cluster-api " + ClusterAPI,
		"workload":     "sigs.k8s.io/cluster-api/test " + ClusterAPI,
		"cert-manager": "github.com/cert-manager/cert-manager " + CertManager,
	} {
		content, err := os.ReadFile(place.Repo("hack", "components", module, "go.mod"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(content), pin) {
			t.Errorf("hack/components/%s/go.mod does not pin %s", module, pin)
		}
	}
}

func TestEveryRecipeHasItsModule(t *testing.T) {
	for _, name := range Names() {
		if !exists(place.Repo("hack", "components", recipes[name].module, "go.mod")) {
			t.Errorf("%s: hack/components/%s has no go.mod", name, recipes[name].module)
		}
	}
}

func TestPathRefusesAnUnknownName(t *testing.T) {
	_, err := Path(t.Context(), nil, "kubelt")
	if err == nil || !strings.Contains(err.Error(), "kubelet") {
		t.Errorf("want an error that lists the names, got %v", err)
	}
}

package manifests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cluster-api/cmd/clusterctl/client/yamlprocessor"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// required are the variables that every template asks for. Most have the names
// that users of OpenStack clusters have in their clusterctl.yaml already.
var required = map[string]string{
	"NAMESPACE":                              "default",
	"CLUSTER_NAME":                           "demo",
	"KUBERNETES_VERSION":                     "v1.37.2",
	"CONTROL_PLANE_MACHINE_COUNT":            "1",
	"WORKER_MACHINE_COUNT":                   "2",
	"OPENSTACK_CLOUD":                        "openstack",
	"OPENSTACK_CLOUD_YAML_B64":               "Y2xvdWRzOiB7fQ==",
	"OPENSTACK_EXTERNAL_NETWORK_ID":          uuid,
	"OPENSTACK_DNS_NAMESERVERS":              "10.0.0.53",
	"OPENSTACK_IMAGE_NAME":                   "node",
	"OPENSTACK_CONTROL_PLANE_MACHINE_FLAVOR": "m1.node",
	"OPENSTACK_NODE_MACHINE_FLAVOR":          "m1.node",
}

// optional are the variables with a default.
var optional = map[string]string{
	"OPENSTACK_CLOUD_CACERT_B64": "Y2E=",
	"OPENSTACK_SSH_KEY_NAME":     "me",
	"OPENSTACK_SUBNET_CIDR":      "10.8.0.0/24",
	"OPENSTACK_FAILURE_DOMAIN":   "nova",
	"IGNORE_PREFLIGHT_ERRORS":    "[SystemVerification, NumCPU]",

	"OPENSTACK_CONTROL_PLANE_AVAILABILITY_ZONES": "[nova]",
}

var flavors = []struct {
	file     string
	required map[string]string // beside the common ones
}{
	{"cluster-template.yaml", nil},
	{"cluster-template-without-lb.yaml", nil},
	{"cluster-template-multi-az.yaml", map[string]string{"OPENSTACK_FAILURE_DOMAIN": "a", "OPENSTACK_FAILURE_DOMAIN_ALT": "b"}},
}

// render does what `clusterctl generate cluster` does.
func render(t *testing.T, file string, variables map[string]string) []unstructured.Unstructured {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(release, file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := yamlprocessor.NewSimpleProcessor().Process(raw, func(name string) (string, error) {
		if value, ok := variables[name]; ok {
			return value, nil
		}
		return "", fmt.Errorf("%s is not set", name)
	})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := decode(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return objects
}

func TestTemplates(t *testing.T) {
	for _, flavor := range flavors {
		least := maps.Clone(required)
		maps.Copy(least, flavor.required)
		all := maps.Clone(optional)
		maps.Copy(all, least)
		for _, c := range []struct {
			why       string
			variables map[string]string
		}{
			{"only what is required", least},
			{"every variable", all},
		} {
			t.Run(flavor.file+"/"+c.why, func(t *testing.T) {
				objects := render(t, flavor.file, c.variables)
				wantReferences(t, objects)
				for i := range objects {
					if err := user.Create(t.Context(), &objects[i], client.DryRunAll); err != nil {
						t.Errorf("%s %s: %v", objects[i].GetKind(), objects[i].GetName(), err)
					}
				}
			})
		}
	}
}

// TestTemplatesAreTested: a new flavor comes with an entry in flavors.
func TestTemplatesAreTested(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(release, "cluster-template*.yaml"))
	if err != nil || len(files) != len(flavors) {
		t.Errorf("the release has %v, the test knows %d (%v)", files, len(flavors), err)
	}
}

// wantReferences checks that all objects are in one namespace, and that what
// they refer to is in the template, so that deletion finds every one of them.
func wantReferences(t *testing.T, objects []unstructured.Unstructured) {
	t.Helper()
	have := map[string]bool{}
	for _, object := range objects {
		have[object.GetKind()+"/"+object.GetName()] = true
		if object.GetNamespace() != "default" {
			t.Errorf("%s %s is in namespace %q", object.GetKind(), object.GetName(), object.GetNamespace())
		}
	}
	for _, object := range objects {
		walk(object.Object, func(name string, value map[string]any) {
			if !strings.HasSuffix(name, "Ref") {
				return
			}
			kind, _, _ := unstructured.NestedString(value, "kind")
			if name == "identityRef" {
				kind = "Secret"
			}
			if target := fmt.Sprintf("%s/%s", kind, value["name"]); !have[target] {
				t.Errorf("%s of %s refers to %s, which is not in the template", name, object.GetKind(), target)
			}
		})
	}
}

func walk(value any, visit func(name string, value map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		for name, child := range value {
			if object, ok := child.(map[string]any); ok {
				visit(name, object)
			}
			walk(child, visit)
		}
	case []any:
		for _, child := range value {
			walk(child, visit)
		}
	}
}

// TestWithoutLoadBalancer: the flavor differs in what its name says.
func TestWithoutLoadBalancer(t *testing.T) {
	for _, c := range []struct {
		file string
		want bool
	}{
		{"cluster-template.yaml", true},
		{"cluster-template-without-lb.yaml", false},
	} {
		for _, object := range render(t, c.file, required) {
			if object.GetKind() != "OpenStackCluster" {
				continue
			}
			_, has, _ := unstructured.NestedMap(object.Object, "spec", "apiServer", "managedLoadBalancer")
			if has != c.want {
				t.Errorf("%s: load balancer %v, want %v", c.file, has, c.want)
			}
		}
	}
}

// TestVariablesAreDocumented: docs/use.md tells of each variable, and of no other.
func TestVariablesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "use.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 { // of the table with defaults
			for _, name := range regexp.MustCompile("`([A-Z][A-Z0-9_]+)`").FindAllStringSubmatch(cells[1], -1) {
				told[name[1]] = true
			}
		}
	}
	used := map[string]bool{}
	for _, flavor := range flavors {
		raw, err := os.ReadFile(filepath.Join(release, flavor.file))
		if err != nil {
			t.Fatal(err)
		}
		names, err := yamlprocessor.NewSimpleProcessor().GetVariables(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			used[name] = true
		}
	}
	if !maps.Equal(told, used) {
		t.Errorf("docs/use.md tells of %v\nthe templates use  %v", slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(used)))
	}
}

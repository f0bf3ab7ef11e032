package manifests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// poll and patience are how often and how long a test asks for what the API
// server does in the background: serve a new CRD, enforce a new policy.
const (
	poll     = 50 * time.Millisecond
	patience = 30 * time.Second
)

// The smallest objects.
const (
	clusterSpec = "identityRef: {name: credentials, cloudName: openstack}\n"
	machineSpec = "flavor: {filter: {name: small}}\nimage: {filter: {name: node}}\n"
)

// install creates the components of the release and waits until they count.
func install(ctx context.Context) error {
	objects, err := readObjects("infrastructure-components.yaml")
	if err != nil {
		return err
	}
	converter, err := serveConversion(ctx)
	if err != nil {
		return fmt.Errorf("serve the conversion: %w", err)
	}
	for i := range objects {
		switch object := &objects[i]; {
		case object.GetKind() == "CustomResourceDefinition":
			err = errors.Join(convertAt(object, converter), user.Create(ctx, object))
		case object.GroupVersionKind().Group != issuers:
			err = user.Create(ctx, object)
		}
		if err != nil {
			return fmt.Errorf("create %s %s: %w", objects[i].GetKind(), objects[i].GetName(), err)
		}
	}
	return waitForPolicies(ctx)
}

func readObjects(file string) ([]unstructured.Unstructured, error) {
	content, err := os.ReadFile(filepath.Join(release, file))
	if err != nil {
		return nil, err
	}
	return decode(content)
}

// decode splits a text into its YAML documents.
func decode(text []byte) ([]unstructured.Unstructured, error) {
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text))
	var objects []unstructured.Unstructured
	for {
		var object unstructured.Unstructured
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

// waitForPolicies creates objects and asks for changes that are forbidden,
// until they are.
func waitForPolicies(ctx context.Context) error {
	template := "template:\n  spec:\n" + indent(machineSpec, 4)
	for _, sentinel := range []*unstructured.Unstructured{
		newObject("OpenStackCluster", "sentinel", clusterSpec+"tags: [a]"),
		newObject("OpenStackMachine", "sentinel", machineSpec+"tags: [a]"),
		newObject("OpenStackMachineTemplate", "sentinel", template+"    tags: [a]"),
	} {
		if err := eventually(ctx, func() error { return user.Create(ctx, sentinel) }); err != nil {
			return fmt.Errorf("create the first %s: %w", sentinel.GetKind(), err)
		}
		path := []string{"spec", "tags"}
		if sentinel.GetKind() == "OpenStackMachineTemplate" {
			path = []string{"spec", "template", "spec", "tags"}
		}
		_ = unstructured.SetNestedStringSlice(sentinel.Object, []string{"b"}, path...)
		err := eventually(ctx, func() error {
			if err := user.Update(ctx, sentinel.DeepCopy(), client.DryRunAll); !apierrors.IsInvalid(err) {
				return fmt.Errorf("the policy for %s is not enforced: %w", sentinel.GetKind(), err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func eventually(ctx context.Context, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticker.C:
		}
	}
}

// newObject returns an object of our group with the spec given as YAML.
func newObject(kind, name, spec string) *unstructured.Unstructured {
	content := map[string]any{}
	if err := yaml.Unmarshal([]byte(spec), &content); err != nil {
		panic(fmt.Sprintf("spec of %s: %v\n%s", kind, err, spec))
	}
	object := &unstructured.Unstructured{Object: map[string]any{"spec": content}}
	object.SetGroupVersionKind(infrav1.GroupVersion.WithKind(kind))
	object.SetNamespace("default")
	object.SetName(name)
	return object
}

// inTemplate makes of a text about a spec one about the spec in a template.
func inTemplate(text string) string {
	return strings.ReplaceAll(text, "spec.", "spec.template.spec.")
}

func indent(text string, spaces int) string {
	pad := strings.Repeat(" ", spaces)
	return pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+pad) + "\n"
}

// merge is a merge patch given as YAML.
func merge(t *testing.T, change string) client.Patch {
	t.Helper()
	patch, err := yaml.YAMLToJSON([]byte(change))
	if err != nil {
		t.Fatalf("%v\n%s", err, change)
	}
	return client.RawPatch(types.MergePatchType, patch)
}

// wantRefusal checks that err is a refusal by schema, rule or policy that
// contains text, or that there is none when text is empty.
func wantRefusal(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err == nil:
	case text == "":
		t.Errorf("refused: %v", err)
	case err == nil:
		t.Errorf("accepted, want a refusal that says %q", text)
	case meta.IsNoMatchError(err), !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err):
		t.Errorf("got another error: %v", err)
	case !strings.Contains(err.Error(), text):
		t.Errorf("the refusal says\n  %v\nwithout\n  %s", err, text)
	}
}

package manifests

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// TestMarkIsKept: without it the controllers lose sight of what they made.
func TestMarkIsKept(t *testing.T) {
	for _, c := range []struct{ why, before, change, want string }{
		{"the controller sets it", "", "{" + infrav1.MarkAnnotation + ": cx-a}", ""},
		{"nobody changes it", "cx-a", "{" + infrav1.MarkAnnotation + ": cx-b}", "put the old value back"},
		{"nobody removes it", "cx-a", "{" + infrav1.MarkAnnotation + ": null}", "put the old value back"},
		{"nor with all the others", "cx-a", "null", "put the old value back"},
		{"others come and go", "cx-a", "{a: b}", ""},
	} {
		for kind, spec := range map[string]string{"OpenStackCluster": clusterSpec, "OpenStackMachine": machineSpec} {
			t.Run(kind+": "+c.why, func(t *testing.T) {
				object := newObject(kind, "marked", spec)
				if c.before != "" {
					object.SetAnnotations(map[string]string{infrav1.MarkAnnotation: c.before})
				}
				create(t, object)
				wantRefusal(t, user.Patch(t.Context(), object, merge(t, "metadata: {annotations: "+c.change+"}"), client.DryRunAll), c.want)
			})
		}
	}
}

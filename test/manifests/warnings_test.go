package manifests

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// warnings collects what the API server says beside its answer.
type warnings struct {
	sync.Mutex
	said []string
}

// HandleWarningHeaderWithContext is how client-go passes a warning on.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _ string, text string) {
	w.Lock()
	defer w.Unlock()
	w.said = append(w.said, text)
}

func (w *warnings) take() string {
	w.Lock()
	defer w.Unlock()
	all := strings.Join(w.said, "\n")
	w.said = nil
	return all
}

// TestWarnings has what is accepted, because the incumbent accepts it, and does nothing.
func TestWarnings(t *testing.T) {
	heard := &warnings{}
	config := rest.CopyConfig(admin)
	config.WarningHandlerWithContext = heard
	talker, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const managed = "managedSubnets: [{cidr: 10.6.0.0/24}]\n"
	const router = "managedRouter: {externalIPs: [{subnet: {id: " + uuid + "}}]}\n"
	err = eventually(t.Context(), func() error {
		object := newObject("OpenStackCluster", "new", clusterSpec+router)
		if err := talker.Create(t.Context(), object, client.DryRunAll); err != nil || heard.take() != "" {
			return err
		}
		return errors.New("the policy for warnings does not count yet")
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []creation{
		{"the usual cluster", managed + "managedNetwork: {mtu: 1400}\n" + router, ""},
		{"an existing network", "network: {filter: {name: a}}", ""},
		{"managed and existing network at once", managed + "network: {filter: {name: a}}", "spec.network and subnets are not used"},
		{"managed and existing subnets at once", managed + "subnets: [{filter: {name: a}}]", "remove managedSubnets, or remove network and subnets"},
		{"nothing to tune", "managedNetwork: {mtu: 1400}", "spec.managedNetwork is not used"},
		{"two routers at once", managed + "router: {id: " + uuid + "}\n" + router, "spec.managedRouter is not used"},
		{"a router that nobody makes", router, "spec.managedRouter is not used"},
	} {
		for kind, spec := range map[string]string{
			"OpenStackCluster":         clusterSpec + c.spec,
			"OpenStackClusterTemplate": "template:\n  spec:\n" + indent(clusterSpec+c.spec, 4),
		} {
			t.Run(c.why+" in an "+kind, func(t *testing.T) {
				if err := talker.Create(t.Context(), newObject(kind, "new", spec), client.DryRunAll); err != nil {
					t.Fatal(err)
				}
				got, want := heard.take(), c.want
				if kind == "OpenStackClusterTemplate" {
					want = inTemplate(want)
				}
				if (got == "") != (want == "") || !strings.Contains(got, want) {
					t.Errorf("warned of %q, want %q", got, want)
				}
			})
		}
	}
}

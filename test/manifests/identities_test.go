package manifests

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/capok/capok/api/infrastructure/v1alpha1"
	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

const kindIdentity = "OpenStackClusterIdentity"

func TestCreateIdentity(t *testing.T) {
	const secret = "secretRef: {name: a, namespace: b}\n"
	for _, c := range []creation{
		{"for all namespaces", secret, ""},
		{"for all namespaces, said in full", secret + "namespaceSelector: {}", ""},
		{"for some, by a label", secret + "namespaceSelector: {matchLabels: {tenant: a}}", ""},
		{"for some, by an expression", secret + "namespaceSelector: {matchExpressions: [{key: tenant, operator: In, values: [a, b]}]}", ""},
		{"an expression without an operator", secret + "namespaceSelector: {matchExpressions: [{key: tenant}]}", "spec.namespaceSelector.matchExpressions[0].operator"},
		{"lends nothing", "namespaceSelector: {}", "spec.secretRef"},
		{"a Secret without a namespace could be any", "secretRef: {name: a}", "spec.secretRef.namespace"},
		{"a Secret without a name", "secretRef: {namespace: b}", "spec.secretRef.name"},
		{"a name that is empty", "secretRef: {name: '', namespace: b}", "spec.secretRef.name"},
		{"an entry is named by who uses it", secret + "cloudName: openstack", "unknown field"},
	} {
		t.Run(c.why, func(t *testing.T) {
			object := newObject(kindIdentity, "new", c.spec)
			object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kindIdentity))
			object.SetNamespace("")
			wantRefusal(t, user.Create(t.Context(), object, client.DryRunAll), c.want)
		})
	}
}

// TestIdentityLends follows a cluster through all that decides on its credentials: the
// namespace's labels, the identity and the Secret, each changed while the manager runs
// with the rights of the release.
func TestIdentityLends(t *testing.T) {
	m := startManager(t)
	lent := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "lent"}, Data: map[string][]byte{infrav1.CloudsYAMLKey: m.sim.CloudsYAML("sim")}}
	must(t, m.kube.Create(t.Context(), lent))
	m.makeCluster("tenant", func(spec *infrav1.OpenStackClusterSpec) {
		spec.IdentityRef = infrav1.IdentityRef{Type: infrav1.IdentityClusterIdentity, Name: "shared", CloudName: "sim"}
	})
	m.wantReady("tenant", infrav1.CredentialsMissing)

	shared := &v1alpha1.OpenStackClusterIdentity{ObjectMeta: metav1.ObjectMeta{Name: "shared"}}
	shared.Spec.SecretRef = v1alpha1.SecretReference{Namespace: system, Name: "lent"}
	shared.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"tenant": "a"}}
	must(t, m.kube.Create(t.Context(), shared))
	m.wantReady("tenant", infrav1.IdentityNotAllowed)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceDefault}}
	m.patch(namespace, `{"metadata": {"labels": {"tenant": "a"}}}`)
	m.wantReady("tenant", infrav1.Available)

	m.patch(lent, `{"data": {"clouds.yaml": null}}`)
	m.wantReady("tenant", infrav1.CredentialsMissing)
	content, err := json.Marshal(map[string]any{"data": map[string][]byte{infrav1.CloudsYAMLKey: m.sim.CloudsYAML("sim")}})
	must(t, err)
	m.patch(lent, string(content))
	m.wantReady("tenant", infrav1.Available)
	m.patch(shared, `{"spec": {"namespaceSelector": {"matchLabels": {"tenant": "b"}}}}`)
	m.wantReady("tenant", infrav1.IdentityNotAllowed)
	m.patch(shared, `{"spec": {"namespaceSelector": null}}`)
	m.wantReady("tenant", infrav1.Available)

	infra := &infrav1.OpenStackCluster{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "tenant"}}
	must(t, m.kube.Delete(t.Context(), infra))
	must(t, eventually(t.Context(), func() error {
		if err := m.kube.Get(t.Context(), client.ObjectKeyFromObject(infra), infra); !apierrors.IsNotFound(err) {
			return fmt.Errorf("still there: %v, %w", infra.Status.Conditions, err)
		}
		return nil
	}))
	m.sim.WantNothingLeft(t)
}

// wantReady waits until the condition Ready of a cluster has a reason.
func (m *cloudOfManager) wantReady(name, reason string) {
	m.Helper()
	infra := &infrav1.OpenStackCluster{}
	must(m.T, eventually(m.Context(), func() error {
		if err := m.kube.Get(m.Context(), client.ObjectKey{Namespace: metav1.NamespaceDefault, Name: name}, infra); err != nil {
			return err
		}
		if conditions.GetReason(infra, infrav1.Ready) != reason {
			return fmt.Errorf("Ready should have reason %s: %v", reason, infra.Status.Conditions)
		}
		return nil
	}))
}

func (m *cloudOfManager) patch(object client.Object, change string) {
	m.Helper()
	must(m.T, m.kube.Patch(m.Context(), object, client.RawPatch(types.MergePatchType, []byte(change))))
}

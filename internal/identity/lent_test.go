package identity

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/capok/capok/api/infrastructure/v1alpha1"
	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

var lent = infrav1.IdentityRef{Type: infrav1.IdentityClusterIdentity, Name: "tokyo", CloudName: "sim"}

// lend makes an identity of the Secret in namespace a.
func (f *fixture) lend(selector *metav1.LabelSelector) *v1alpha1.OpenStackClusterIdentity {
	f.Helper()
	identity := &v1alpha1.OpenStackClusterIdentity{ObjectMeta: metav1.ObjectMeta{Name: lent.Name}}
	identity.Spec.SecretRef = v1alpha1.SecretReference{Namespace: "a", Name: ref.Name}
	identity.Spec.NamespaceSelector = selector
	if err := f.client.Create(f.Context(), identity); err != nil {
		f.Fatal(err)
	}
	return identity
}

func TestLentIdentity(t *testing.T) {
	f := newFixture(t)
	gold := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gold", Labels: map[string]string{"tier": "gold"}}}
	for _, namespace := range []client.Object{gold, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "plain"}}} {
		if err := f.client.Create(t.Context(), namespace); err != nil {
			t.Fatal(err)
		}
	}
	only := func(value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"tier": value}}
	}
	for _, c := range []struct {
		why       string
		selector  *metav1.LabelSelector
		namespace string
		want      cloud.Kind
		says      string
	}{
		{"for all", nil, "plain", cloud.None, ""},
		{"for all, too", &metav1.LabelSelector{}, "plain", cloud.None, ""},
		{"for a label that the namespace has", only("gold"), "gold", cloud.None, ""},
		{"for another value", only("silver"), "gold", cloud.NotAllowed, "not for the namespace gold"},
		{"for a label that it has not", only("gold"), "plain", cloud.NotAllowed, "not for the namespace plain"},
		{"a namespace that is not there is nobody's", only("gold"), "none", cloud.Unavailable, "read Namespace none"},
		{"a selector that is none", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Is"}}}, "gold", cloud.NotAllowed, "spec.namespaceSelector is wrong"},
	} {
		identity := f.lend(c.selector)
		_, err := f.Open(t.Context(), c.namespace, lent)
		if cloud.KindOf(err) != c.want || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want kind %d and %q", c.why, err, c.want, c.says)
		}
		if err := f.client.Delete(t.Context(), identity); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLentIdentityIsMissing(t *testing.T) {
	f := newFixture(t)
	refused := func(why, says string) {
		t.Helper()
		_, err := f.Open(t.Context(), "b", lent)
		if cloud.KindOf(err) != cloud.NoCredentials || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", why, err, says)
		}
	}
	refused("no identity", "no OpenStackClusterIdentity tokyo")
	f.lend(nil)
	if err := f.client.Delete(t.Context(), f.secret("a")); err != nil {
		t.Fatal(err)
	}
	refused("no Secret where the identity says, though the namespace has one of its name", "no Secret a/creds")
}

func TestWhomAChangeConcerns(t *testing.T) {
	f := newFixture(t)
	f.lend(nil)
	other := infrav1.IdentityRef{Type: infrav1.IdentityClusterIdentity, Name: "osaka", CloudName: "sim"}
	older := infrav1.IdentityRef{Type: infrav1.IdentitySecret, Name: lent.Name, CloudName: "sim"}
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	for _, c := range []struct {
		why       string
		changes   []Change
		namespace string
		ref       infrav1.IdentityRef
		want      bool
	}{
		{"its Secret", f.ofSecret(t.Context(), f.secret("a")), "a", ref, true},
		{"a Secret of this name elsewhere", f.ofSecret(t.Context(), f.secret("b")), "a", ref, false},
		{"the Secret that is lent to it", f.ofSecret(t.Context(), f.secret("a")), "c", lent, true},
		{"a Secret that is not", f.ofSecret(t.Context(), f.secret("b")), "c", lent, false},
		{"a Secret lent by another identity", f.ofSecret(t.Context(), f.secret("a")), "c", other, false},
		{"its namespace may be for it now", ofNamespace(t.Context(), &corev1.Namespace{ObjectMeta: named("c")}), "c", lent, true},
		{"another namespace", ofNamespace(t.Context(), &corev1.Namespace{ObjectMeta: named("d")}), "c", lent, false},
		{"a namespace says nothing of its Secrets", ofNamespace(t.Context(), &corev1.Namespace{ObjectMeta: named("a")}), "a", ref, false},
		{"its identity", ofIdentity(t.Context(), &v1alpha1.OpenStackClusterIdentity{ObjectMeta: named(lent.Name)}), "c", lent, true},
		{"another identity", ofIdentity(t.Context(), &v1alpha1.OpenStackClusterIdentity{ObjectMeta: named(lent.Name)}), "c", other, false},
		{"an identity is no Secret", ofIdentity(t.Context(), &v1alpha1.OpenStackClusterIdentity{ObjectMeta: named(lent.Name)}), "c", older, false},
	} {
		got := false
		for _, change := range c.changes {
			got = got || change.Concerns(c.namespace, c.ref)
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

package identity

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/capok/capok/api/infrastructure/v1alpha1"
	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
)

// credentials reads what a reference in a namespace names.
func (p *Provider) credentials(ctx context.Context, namespace string, ref infrav1.IdentityRef) (cloud.Credentials, error) {
	key := client.ObjectKey{Namespace: namespace, Name: ref.Name}
	if ref.Type == infrav1.IdentityClusterIdentity {
		var err error
		if key, err = p.lent(ctx, namespace, ref.Name); err != nil {
			return cloud.Credentials{}, err
		}
	}
	secret := &corev1.Secret{}
	err := p.reader.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		return cloud.Credentials{}, cloud.Problemf(cloud.NoCredentials,
			"identityRef.name: there is no Secret %s; create it with the key %s", key, infrav1.CloudsYAMLKey)
	}
	if err != nil {
		return cloud.Credentials{}, fmt.Errorf("read Secret %s: %w", key, err)
	}
	file, found := secret.Data[infrav1.CloudsYAMLKey]
	if !found {
		return cloud.Credentials{}, cloud.Problemf(cloud.NoCredentials,
			"Secret %s has no key %s; add a clouds.yaml file there", key, infrav1.CloudsYAMLKey)
	}
	return cloud.Credentials{CloudsYAML: file, Cloud: ref.CloudName, Region: ref.Region, CACert: secret.Data[infrav1.CACertKey]}, nil
}

// lent is the Secret of an OpenStackClusterIdentity, if that is for the namespace.
func (p *Provider) lent(ctx context.Context, namespace, name string) (client.ObjectKey, error) {
	identity := &v1alpha1.OpenStackClusterIdentity{}
	err := p.reader.Get(ctx, client.ObjectKey{Name: name}, identity)
	if apierrors.IsNotFound(err) {
		return client.ObjectKey{}, cloud.Problemf(cloud.NoCredentials,
			"identityRef.name: there is no OpenStackClusterIdentity %s; create it, or set identityRef.type: Secret", name)
	}
	if err != nil {
		return client.ObjectKey{}, fmt.Errorf("read OpenStackClusterIdentity %s: %w", name, err)
	}
	if err := p.allowed(ctx, namespace, identity); err != nil {
		return client.ObjectKey{}, err
	}
	return client.ObjectKey{Namespace: identity.Spec.SecretRef.Namespace, Name: identity.Spec.SecretRef.Name}, nil
}

// allowed tells whether the identity is for a namespace.
func (p *Provider) allowed(ctx context.Context, namespace string, identity *v1alpha1.OpenStackClusterIdentity) error {
	if identity.Spec.NamespaceSelector == nil {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(identity.Spec.NamespaceSelector)
	if err != nil {
		return cloud.Problemf(cloud.NotAllowed, "OpenStackClusterIdentity %s is for nobody, as its spec.namespaceSelector is wrong: %v", identity.Name, err)
	}
	about := &metav1.PartialObjectMetadata{}
	about.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := p.reader.Get(ctx, client.ObjectKey{Name: namespace}, about); err != nil {
		return fmt.Errorf("read Namespace %s: %w", namespace, err)
	}
	if !selector.Matches(labels.Set(about.Labels)) {
		return cloud.Problemf(cloud.NotAllowed, "identityRef.name: OpenStackClusterIdentity %s is not for the namespace %s; "+
			"name another one, or have its spec.namespaceSelector or the labels of the namespace changed", identity.Name, namespace)
	}
	return nil
}

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// authorities are the CAs that all clusters are given, as users may give theirs:
// to make four RSA keys for each would be most of the work of Cluster API here.
type authorities struct{ secret.Certificates }

func newAuthorities() (authorities, error) {
	a := authorities{secret.NewCertificatesForInitialControlPlane(nil)}
	return a, a.Generate()
}

// give creates the Secrets with the CAs of a cluster.
func (a authorities) give(ctx context.Context, to client.Client, cluster string) error {
	for _, certificate := range a.Certificates {
		s := certificate.AsSecret(client.ObjectKey{Namespace: namespace, Name: cluster}, metav1.OwnerReference{})
		s.OwnerReferences = nil
		if err := to.Create(ctx, s); err != nil {
			return fmt.Errorf("create Secret %s: %w", s.Name, err)
		}
	}
	return nil
}

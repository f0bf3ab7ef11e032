package identity

import "sigs.k8s.io/controller-runtime/pkg/client"

// Older tells whether a comes before b, so that of two objects with the same resources
// in OpenStack one keeps them: the first that was made, by name if they are of the same
// second. No object comes before itself.
func Older(a, b client.Object) bool {
	at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp()
	if !at.Equal(&bt) {
		return at.Before(&bt)
	}
	return client.ObjectKeyFromObject(a).String() < client.ObjectKeyFromObject(b).String()
}

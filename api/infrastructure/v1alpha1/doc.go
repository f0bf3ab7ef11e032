// Package v1alpha1 is what a platform team writes for its tenants:
// OpenStackClusterIdentity, group infrastructure.cluster.x-k8s.io.
//
// +kubebuilder:object:generate=true
// +groupName=infrastructure.cluster.x-k8s.io
package v1alpha1

// Package v1beta1 is the version in which Cluster API Provider OpenStack up to
// v0.14 stores and serves the same kinds. It is here so that what was written
// for it applies unmodified and can be read by who knows nothing newer.
//
// It holds types alone, and only where they differ from v1beta2, whose types it
// uses otherwise. Nothing is stored in it and no controller sees it: the package
// internal/conversion translates. Read OpenStackClusterSpec first.
//
// +kubebuilder:object:generate=true
// +groupName=infrastructure.cluster.x-k8s.io
package v1beta1

// Package v1beta2 is what a user writes and reads: OpenStackCluster,
// OpenStackMachine and their templates, group infrastructure.cluster.x-k8s.io.
//
// It holds types, schema markers and the vocabulary of conditions; it has no
// logic and imports nothing of this project. A field is here only when a
// controller acts on it. Read OpenStackClusterSpec and OpenStackMachineSpec
// first, then conditions.go.
//
// +kubebuilder:object:generate=true
// +groupName=infrastructure.cluster.x-k8s.io
package v1beta2

// Package component builds Kubernetes and its companions out of Go modules.
//
// A component is one static binary: kubelet, etcd, coredns, a CNI plugin, a
// Cluster API manager and the like. Each is pinned by a go.mod and go.sum of
// its own in hack/components, so that no version of theirs reaches the
// module of this project. A binary is built once and kept in place.Cache;
// its folder carries a hash of everything that went into it.
//
// It is not for container images (see test/node/oci), and it runs nothing.
// Read table.go first: it lists what can be built, and in which version.
package component

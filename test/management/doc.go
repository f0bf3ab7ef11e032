// Package management runs the management cluster of the development
// environment: one system container, booted from the node image's root file
// system, in which kubeadm makes a single-node Kubernetes and an unmodified
// clusterctl installs Cluster API and our provider.
//
// A container rather than a kubelet on the machine itself, because a kubelet
// changes the sysctls and cgroups of whatever it runs on.
//
// It is not for workload clusters: those run on servers that OpenStack makes.
//
// Read Up first.
package management

// Package node builds the image that the nodes of development clusters boot
// from: Debian 12 with cloud-init, containerd, kubelet, kubeadm and all
// container images that a cluster starts with, so that no node pulls any.
//
// The same image boots as a virtual machine and as a system container, on
// cgroup v1 and v2; image/usr/local/sbin/capok-node-setup settles the
// difference at each boot. It is built once and kept in place.Cache under a
// hash of everything that goes into it. It starts no node.
//
// Read node.go first: it has the order of the steps.
package node

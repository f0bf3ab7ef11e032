package node

import (
	_ "embed"
	"strings"
)

// DefaultPods is the range of pod addresses that flannel.yaml names.
const DefaultPods = "10.244.0.0/16"

//go:embed flannel.yaml
var flannel string

// PodNetwork returns the manifest of the pod network for pods in the given
// CIDR, which must be the cluster's podCIDR. Its image is part of the node
// image.
func PodNetwork(pods string) string {
	return strings.ReplaceAll(flannel, DefaultPods, pods)
}

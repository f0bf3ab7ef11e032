// Package naming makes the names and marks of our OpenStack resources.
//
// The mark decides whose a resource is; a name only tells a cluster's own
// resources apart, and is for people. The names are those that clusters made
// by Cluster API Provider OpenStack have, so that people find what they know.
package naming

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// maxTag is the longest tag that Nova takes (api-ref "Server tags").
const maxTag = 60

// alphabet leaves out what people mix up. 32 letters: a byte's low five bits
// choose one evenly.
const alphabet = "abcdefghjkmnpqrstuvwxyz023456789"

// NewMark mints the mark of a cluster: short, random (50 bits), fit for tags,
// descriptions and labels.
func NewMark() string {
	var random [10]byte
	_, _ = rand.Read(random[:]) // never fails, see crypto/rand
	for i, b := range random {
		random[i] = alphabet[b&31]
	}
	return "cx-" + string(random[:])
}

// MachineTag is the tag of a machine's server. Nova takes neither "/" nor ","
// in it, which Kubernetes names do not have either.
func MachineTag(mark, machine string) string {
	return fit(mark+"."+machine, maxTag)
}

// APIBalancerTag is the tag of the load balancer before the Kubernetes API.
func APIBalancerTag(mark string) string {
	return mark + ".api"
}

// Cluster is the name of a cluster's network, subnet and router.
func Cluster(namespace, cluster string) string {
	return fit("k8s-clusterapi-cluster-"+namespace+"-"+cluster, maxName)
}

// maxName is the longest name that Neutron, Nova and Octavia take.
const maxName = 255

// SecurityGroup is the name of the managed group of a role: controlplane or worker.
func SecurityGroup(namespace, cluster, role string) string {
	return fit("k8s-cluster-"+namespace+"-"+cluster+"-secgroup-"+role, maxName)
}

// APIBalancer is the name of the API's load balancer.
func APIBalancer(namespace, cluster string) string {
	return fit(Cluster(namespace, cluster)+"-kubeapi", maxName)
}

// APIListener is the name of listener, pool and monitor of a port of the API's
// load balancer.
func APIListener(namespace, cluster string, port int) string {
	return fit(APIBalancer(namespace, cluster)+"-"+strconv.Itoa(port), maxName)
}

// APIMember is the name of a machine in the pool of a port.
func APIMember(namespace, cluster string, port int, machine string) string {
	return fit(APIListener(namespace, cluster, port)+"-"+machine, maxName)
}

// Port is the name of a machine's port. Suffix is the user's, else the index.
func Port(machine, suffix string, index int) string {
	if suffix == "" {
		suffix = strconv.Itoa(index)
	}
	return fit(machine+"-"+suffix, maxName)
}

// RootVolume is the name of a machine's root volume.
func RootVolume(machine string) string {
	return fit(machine+"-root", maxName)
}

// fit shortens a name that is too long so that it stays unique: its end is
// replaced by a hash of the whole.
func fit(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "-" + hex.EncodeToString(sum[:5])
	return strings.TrimRight(name[:limit-len(tail)], "-.") + tail
}

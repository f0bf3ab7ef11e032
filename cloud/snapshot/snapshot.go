// Package snapshot holds what we see of one cluster's OpenStack resources.
//
// A [Snapshot] is a plain value: everything that carries the cluster's mark,
// of the kinds that were asked for. An [Observer] makes snapshots out of one
// list request a kind, shared by all who ask at about the same time. A [Watch] tells
// who waits for a server that it changed.
//
// It never changes anything and knows nothing of Kubernetes. Read
// Observer.See first. Not for slow facts such as flavors: those are in
// package catalog.
package snapshot

import (
	"slices"

	"github.com/capok/capok/cloud"
)

// Kind is a kind of resource that can be listed by mark.
type Kind string

// The kinds.
const (
	Servers        Kind = "servers"
	Ports          Kind = "ports"
	Volumes        Kind = "volumes"
	Networks       Kind = "networks"
	Subnets        Kind = "subnets"
	Routers        Kind = "routers"
	SecurityGroups Kind = "security groups"
	FloatingIPs    Kind = "floating IPs"
	Balancers      Kind = "load balancers"
)

// Snapshot is what carried the mark when it was looked at. A kind that was
// not asked for is empty. It proves that something exists, never that
// something does not.
type Snapshot struct {
	Servers        []cloud.Server
	Ports          []cloud.Port
	Volumes        []cloud.Volume
	Networks       []cloud.Network
	Subnets        []cloud.Subnet
	Routers        []cloud.Router
	SecurityGroups []cloud.SecurityGroup
	FloatingIPs    []cloud.FloatingIP
	Balancers      []cloud.Balancer
}

// Server finds the server with a machine's tag. Should there be two (a create
// call that took effect although its answer was lost, and a list that hid
// it), it is the one with the preferred ID, else the oldest.
func (s *Snapshot) Server(tag, preferredID string) (cloud.Server, bool) {
	tagged := s.ServersTagged(tag)
	if i := slices.IndexFunc(tagged, func(v cloud.Server) bool { return v.ID == preferredID }); i >= 0 {
		return tagged[i], true
	}
	if len(tagged) == 0 {
		return cloud.Server{}, false
	}
	return tagged[0], true
}

// ServersTagged finds all servers with a machine's tag, the oldest first.
func (s *Snapshot) ServersTagged(tag string) []cloud.Server {
	tagged := slices.DeleteFunc(slices.Clone(s.Servers), func(v cloud.Server) bool { return !v.HasTag(tag) })
	slices.SortFunc(tagged, func(a, b cloud.Server) int { return a.Created.Compare(b.Created) })
	return tagged
}

// PortsNamed finds all ports with a name: two are possible after a lost answer.
func (s *Snapshot) PortsNamed(name string) []cloud.Port {
	return slices.DeleteFunc(slices.Clone(s.Ports), func(p cloud.Port) bool { return p.Name != name })
}

// Volume finds a volume by its name.
func (s *Snapshot) Volume(name string) (cloud.Volume, bool) {
	return find(s.Volumes, func(v cloud.Volume) bool { return v.Name == name })
}

// Balancer finds the load balancer with a tag that says what it is for.
func (s *Snapshot) Balancer(purpose string) (cloud.Balancer, bool) {
	return find(s.Balancers, func(b cloud.Balancer) bool { return slices.Contains(b.Tags, purpose) })
}

func find[T any](all []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	var none T
	return none, false
}

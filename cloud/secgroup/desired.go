package secgroup

import (
	"net/netip"

	"github.com/capok/capok/cloud"
)

// Ports that Kubernetes' components use (kubernetes.io, "Ports and Protocols").
const (
	etcdFirst, etcdLast         = 2379, 2380
	kubelet                     = 10250
	nodePortFirst, nodePortLast = 30000, 32767
)

// Directions and families, as Neutron writes them.
const (
	ingress = "ingress"
	egress  = "egress"
	ipv4    = "IPv4"
	ipv6    = "IPv6"
)

// Wish is what a cluster's managed groups are to allow.
type Wish struct {
	ControlPlaneID string // ID of the control plane's group
	WorkerID       string // ID of the workers' group
	APIPorts       []int  // reached by everybody: the API server's, and additional ones
	// ClusterCIDRs are the ranges of the cluster's subnets: load balancers there
	// reach node ports. Only IPv4 ranges are taken.
	ClusterCIDRs []netip.Prefix
	// AllowAll lets all machines reach each other on every port, instead of the
	// ports that Kubernetes needs.
	AllowAll bool
	// ControlPlane and Worker are more rules, for one of the groups.
	ControlPlane, Worker []cloud.SecurityRule
}

// Rules are the rules of both groups.
type Rules struct{ ControlPlane, Worker []cloud.SecurityRule }

// Desired is what the groups should have.
func Desired(w Wish) Rules {
	controlPlane, worker := everythingOut(), everythingOut()
	for _, port := range w.APIPorts {
		controlPlane = append(controlPlane, in("Kubernetes API and additional ports", "tcp", port, port))
	}
	if w.AllowAll {
		controlPlane = append(controlPlane, fromBoth(w, in("all in-cluster traffic", "", 0, 0))...)
		worker = append(worker, fromBoth(w, in("all in-cluster traffic", "", 0, 0))...)
	} else {
		controlPlane = append(controlPlane, from(w.ControlPlaneID, in("etcd", "tcp", etcdFirst, etcdLast)))
		controlPlane = append(controlPlane, fromBoth(w, in("kubelet API", "tcp", kubelet, kubelet))...)
		worker = append(worker, fromBoth(w, in("kubelet API", "tcp", kubelet, kubelet))...)
		worker = append(worker, nodePorts(w)...)
	}
	return Rules{append(controlPlane, w.ControlPlane...), append(worker, w.Worker...)}
}

// everythingOut are the two rules that Neutron puts into every new group; they
// are kept.
func everythingOut() []cloud.SecurityRule {
	return []cloud.SecurityRule{{Direction: egress, EtherType: ipv4}, {Direction: egress, EtherType: ipv6}}
}

func nodePorts(w Wish) []cloud.SecurityRule {
	var rules []cloud.SecurityRule
	for _, protocol := range []string{"tcp", "udp"} {
		rule := in("node ports", protocol, nodePortFirst, nodePortLast)
		rules = append(rules, fromBoth(w, rule)...)
		for _, cidr := range w.ClusterCIDRs {
			if cidr.Addr().Is4() {
				rule.RemoteIPPrefix = cidr.Masked().String()
				rules = append(rules, rule)
			}
		}
	}
	return rules
}

func in(description, protocol string, first, last int) cloud.SecurityRule {
	return cloud.SecurityRule{
		Description: description, Direction: ingress, EtherType: ipv4,
		Protocol: protocol, PortMin: first, PortMax: last,
	}
}

func from(groupID string, rule cloud.SecurityRule) cloud.SecurityRule {
	rule.RemoteGroupID = groupID
	return rule
}

func fromBoth(w Wish, rule cloud.SecurityRule) []cloud.SecurityRule {
	return []cloud.SecurityRule{from(w.ControlPlaneID, rule), from(w.WorkerID, rule)}
}

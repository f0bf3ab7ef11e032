package v1beta2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// OpenStackClusterStatus is what was seen in OpenStack last. Every part of it
// is optional: what is not known yet, or not there, is left out.
type OpenStackClusterStatus struct {
	// conditions are the conditions of the cluster; see conditions.go.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// initialization says how far the first creation is.
	// +optional
	Initialization Initialization `json:"initialization,omitzero"`

	// failureDomains lists the Nova availability zones that machines can be
	// placed in.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	FailureDomains []clusterv1.FailureDomain `json:"failureDomains,omitempty"`

	// network is the network of the machines.
	// +optional
	Network *NetworkStatusWithSubnets `json:"network,omitempty"`

	// externalNetwork is the network of floating IPs and of the router's gateway.
	// +optional
	ExternalNetwork *NetworkStatus `json:"externalNetwork,omitempty"`

	// router connects the network to the external network.
	// +optional
	Router *RouterStatus `json:"router,omitempty"`

	// apiServerManagedLoadBalancer is the load balancer of the Kubernetes API.
	// +optional
	APIServerManagedLoadBalancer *LoadBalancerStatus `json:"apiServerManagedLoadBalancer,omitempty"`

	// controlPlaneSecurityGroup is the security group of control-plane machines.
	// +optional
	ControlPlaneSecurityGroup *SecurityGroupStatus `json:"controlPlaneSecurityGroup,omitempty"`

	// workerSecurityGroup is the security group of workers.
	// +optional
	WorkerSecurityGroup *SecurityGroupStatus `json:"workerSecurityGroup,omitempty"`
}

// Initialization says how far the first creation of an object is.
type Initialization struct {
	// provisioned is true from the moment at which everything was there for the
	// first time, and stays so.
	// +optional
	Provisioned *bool `json:"provisioned,omitempty"`
}

// NetworkStatus is a network that was seen.
type NetworkStatus struct {
	// id is the ID of the network.
	// +optional
	ID string `json:"id,omitempty"`

	// name is the name of the network.
	// +optional
	Name string `json:"name,omitempty"`

	// tags lists the tags of the network.
	// +optional
	// +listType=set
	Tags []string `json:"tags,omitempty"`
}

// NetworkStatusWithSubnets is a network that was seen, with the subnets that
// the cluster uses.
type NetworkStatusWithSubnets struct {
	NetworkStatus `json:",inline"`

	// subnets lists the subnets that the cluster uses.
	// +optional
	// +listType=atomic
	Subnets []SubnetStatus `json:"subnets,omitempty"`
}

// SubnetStatus is a subnet that was seen.
type SubnetStatus struct {
	// id is the ID of the subnet.
	// +optional
	ID string `json:"id,omitempty"`

	// name is the name of the subnet.
	// +optional
	Name string `json:"name,omitempty"`

	// cidr is the address range of the subnet.
	// +optional
	CIDR string `json:"cidr,omitempty"`

	// tags lists the tags of the subnet.
	// +optional
	// +listType=set
	Tags []string `json:"tags,omitempty"`
}

// RouterStatus is a router that was seen.
type RouterStatus struct {
	// id is the ID of the router.
	// +optional
	ID string `json:"id,omitempty"`

	// name is the name of the router.
	// +optional
	Name string `json:"name,omitempty"`

	// tags lists the tags of the router.
	// +optional
	// +listType=set
	Tags []string `json:"tags,omitempty"`

	// ips lists the addresses of the router in the external network.
	// +optional
	// +listType=set
	IPs []string `json:"ips,omitempty"`
}

// LoadBalancerStatus is a load balancer that was seen.
type LoadBalancerStatus struct {
	// id is the ID of the load balancer.
	// +optional
	ID string `json:"id,omitempty"`

	// name is the name of the load balancer.
	// +optional
	Name string `json:"name,omitempty"`

	// ip is the floating IP. Unset without one.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	IP string `json:"ip,omitempty"`

	// internalIP is the address in loadBalancerNetwork.
	// +optional
	InternalIP string `json:"internalIP,omitempty"`

	// allowedCIDRs lists the address ranges that may reach the load balancer.
	// +optional
	// +listType=set
	AllowedCIDRs []string `json:"allowedCIDRs,omitempty"`

	// tags lists the tags of the load balancer.
	// +optional
	// +listType=set
	Tags []string `json:"tags,omitempty"`

	// loadBalancerNetwork is where the load balancer has its address.
	// +optional
	LoadBalancerNetwork *NetworkStatusWithSubnets `json:"loadBalancerNetwork,omitempty"`
}

// SecurityGroupStatus is a security group that was seen.
type SecurityGroupStatus struct {
	// id is the ID of the security group.
	// +optional
	ID string `json:"id,omitempty"`

	// name is the name of the security group.
	// +optional
	Name string `json:"name,omitempty"`
}

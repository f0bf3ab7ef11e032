package v1beta2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// OpenStackClusterSpec is what a cluster needs of OpenStack: a network, a
// router, security groups and an endpoint for the Kubernetes API.
//
// +kubebuilder:validation:XValidation:rule="!has(self.enableExternalNetwork) || self.enableExternalNetwork || (has(self.apiServer) && has(self.apiServer.enableFloatingIP) && !self.apiServer.enableFloatingIP)",message="a floating IP needs an external network: set apiServer.enableFloatingIP: false, or remove enableExternalNetwork: false"
type OpenStackClusterSpec struct {
	// identityRef names the credentials of the cluster.
	// +required
	IdentityRef IdentityRef `json:"identityRef,omitzero"`

	// controlPlaneEndpoint is where the Kubernetes API is reached. The
	// controller fills it in. A given one is used as it is; with apiServer's
	// managedLoadBalancer a load balancer is made for it, whose floating IP has
	// to have that address. It can be set once.
	// +optional
	ControlPlaneEndpoint clusterv1.APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	// apiServer says how the endpoint is made.
	// +optional
	APIServer *APIServer `json:"apiServer,omitempty"`

	// managedSubnets lists the subnets to create, in a network with a router of
	// its own. Empty means that the cluster uses existing ones: network, subnets.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1
	ManagedSubnets []SubnetSpec `json:"managedSubnets,omitempty"`

	// managedNetwork tunes the network that managedSubnets makes.
	// +optional
	ManagedNetwork *ManagedNetwork `json:"managedNetwork,omitempty"`

	// managedRouter tunes the router that managedSubnets makes.
	// +optional
	ManagedRouter *ManagedRouter `json:"managedRouter,omitempty"`

	// router is an existing router to which the managed subnet is connected.
	// +optional
	Router *RouterParam `json:"router,omitempty"`

	// network is an existing network for the machines. Unset means the network
	// of subnets.
	// +optional
	Network *NetworkParam `json:"network,omitempty"`

	// subnets lists existing subnets for the machines. Empty means all subnets
	// of the network.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Subnets []SubnetParam `json:"subnets,omitempty"`

	// primarySubnet is the subnet in which machines and the load balancer have
	// their addresses when the cluster has several.
	// +optional
	PrimarySubnet *SubnetParam `json:"primarySubnet,omitempty"`

	// enableExternalNetwork is false for a cluster without a way to the outside:
	// no router is made and no floating IP is used. Default true.
	// +optional
	EnableExternalNetwork *bool `json:"enableExternalNetwork,omitempty"`

	// externalNetwork is the network of floating IPs and of the router's
	// gateway. Unset means the only external network that the project sees.
	// +optional
	ExternalNetwork *NetworkParam `json:"externalNetwork,omitempty"`

	// managedSecurityGroups asks for security groups. {} gives them the default
	// rules. Unset means none; it can be added later, but not removed.
	// +optional
	ManagedSecurityGroups *ManagedSecurityGroups `json:"managedSecurityGroups,omitempty"`

	// controlPlaneAvailabilityZones lists the Nova availability zones for
	// control-plane machines. Empty means all that are available.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	ControlPlaneAvailabilityZones []string `json:"controlPlaneAvailabilityZones,omitempty"`

	// controlPlaneOmitAvailabilityZone is true to let Nova choose the zone of
	// control-plane machines: no zone is then offered to Cluster API for them.
	// +optional
	ControlPlaneOmitAvailabilityZone *bool `json:"controlPlaneOmitAvailabilityZone,omitempty"`

	// tags lists tags that all OpenStack resources of the cluster get. Nova
	// allows 50 tags a server; two of them are ours.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=48
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=60
	// +kubebuilder:validation:items:Pattern=`^[^,/]+$`
	Tags []string `json:"tags,omitempty"`
}

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=openstackclusters,scope=Namespaced,categories=cluster-api,shortName=osc
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta2=v1beta2"}
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",description="Cluster that this belongs to"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status",description="Whether machines can be created in it"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].reason",description="Why it is or is not ready"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".spec.controlPlaneEndpoint.host",description="Address of the Kubernetes API"
// +kubebuilder:printcolumn:name="Network",type="string",JSONPath=".status.network.id",description="ID of the network",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].message",description="What it waits for, or what is wrong",priority=1
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackCluster is the part of a Cluster that lives in OpenStack.
// config/admission says which fields may be changed later.
type OpenStackCluster struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the cluster needs of OpenStack.
	// +required
	Spec OpenStackClusterSpec `json:"spec,omitzero"`

	// status is what was seen in OpenStack last.
	// +optional
	Status OpenStackClusterStatus `json:"status,omitzero"`
}

// GetConditions returns the conditions of the cluster.
func (c *OpenStackCluster) GetConditions() []metav1.Condition {
	return c.Status.Conditions
}

// SetConditions replaces the conditions of the cluster.
func (c *OpenStackCluster) SetConditions(conditions []metav1.Condition) {
	c.Status.Conditions = conditions
}

// +kubebuilder:object:root=true

// OpenStackClusterList is a list of OpenStackCluster.
type OpenStackClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackCluster `json:"items"`
}

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/capok/capok/api/infrastructure/v1beta2"
)

// OpenStackClusterSpec is v1beta2's, with the fields about the endpoint, the
// managed network and the managed router beside the others.
//
// +kubebuilder:validation:XValidation:rule="!has(self.disableExternalNetwork) || !self.disableExternalNetwork || (has(self.disableAPIServerFloatingIP) && self.disableAPIServerFloatingIP)",message="a floating IP needs an external network: set disableAPIServerFloatingIP: true, or remove disableExternalNetwork: true"
// +kubebuilder:validation:XValidation:rule="!has(self.apiServerFloatingIP) || size(self.apiServerFloatingIP) == 0 || !has(self.disableAPIServerFloatingIP) || !self.disableAPIServerFloatingIP",message="apiServerFloatingIP needs a floating IP: remove apiServerFloatingIP, or remove disableAPIServerFloatingIP: true"
type OpenStackClusterSpec struct {
	// identityRef names the credentials of the cluster.
	// +required
	IdentityRef v1beta2.IdentityRef `json:"identityRef,omitzero"`

	// controlPlaneEndpoint is where the Kubernetes API is reached. The
	// controller fills it in; see v1beta2.
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	// apiServerLoadBalancer asks for an Octavia load balancer in front of the
	// API servers; v1beta2 has it as apiServer.managedLoadBalancer.
	// +optional
	APIServerLoadBalancer *v1beta2.APIServerLoadBalancer `json:"apiServerLoadBalancer,omitempty"`

	// apiServerFloatingIP is the floating IP of the endpoint; v1beta2 has it as
	// apiServer.floatingIP.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isIP(self)",message="give an IP address of the external network"
	APIServerFloatingIP string `json:"apiServerFloatingIP,omitempty"`

	// apiServerFixedIP is the address of the load balancer in the cluster's
	// network, or the endpoint itself; v1beta2 has it as apiServer.fixedIP.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isIP(self)",message="give an IP address such as 10.6.0.10"
	APIServerFixedIP string `json:"apiServerFixedIP,omitempty"`

	// apiServerPort is the port of the endpoint; v1beta2 has it as
	// apiServer.port. Unset or 0 means 6443.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	APIServerPort int32 `json:"apiServerPort,omitempty"`

	// disableAPIServerFloatingIP is true for an endpoint without a floating IP;
	// v1beta2 has the opposite as apiServer.enableFloatingIP.
	// +optional
	DisableAPIServerFloatingIP *bool `json:"disableAPIServerFloatingIP,omitempty"`

	// managedSubnets lists the subnets to create.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1
	ManagedSubnets []v1beta2.SubnetSpec `json:"managedSubnets,omitempty"`

	// networkMTU is the largest packet of the network that managedSubnets makes,
	// in bytes; v1beta2 has it as managedNetwork.mtu. Unset or 0 means Neutron's default.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	NetworkMTU int64 `json:"networkMTU,omitempty"`

	// disablePortSecurity is true to have no security groups in the network that
	// managedSubnets makes; v1beta2 has the opposite as
	// managedNetwork.enablePortSecurity.
	// +optional
	DisablePortSecurity *bool `json:"disablePortSecurity,omitempty"`

	// externalRouterIPs lists the addresses of the router that managedSubnets
	// makes; v1beta2 has them as managedRouter.externalIPs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	ExternalRouterIPs []v1beta2.ExternalRouterIP `json:"externalRouterIPs,omitempty"`

	// router is an existing router to which the managed subnet is connected.
	// +optional
	Router *v1beta2.RouterParam `json:"router,omitempty"`

	// network is an existing network for the machines.
	// +optional
	Network *v1beta2.NetworkParam `json:"network,omitempty"`

	// subnets lists existing subnets for the machines.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Subnets []v1beta2.SubnetParam `json:"subnets,omitempty"`

	// primarySubnet is the subnet in which machines and the load balancer have
	// their addresses when the cluster has several.
	// +optional
	PrimarySubnet *v1beta2.SubnetParam `json:"primarySubnet,omitempty"`

	// disableExternalNetwork is true for a cluster without a way to the outside;
	// v1beta2 has the opposite as enableExternalNetwork.
	// +optional
	DisableExternalNetwork *bool `json:"disableExternalNetwork,omitempty"`

	// externalNetwork is the network of floating IPs and of the router's gateway.
	// +optional
	ExternalNetwork *v1beta2.NetworkParam `json:"externalNetwork,omitempty"`

	// managedSecurityGroups asks for security groups. {} gives them the default rules.
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
	// control-plane machines.
	// +optional
	ControlPlaneOmitAvailabilityZone *bool `json:"controlPlaneOmitAvailabilityZone,omitempty"`

	// tags lists tags that all OpenStack resources of the cluster get.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=48
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=60
	// +kubebuilder:validation:items:Pattern=`^[^,/]+$`
	Tags []string `json:"tags,omitempty"`
}

// APIEndpoint is where a Kubernetes API is reached.
type APIEndpoint struct {
	// host is a name or an address. Empty means that there is none yet.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Host string `json:"host,omitempty"`

	// port is a TCP port. 0 means that there is none yet.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`
}

// ManagedSecurityGroups is v1beta2's, with one list named otherwise.
type ManagedSecurityGroups struct {
	// allowAllInClusterTraffic lets all machines of the cluster reach each other
	// on every port.
	// +optional
	AllowAllInClusterTraffic *bool `json:"allowAllInClusterTraffic,omitempty"`

	// allNodesSecurityGroupRules lists rules for all machines; v1beta2 has them
	// as clusterNodesSecurityGroupRules.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	AllNodesSecurityGroupRules []v1beta2.SecurityGroupRuleSpec `json:"allNodesSecurityGroupRules,omitempty"`

	// controlPlaneNodesSecurityGroupRules lists rules for control-plane machines.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	ControlPlaneNodesSecurityGroupRules []v1beta2.SecurityGroupRuleSpec `json:"controlPlaneNodesSecurityGroupRules,omitempty"`

	// workerNodesSecurityGroupRules lists rules for workers.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	WorkerNodesSecurityGroupRules []v1beta2.SecurityGroupRuleSpec `json:"workerNodesSecurityGroupRules,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=openstackclusters,scope=Namespaced,categories=cluster-api,shortName=osc
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta1=v1beta1"}
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",description="Cluster that this belongs to"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.ready",description="Whether machines can be created in it"
// +kubebuilder:printcolumn:name="Network",type="string",JSONPath=".status.network.id",description="ID of the network"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".spec.controlPlaneEndpoint.host",description="Address of the Kubernetes API",priority=1
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackCluster is the part of a Cluster that lives in OpenStack.
type OpenStackCluster struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the state that is wanted.
	// +required
	Spec OpenStackClusterSpec `json:"spec,omitzero"`

	// status is what was seen in OpenStack last.
	// +optional
	Status OpenStackClusterStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// OpenStackClusterList is a list of OpenStackCluster.
type OpenStackClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackCluster `json:"items"`
}

// OpenStackClusterTemplateSpec is what clusters of a ClusterClass are made of.
type OpenStackClusterTemplateSpec struct {
	// template is the OpenStackCluster that is made of it.
	// +required
	Template OpenStackClusterTemplateResource `json:"template,omitzero"`
}

// OpenStackClusterTemplateResource is the OpenStackCluster to make.
type OpenStackClusterTemplateResource struct {
	// metadata holds labels and annotations of the OpenStackCluster.
	// +optional
	ObjectMeta clusterv1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec is the spec of the OpenStackCluster.
	// +required
	Spec OpenStackClusterSpec `json:"spec,omitzero"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=openstackclustertemplates,scope=Namespaced,categories=cluster-api,shortName=osct
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta1=v1beta1"}
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackClusterTemplate is what clusters of a ClusterClass are made of.
type OpenStackClusterTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the template.
	// +required
	Spec OpenStackClusterTemplateSpec `json:"spec,omitzero"`
}

// +kubebuilder:object:root=true

// OpenStackClusterTemplateList is a list of OpenStackClusterTemplate.
type OpenStackClusterTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackClusterTemplate `json:"items"`
}

package v1beta2

// ManagedSecurityGroups asks for two security groups, one of the control-plane
// machines and one of the workers. {} gives them the default rules.
type ManagedSecurityGroups struct {
	// allowAllInClusterTraffic lets all machines of the cluster reach each other
	// on every port, instead of the ports that Kubernetes needs.
	// +optional
	AllowAllInClusterTraffic *bool `json:"allowAllInClusterTraffic,omitempty"`

	// clusterNodesSecurityGroupRules lists rules for all machines.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	ClusterNodesSecurityGroupRules []SecurityGroupRuleSpec `json:"clusterNodesSecurityGroupRules,omitempty"`

	// controlPlaneNodesSecurityGroupRules lists rules for control-plane machines.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	ControlPlaneNodesSecurityGroupRules []SecurityGroupRuleSpec `json:"controlPlaneNodesSecurityGroupRules,omitempty"`

	// workerNodesSecurityGroupRules lists rules for workers.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	WorkerNodesSecurityGroupRules []SecurityGroupRuleSpec `json:"workerNodesSecurityGroupRules,omitempty"`
}

// RuleDirection is the direction of traffic, seen from the machine.
//
// +kubebuilder:validation:Enum=ingress;egress
type RuleDirection string

// The directions of a rule.
const (
	Ingress RuleDirection = "ingress"
	Egress  RuleDirection = "egress"
)

// EtherType is the IP version of a rule.
//
// +kubebuilder:validation:Enum=IPv4;IPv6
type EtherType string

// The IP versions of a rule.
const (
	IPv4 EtherType = "IPv4"
	IPv6 EtherType = "IPv6"
)

// ManagedSecurityGroupName names one of the cluster's own security groups.
//
// +kubebuilder:validation:Enum=controlplane;worker
type ManagedSecurityGroupName string

// The cluster's own security groups.
const (
	ControlPlaneGroup ManagedSecurityGroupName = "controlplane"
	WorkerGroup       ManagedSecurityGroupName = "worker"
)

// SecurityGroupRuleSpec is one rule. The other side of the traffic is one of
// remoteManagedGroups, remoteGroupID and remoteIPPrefix; none means anybody.
//
// +kubebuilder:validation:XValidation:rule="(has(self.remoteManagedGroups) && size(self.remoteManagedGroups) > 0 ? 1 : 0) + (has(self.remoteGroupID) && size(self.remoteGroupID) > 0 ? 1 : 0) + (has(self.remoteIPPrefix) && size(self.remoteIPPrefix) > 0 ? 1 : 0) <= 1",message="give only one of remoteManagedGroups, remoteGroupID and remoteIPPrefix, and write one rule for each"
// +kubebuilder:validation:XValidation:rule="!has(self.portRangeMin) || !has(self.portRangeMax) || self.portRangeMin <= self.portRangeMax || (has(self.protocol) && self.protocol.contains('icmp'))",message="portRangeMin is above portRangeMax: swap them"
type SecurityGroupRuleSpec struct {
	// name tells the rules of a list apart. It is not sent to OpenStack.
	// +required
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name"`

	// description is shown in OpenStack.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description string `json:"description,omitempty"`

	// direction is ingress or egress.
	// +required
	Direction RuleDirection `json:"direction,omitempty"`

	// etherType is IPv4 or IPv6. Unset means the version of remoteIPPrefix, or
	// IPv4 without one.
	// +optional
	EtherType EtherType `json:"etherType,omitempty"`

	// protocol is the name or the number of an IP protocol, such as tcp. Unset
	// means every protocol.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Protocol string `json:"protocol,omitempty"`

	// portRangeMin is the first port; with ICMP, the type.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	PortRangeMin *int64 `json:"portRangeMin,omitempty"`

	// portRangeMax is the last port; with ICMP, the code.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	PortRangeMax *int64 `json:"portRangeMax,omitempty"`

	// remoteManagedGroups lists the cluster's own security groups on the other
	// side: controlplane, worker. Each one becomes a rule, once.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	RemoteManagedGroups []ManagedSecurityGroupName `json:"remoteManagedGroups,omitempty"`

	// remoteGroupID is the ID of the security group on the other side.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	RemoteGroupID string `json:"remoteGroupID,omitempty"`

	// remoteIPPrefix is the address range on the other side.
	// +optional
	// +kubebuilder:validation:MaxLength=49
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isCIDR(self)",message="give an address range such as 10.6.0.0/24"
	RemoteIPPrefix string `json:"remoteIPPrefix,omitempty"`
}

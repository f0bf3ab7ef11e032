package v1beta2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// OpenStackMachineSpec is the Nova server of a machine, with its ports and its
// root volume.
type OpenStackMachineSpec struct {
	// providerID is openstack:///<server ID>, or openstack://<region>/<server ID>
	// when identityRef.region is set. The controller fills it in; it equals that
	// of the Node.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ProviderID string `json:"providerID,omitempty"`

	// identityRef names the credentials of this machine. Unset means those of
	// the cluster.
	// +optional
	IdentityRef *IdentityRef `json:"identityRef,omitempty"`

	// flavor is the size of the server.
	// +required
	Flavor FlavorParam `json:"flavor,omitzero"`

	// image is what the server boots.
	// +required
	Image ImageParam `json:"image,omitzero"`

	// sshKeyName is the name of a Nova key pair that may log in.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	SSHKeyName string `json:"sshKeyName,omitempty"`

	// ports lists the network ports of the server. Empty means one port in the
	// cluster's network.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(p, !has(p.nameSuffix) || self.exists_one(q, has(q.nameSuffix) && q.nameSuffix == p.nameSuffix))",message="give each port another nameSuffix: it names the port"
	Ports []PortOpts `json:"ports,omitempty"`

	// securityGroups lists security groups for all ports that have none of their
	// own, beside the cluster's.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	SecurityGroups []SecurityGroupParam `json:"securityGroups,omitempty"`

	// rootVolume makes the server boot from a Cinder volume instead of a disk of
	// the flavor.
	// +optional
	RootVolume *RootVolume `json:"rootVolume,omitempty"`

	// serverGroup is an existing server group, which keeps servers apart or
	// together.
	// +optional
	ServerGroup *ServerGroupParam `json:"serverGroup,omitempty"`

	// serverMetadata lists metadata of the server.
	// +optional
	// +listType=map
	// +listMapKey=key
	// +kubebuilder:validation:MaxItems=128
	ServerMetadata []ServerMetadata `json:"serverMetadata,omitempty"`

	// configDrive says whether the server reads its user data from a drive
	// instead of the metadata service. Unset means the cloud's default.
	// +optional
	ConfigDrive *bool `json:"configDrive,omitempty"`

	// tags lists tags of the server and its ports, beside the cluster's. Nova
	// allows 50 tags a server; two of them are ours.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=48
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=60
	// +kubebuilder:validation:items:Pattern=`^[^,/]+$`
	Tags []string `json:"tags,omitempty"`
}

// RootVolume is the Cinder volume that a server boots from. It is deleted with
// the machine.
type RootVolume struct {
	// sizeGiB is the size of the volume, in GiB.
	// +required
	// +kubebuilder:validation:Minimum=1
	SizeGiB int64 `json:"sizeGiB,omitempty"`

	// type is a Cinder volume type. Unset means Cinder's default.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Type string `json:"type,omitempty"`

	// availabilityZone is the Cinder availability zone. Unset means Cinder's default.
	// +optional
	AvailabilityZone *VolumeAvailabilityZone `json:"availabilityZone,omitempty"`
}

// VolumeAZSource says where the name of a volume's availability zone comes from.
//
// +kubebuilder:validation:Enum=Name;Machine
type VolumeAZSource string

const (
	// VolumeAZFromName takes the zone that is named beside it.
	VolumeAZFromName VolumeAZSource = "Name"
	// VolumeAZFromMachine takes the zone of the same name as the machine's failure domain.
	VolumeAZFromMachine VolumeAZSource = "Machine"
)

// VolumeAvailabilityZone is the availability zone of a volume.
//
// +kubebuilder:validation:XValidation:rule="(!has(self.from) || self.from == 'Name') == has(self.name)",message="give a name with from: Name, and none with from: Machine"
type VolumeAvailabilityZone struct {
	// from is Name to use name, or Machine to use the zone of the same name as
	// the machine's failure domain.
	// +optional
	// +kubebuilder:default=Name
	From VolumeAZSource `json:"from,omitempty"`

	// name is a Cinder availability zone.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[^ ]+$`
	Name string `json:"name,omitempty"`
}

// ServerMetadata is one entry of a server's metadata.
type ServerMetadata struct {
	// key is the key.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Key string `json:"key,omitempty"`

	// value is the value; it may be empty.
	// +required
	// +kubebuilder:validation:MaxLength=255
	Value string `json:"value"`
}

// OpenStackMachineStatus is what was seen in OpenStack last.
type OpenStackMachineStatus struct {
	// conditions are the conditions of the machine; see conditions.go.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// initialization says how far the first creation is.
	// +optional
	Initialization Initialization `json:"initialization,omitzero"`

	// addresses lists the addresses of the server and its name.
	// +optional
	Addresses clusterv1.MachineAddresses `json:"addresses,omitempty"`

	// failureDomain is the Nova availability zone that the server runs in.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	FailureDomain string `json:"failureDomain,omitempty"`

	// instanceID is the ID of the server.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	InstanceID string `json:"instanceID,omitempty"`

	// instanceState is Nova's word for the state of the server, such as ACTIVE.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	InstanceState string `json:"instanceState,omitempty"`
}

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=openstackmachines,scope=Namespaced,categories=cluster-api,shortName=osm
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta2=v1beta2"}
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",description="Cluster that this belongs to"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status",description="Whether the server runs"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].reason",description="Why it is or is not ready"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.instanceState",description="Nova's word for the state of the server"
// +kubebuilder:printcolumn:name="ProviderID",type="string",JSONPath=".spec.providerID",description="ID that the Node carries too"
// +kubebuilder:printcolumn:name="Machine",type="string",JSONPath=".metadata.ownerReferences[?(@.kind=='Machine')].name",description="Machine that this belongs to"
// +kubebuilder:printcolumn:name="Zone",type="string",JSONPath=".status.failureDomain",description="Nova availability zone",priority=1
// +kubebuilder:printcolumn:name="Internal-IP",type="string",JSONPath=".status.addresses[?(@.type=='InternalIP')].address",description="Address in the cluster's network",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].message",description="What it waits for, or what is wrong",priority=1
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackMachine is the part of a Machine that lives in OpenStack.
// config/admission says which fields may be changed later.
type OpenStackMachine struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the server that is wanted.
	// +required
	Spec OpenStackMachineSpec `json:"spec,omitzero"`

	// status is what was seen in OpenStack last.
	// +optional
	Status OpenStackMachineStatus `json:"status,omitzero"`
}

// GetConditions returns the conditions of the machine.
func (m *OpenStackMachine) GetConditions() []metav1.Condition {
	return m.Status.Conditions
}

// SetConditions replaces the conditions of the machine.
func (m *OpenStackMachine) SetConditions(conditions []metav1.Condition) {
	m.Status.Conditions = conditions
}

// +kubebuilder:object:root=true

// OpenStackMachineList is a list of OpenStackMachine.
type OpenStackMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackMachine `json:"items"`
}

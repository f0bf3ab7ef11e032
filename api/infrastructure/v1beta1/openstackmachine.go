package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/capok/capok/api/infrastructure/v1beta2"
)

// OpenStackMachineSpec is v1beta2's, with the flavor as text.
//
// +kubebuilder:validation:XValidation:rule="has(self.flavor) || has(self.flavorID)",message="name the flavor: give flavor or flavorID"
type OpenStackMachineSpec struct {
	// providerID is openstack:///<server ID>, or openstack://<region>/<server ID>
	// when identityRef.region is set. The controller fills it in.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ProviderID string `json:"providerID,omitempty"`

	// identityRef names the credentials of this machine. Unset means those of
	// the cluster.
	// +optional
	IdentityRef *v1beta2.IdentityRef `json:"identityRef,omitempty"`

	// flavor is the name of the flavor; v1beta2 has it as flavor.filter.name.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Flavor string `json:"flavor,omitempty"`

	// flavorID is the ID of the flavor; v1beta2 has it as flavor.id. With both
	// the ID counts.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	FlavorID string `json:"flavorID,omitempty"`

	// image is what the server boots.
	// +required
	Image v1beta2.ImageParam `json:"image,omitzero"`

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

	// securityGroups lists security groups for all ports that have none of their own.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	SecurityGroups []v1beta2.SecurityGroupParam `json:"securityGroups,omitempty"`

	// rootVolume makes the server boot from a Cinder volume.
	// +optional
	RootVolume *v1beta2.RootVolume `json:"rootVolume,omitempty"`

	// serverGroup is an existing server group.
	// +optional
	ServerGroup *v1beta2.ServerGroupParam `json:"serverGroup,omitempty"`

	// serverMetadata lists metadata of the server.
	// +optional
	// +listType=map
	// +listMapKey=key
	// +kubebuilder:validation:MaxItems=128
	ServerMetadata []v1beta2.ServerMetadata `json:"serverMetadata,omitempty"`

	// configDrive says whether the server reads its user data from a drive.
	// +optional
	ConfigDrive *bool `json:"configDrive,omitempty"`

	// tags lists tags of the server and its ports, beside the cluster's.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=48
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=60
	// +kubebuilder:validation:items:Pattern=`^[^,/]+$`
	Tags []string `json:"tags,omitempty"`
}

// PortOpts is v1beta2's, with the older name of one field. Either name is
// taken: objects of both are in the field.
//
// +kubebuilder:validation:XValidation:rule="!has(self.disablePortSecurity) || !has(self.enablePortSecurity)",message="disablePortSecurity and enablePortSecurity say the same in two ways: remove one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.disablePortSecurity) || !self.disablePortSecurity || !has(self.securityGroups) || size(self.securityGroups) == 0",message="security groups need port security: remove securityGroups, or disablePortSecurity: true"
type PortOpts struct {
	v1beta2.PortOpts `json:",inline"`

	// disablePortSecurity is true to let the port send from any address, without
	// security groups; v1beta2 has the opposite as enablePortSecurity.
	// +optional
	DisablePortSecurity *bool `json:"disablePortSecurity,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=openstackmachines,scope=Namespaced,categories=cluster-api,shortName=osm
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta1=v1beta1"}
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",description="Cluster that this belongs to"
// +kubebuilder:printcolumn:name="InstanceState",type="string",JSONPath=".status.instanceState",description="Nova's word for the state of the server"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.ready",description="Whether the server runs"
// +kubebuilder:printcolumn:name="ProviderID",type="string",JSONPath=".spec.providerID",description="ID that the Node carries too"
// +kubebuilder:printcolumn:name="Machine",type="string",JSONPath=".metadata.ownerReferences[?(@.kind=='Machine')].name",description="Machine that this belongs to"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackMachine is the part of a Machine that lives in OpenStack.
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

// +kubebuilder:object:root=true

// OpenStackMachineList is a list of OpenStackMachine.
type OpenStackMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackMachine `json:"items"`
}

// OpenStackMachineTemplateSpec is what machines are made of.
type OpenStackMachineTemplateSpec struct {
	// template is the OpenStackMachine that is made of it.
	// +required
	Template OpenStackMachineTemplateResource `json:"template,omitzero"`
}

// OpenStackMachineTemplateResource is the OpenStackMachine to make.
//
// +kubebuilder:validation:XValidation:rule="!has(self.spec.providerID)",message="a template is for many machines and providerID names one: remove it"
type OpenStackMachineTemplateResource struct {
	// metadata holds labels and annotations of the OpenStackMachines.
	// +optional
	ObjectMeta clusterv1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec is the spec of the OpenStackMachines.
	// +required
	Spec OpenStackMachineSpec `json:"spec,omitzero"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=openstackmachinetemplates,scope=Namespaced,categories=cluster-api,shortName=osmt
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta1=v1beta1"}
// +kubebuilder:printcolumn:name="Flavor",type="string",JSONPath=".spec.template.spec.flavor",description="Name of the flavor"
// +kubebuilder:printcolumn:name="Image",type="string",JSONPath=".spec.template.spec.image.filter.name",description="Name of the image"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackMachineTemplate is what the machines of a control plane or of a
// MachineDeployment are made of.
type OpenStackMachineTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the template.
	// +required
	Spec OpenStackMachineTemplateSpec `json:"spec,omitzero"`
}

// +kubebuilder:object:root=true

// OpenStackMachineTemplateList is a list of OpenStackMachineTemplate.
type OpenStackMachineTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackMachineTemplate `json:"items"`
}

package v1beta2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

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

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=openstackclustertemplates,scope=Namespaced,categories=cluster-api,shortName=osct
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta2=v1beta2"}
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackClusterTemplate is what clusters of a ClusterClass are made of. Its
// spec cannot be changed: make a new one and let the ClusterClass refer to it.
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

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=openstackmachinetemplates,scope=Namespaced,categories=cluster-api,shortName=osmt
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta2=v1beta2"}
// +kubebuilder:printcolumn:name="Flavor",type="string",JSONPath=".spec.template.spec.flavor.filter.name",description="Name of the flavor"
// +kubebuilder:printcolumn:name="Image",type="string",JSONPath=".spec.template.spec.image.filter.name",description="Name of the image"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackMachineTemplate is what the machines of a control plane or of a
// MachineDeployment are made of. Its spec cannot be changed: make a new one and
// let the owner refer to it, which replaces the machines one after another.
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

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// OpenStackClusterIdentitySpec is where credentials are, and who may use them.
type OpenStackClusterIdentitySpec struct {
	// secretRef is the Secret that holds the credentials. Its keys are those of a
	// Secret that identityRef names: clouds.yaml and, optionally, cacert.
	// +required
	SecretRef SecretReference `json:"secretRef,omitzero"`

	// namespaceSelector selects the namespaces whose objects may use the
	// credentials, by their labels. Unset or {} means all namespaces.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
}

// SecretReference names a Secret in any namespace.
type SecretReference struct {
	// name is the name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// namespace is the namespace of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=openstackclusteridentities,scope=Cluster,categories=cluster-api,shortName=osci
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/v1beta1=v1alpha1","cluster.x-k8s.io/v1beta2=v1alpha1","clusterctl.cluster.x-k8s.io/move-hierarchy="}
// +kubebuilder:printcolumn:name="Namespace",type="string",JSONPath=".spec.secretRef.namespace",description="Namespace of the Secret"
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".spec.secretRef.name",description="Secret with the credentials"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since it was created"

// OpenStackClusterIdentity lends credentials to namespaces that do not hold them.
// Clusters and machines name it by identityRef with type ClusterIdentity.
type OpenStackClusterIdentity struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says where the credentials are, and who may use them.
	// +required
	Spec OpenStackClusterIdentitySpec `json:"spec,omitzero"`
}

// +kubebuilder:object:root=true

// OpenStackClusterIdentityList is a list of OpenStackClusterIdentities.
type OpenStackClusterIdentityList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackClusterIdentity `json:"items"`
}

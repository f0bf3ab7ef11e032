package v1beta2

// IdentityType says which kind of object holds the credentials.
//
// +kubebuilder:validation:Enum=Secret;ClusterIdentity
type IdentityType string

const (
	// IdentitySecret means a Secret in the namespace of the object that refers to it.
	IdentitySecret IdentityType = "Secret"
	// IdentityClusterIdentity means an OpenStackClusterIdentity, which lends
	// credentials to namespaces that do not hold them.
	IdentityClusterIdentity IdentityType = "ClusterIdentity"
)

// The keys of a credentials Secret.
const (
	// CloudsYAMLKey holds a clouds.yaml with the entry that cloudName names.
	CloudsYAMLKey = "clouds.yaml"
	// CACertKey holds the PEM certificates that sign the endpoints of the cloud. Optional.
	CACertKey = "cacert"
)

// IdentityRef names the credentials with which OpenStack is used.
type IdentityRef struct {
	// type is the kind of the object that holds the credentials.
	// +optional
	// +kubebuilder:default=Secret
	Type IdentityType `json:"type,omitempty"`

	// name is the name of a Secret in the same namespace, or of an
	// OpenStackClusterIdentity, which names a Secret. The Secret's key clouds.yaml
	// holds the credentials; its optional key cacert the PEM certificates that
	// sign the endpoints.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// cloudName is the entry of clouds.yaml to use.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CloudName string `json:"cloudName,omitempty"`

	// region overrides region_name of the clouds.yaml entry. It cannot be set,
	// changed or removed later.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Region string `json:"region,omitempty"`
}

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // the shapes of the older contract
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/capok/capok/api/infrastructure/v1beta2"
)

// OpenStackClusterStatus is v1beta2's, as the older contract wants it.
type OpenStackClusterStatus struct {
	// ready is true from the moment at which everything was there for the first time.
	// +optional
	Ready bool `json:"ready"`

	// failureReason is accepted for what is in the field; it is never set.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	FailureReason string `json:"failureReason,omitempty"`

	// failureMessage is accepted for what is in the field; it is never set.
	// +optional
	// +kubebuilder:validation:MaxLength=10240
	FailureMessage string `json:"failureMessage,omitempty"`

	// conditions are the conditions with a severity.
	// +optional
	Conditions clusterv1beta1.Conditions `json:"conditions,omitempty"`

	// v1beta2 groups what the newer contract has.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	// initialization says how far the first creation is.
	// +optional
	Initialization v1beta2.Initialization `json:"initialization,omitzero"`

	// failureDomains lists, by name, the Nova availability zones that machines
	// can be placed in.
	// +optional
	FailureDomains clusterv1beta1.FailureDomains `json:"failureDomains,omitempty"`

	// network is the network of the machines.
	// +optional
	Network *v1beta2.NetworkStatusWithSubnets `json:"network,omitempty"`

	// externalNetwork is the network of floating IPs and of the router's gateway.
	// +optional
	ExternalNetwork *v1beta2.NetworkStatus `json:"externalNetwork,omitempty"`

	// router connects the network to the external network.
	// +optional
	Router *v1beta2.RouterStatus `json:"router,omitempty"`

	// apiServerLoadBalancer is the load balancer of the Kubernetes API; v1beta2
	// has it as apiServerManagedLoadBalancer.
	// +optional
	APIServerLoadBalancer *v1beta2.LoadBalancerStatus `json:"apiServerLoadBalancer,omitempty"`

	// controlPlaneSecurityGroup is the security group of control-plane machines.
	// +optional
	ControlPlaneSecurityGroup *v1beta2.SecurityGroupStatus `json:"controlPlaneSecurityGroup,omitempty"`

	// workerSecurityGroup is the security group of workers.
	// +optional
	WorkerSecurityGroup *v1beta2.SecurityGroupStatus `json:"workerSecurityGroup,omitempty"`
}

// OpenStackMachineStatus is v1beta2's, as the older contract wants it.
type OpenStackMachineStatus struct {
	// ready is true from the moment at which the server ran for the first time.
	// +optional
	Ready bool `json:"ready"`

	// failureReason is accepted for what is in the field; it is never set.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	FailureReason string `json:"failureReason,omitempty"`

	// failureMessage is accepted for what is in the field; it is never set.
	// +optional
	// +kubebuilder:validation:MaxLength=10240
	FailureMessage string `json:"failureMessage,omitempty"`

	// conditions are the conditions with a severity.
	// +optional
	Conditions clusterv1beta1.Conditions `json:"conditions,omitempty"`

	// v1beta2 groups what the newer contract has.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	// initialization says how far the first creation is.
	// +optional
	Initialization v1beta2.Initialization `json:"initialization,omitzero"`

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

// V1Beta2Status groups what the newer contract has and the older has not.
type V1Beta2Status struct {
	// conditions are the conditions as v1beta2 has them.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

package v1beta2

// PortOpts is a network port of a machine. The order of ports is the order of
// the interfaces; the first one carries the Kubernetes API.
//
// +kubebuilder:validation:XValidation:rule="!has(self.enablePortSecurity) || self.enablePortSecurity || !has(self.securityGroups) || size(self.securityGroups) == 0",message="security groups need port security: remove securityGroups, or enablePortSecurity: false"
type PortOpts struct {
	// network is the network of the port. Unset means the network of the subnet
	// in fixedIPs, or the cluster's network.
	// +optional
	Network *NetworkParam `json:"network,omitempty"`

	// fixedIPs lists the addresses of the port. Empty means one address of each
	// subnet of the cluster, or of primarySubnet when that is set.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	FixedIPs []FixedIP `json:"fixedIPs,omitempty"`

	// nameSuffix is put behind the machine's name to name the port. Unset means
	// the number of the port, from 0.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	NameSuffix string `json:"nameSuffix,omitempty"`

	// adminStateUp is false to make a port that carries no traffic. Default true.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`

	// macAddress is the MAC address of the port. Unset means any.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	MACAddress string `json:"macAddress,omitempty"`

	// securityGroups lists the security groups of the port, instead of those of
	// the machine and of the cluster.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	SecurityGroups []SecurityGroupParam `json:"securityGroups,omitempty"`

	// enablePortSecurity is false to let the port send from any address, without
	// security groups. Unset means what the network says.
	// +optional
	EnablePortSecurity *bool `json:"enablePortSecurity,omitempty"`

	// allowedAddressPairs lists more addresses that the port may send from. It
	// is the only part of a port that may be changed later.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AllowedAddressPairs []AddressPair `json:"allowedAddressPairs,omitempty"`

	// tags lists more tags of the port.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=48
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	Tags []string `json:"tags,omitempty"`

	// hostID is the host to bind the port to. Most clouds let only operators
	// set it.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	HostID string `json:"hostID,omitempty"`

	// vnicType is how the port is attached: normal, direct, direct-physical,
	// macvtap and others that the cloud offers. Unset means normal.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	VNICType string `json:"vnicType,omitempty"`

	// profile asks for features of the network card.
	// +optional
	Profile *BindingProfile `json:"profile,omitempty"`

	// propagateUplinkStatus says whether a virtual function follows the link
	// state of its card. Unset means Neutron's default.
	// +optional
	PropagateUplinkStatus *bool `json:"propagateUplinkStatus,omitempty"`

	// valueSpecs lists more attributes that are sent to Neutron as they are.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ValueSpecs []ValueSpec `json:"valueSpecs,omitempty"`
}

// FixedIP is an address of a port: one in a subnet, or a given one.
//
// +kubebuilder:validation:XValidation:rule="has(self.subnet) || (has(self.ipAddress) && size(self.ipAddress) > 0)",message="give a subnet, an ipAddress, or both"
type FixedIP struct {
	// subnet is where the address is taken from.
	// +optional
	Subnet *SubnetParam `json:"subnet,omitempty"`

	// ipAddress is the address. Unset means any of the subnet.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isIP(self)",message="give an IP address such as 10.6.0.10"
	IPAddress string `json:"ipAddress,omitempty"`
}

// AddressPair is an address that a port may send from beside its own.
type AddressPair struct {
	// ipAddress is an address or an address range.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=49
	// +kubebuilder:validation:XValidation:rule="isIP(self) || isCIDR(self)",message="give an IP address or a range such as 10.6.0.0/24"
	IPAddress string `json:"ipAddress,omitempty"`

	// macAddress is the MAC address that goes with it. Unset means the port's own.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	MACAddress string `json:"macAddress,omitempty"`
}

// BindingProfile asks for features of the network card.
type BindingProfile struct {
	// ovsHWOffload asks for Open vSwitch hardware offload (capability switchdev).
	// +optional
	OVSHWOffload *bool `json:"ovsHWOffload,omitempty"`

	// trustedVF asks for a trusted virtual function.
	// +optional
	TrustedVF *bool `json:"trustedVF,omitempty"`
}

// ValueSpec is one attribute that is sent to Neutron as it is.
type ValueSpec struct {
	// name tells the entries of the list apart. It is not sent to OpenStack.
	// +required
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name"`

	// key is the attribute.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Key string `json:"key,omitempty"`

	// value is its value; it may be empty.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Value string `json:"value"`
}

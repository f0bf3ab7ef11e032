package v1beta2

// ManagedNetwork tunes the network that is created when managedSubnets is set.
//
// +kubebuilder:validation:MinProperties=1
type ManagedNetwork struct {
	// mtu is the largest packet, in bytes. Unset means Neutron's default.
	// +optional
	// +kubebuilder:validation:Minimum=68
	// +kubebuilder:validation:Maximum=65535
	MTU int64 `json:"mtu,omitempty"`

	// enablePortSecurity is false to have no security groups and no protection
	// against forged addresses in the network. Unset means Neutron's default.
	// +optional
	EnablePortSecurity *bool `json:"enablePortSecurity,omitempty"`
}

// ManagedRouter tunes the router that is created when managedSubnets is set.
type ManagedRouter struct {
	// externalIPs lists the addresses of the router in the external network.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	ExternalIPs []ExternalRouterIP `json:"externalIPs,omitempty"`
}

// ExternalRouterIP is an address of a router in the external network.
type ExternalRouterIP struct {
	// subnet is the subnet of the external network.
	// +required
	Subnet SubnetParam `json:"subnet,omitzero"`

	// fixedIP is the address. Unset means any of the subnet.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isIP(self)",message="give an IP address of the external subnet"
	FixedIP string `json:"fixedIP,omitempty"`
}

// SubnetSpec is a subnet to create.
type SubnetSpec struct {
	// cidr is the IPv4 address range of the subnet, such as 10.6.0.0/24.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=18
	// +kubebuilder:validation:XValidation:rule="isCIDR(self) && cidr(self).ip().family() == 4 && cidr(self) == cidr(self).masked()",message="give an IPv4 address range such as 10.6.0.0/24, with no bits set after the prefix"
	CIDR string `json:"cidr,omitempty"`

	// dnsNameservers lists the DNS servers that machines are told. It may be
	// changed later; a machine learns it when it renews its lease.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=45
	// +kubebuilder:validation:items:XValidation:rule="isIP(self)",message="give the IP address of a DNS server"
	DNSNameservers []string `json:"dnsNameservers,omitempty"`

	// allocationPools lists the addresses that machines may get. Empty means
	// the whole range.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	AllocationPools []AllocationPool `json:"allocationPools,omitempty"`
}

// AllocationPool is a range of addresses, both ends included.
type AllocationPool struct {
	// start is the first address.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="isIP(self)",message="give the first IP address of the range"
	Start string `json:"start,omitempty"`

	// end is the last address.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="isIP(self)",message="give the last IP address of the range"
	End string `json:"end,omitempty"`
}

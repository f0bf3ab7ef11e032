package v1beta2

// FilterByNeutronTags narrows a look-up by the tags of a Neutron resource.
type FilterByNeutronTags struct {
	// tags lists tags that the resource must all have.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	Tags []string `json:"tags,omitempty"`

	// tagsAny lists tags of which the resource must have at least one.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	TagsAny []string `json:"tagsAny,omitempty"`

	// notTags leaves out resources that have all of these tags.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	NotTags []string `json:"notTags,omitempty"`

	// notTagsAny leaves out resources that have at least one of these tags.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:Pattern=`^[^,]+$`
	NotTagsAny []string `json:"notTagsAny,omitempty"`
}

// NeutronFilter selects one network, router or security group. All criteria
// must hold; none or several matches are an error.
//
// +kubebuilder:validation:MinProperties=1
type NeutronFilter struct {
	// name is the exact name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name,omitempty"`

	// description is the exact description.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description string `json:"description,omitempty"`

	// projectID is the ID of the project that owns the resource. Unset means
	// any project whose resources the credentials can see.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ProjectID string `json:"projectID,omitempty"`

	FilterByNeutronTags `json:",inline"`
}

// NetworkParam names an existing network by its ID or by a filter.
//
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.filter)",message="name the network either by id or by filter: give one of the two"
type NetworkParam struct {
	// id is the ID of the network.
	// +optional
	// +kubebuilder:validation:Format=uuid
	// +kubebuilder:validation:MaxLength=36
	ID string `json:"id,omitempty"`

	// filter selects the network; exactly one must match.
	// +optional
	Filter *NeutronFilter `json:"filter,omitempty"`
}

// RouterParam names an existing router by its ID or by a filter.
//
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.filter)",message="name the router either by id or by filter: give one of the two"
type RouterParam struct {
	// id is the ID of the router.
	// +optional
	// +kubebuilder:validation:Format=uuid
	// +kubebuilder:validation:MaxLength=36
	ID string `json:"id,omitempty"`

	// filter selects the router; exactly one must match.
	// +optional
	Filter *NeutronFilter `json:"filter,omitempty"`
}

// SecurityGroupParam names an existing security group by its ID or by a filter.
//
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.filter)",message="name the security group either by id or by filter: give one of the two"
type SecurityGroupParam struct {
	// id is the ID of the security group.
	// +optional
	// +kubebuilder:validation:Format=uuid
	// +kubebuilder:validation:MaxLength=36
	ID string `json:"id,omitempty"`

	// filter selects the security group; exactly one must match.
	// +optional
	Filter *NeutronFilter `json:"filter,omitempty"`
}

// SubnetFilter selects one subnet. All criteria must hold; none or several
// matches are an error.
//
// +kubebuilder:validation:MinProperties=1
type SubnetFilter struct {
	// name is the exact name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name,omitempty"`

	// description is the exact description.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description string `json:"description,omitempty"`

	// projectID is the ID of the project that owns the subnet. Unset means any
	// project whose subnets the credentials can see.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ProjectID string `json:"projectID,omitempty"`

	// ipVersion is 4 or 6.
	// +optional
	// +kubebuilder:validation:Enum=4;6
	IPVersion int64 `json:"ipVersion,omitempty"`

	// gatewayIP is the address of the subnet's gateway.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isIP(self)",message="give an IP address such as 10.6.0.1"
	GatewayIP string `json:"gatewayIP,omitempty"`

	// cidr is the address range of the subnet.
	// +optional
	// +kubebuilder:validation:MaxLength=49
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isCIDR(self)",message="give an address range such as 10.6.0.0/24, with no bits set after the prefix"
	CIDR string `json:"cidr,omitempty"`

	// ipv6AddressMode is slaac, dhcpv6-stateful or dhcpv6-stateless.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	IPv6AddressMode string `json:"ipv6AddressMode,omitempty"`

	// ipv6RAMode is slaac, dhcpv6-stateful or dhcpv6-stateless.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	IPv6RAMode string `json:"ipv6RAMode,omitempty"`

	FilterByNeutronTags `json:",inline"`
}

// SubnetParam names an existing subnet by its ID or by a filter.
//
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.filter)",message="name the subnet either by id or by filter: give one of the two"
type SubnetParam struct {
	// id is the ID of the subnet.
	// +optional
	// +kubebuilder:validation:Format=uuid
	// +kubebuilder:validation:MaxLength=36
	ID string `json:"id,omitempty"`

	// filter selects the subnet; exactly one must match.
	// +optional
	Filter *SubnetFilter `json:"filter,omitempty"`
}

// ImageFilter selects one Glance image. All criteria must hold; none or
// several matches are an error.
//
// +kubebuilder:validation:MinProperties=1
type ImageFilter struct {
	// name is the exact name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name,omitempty"`

	// tags lists tags that the image must all have.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitempty"`
}

// ImageParam names a Glance image by its ID or by a filter.
//
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.filter)",message="name the image either by id or by filter: give one of the two"
type ImageParam struct {
	// id is the ID of the image.
	// +optional
	// +kubebuilder:validation:Format=uuid
	// +kubebuilder:validation:MaxLength=36
	ID string `json:"id,omitempty"`

	// filter selects the image; exactly one must match.
	// +optional
	Filter *ImageFilter `json:"filter,omitempty"`
}

// FlavorFilter selects one Nova flavor.
//
// +kubebuilder:validation:MinProperties=1
type FlavorFilter struct {
	// name is the exact name.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name,omitempty"`
}

// FlavorParam names a Nova flavor by its ID or by a filter. With both the ID
// counts, as where v1beta1 has flavor and flavorID.
//
// +kubebuilder:validation:XValidation:rule="has(self.id) || has(self.filter)",message="name the flavor: give id or filter"
type FlavorParam struct {
	// id is the ID of the flavor. Nova lets operators choose it, so it need not
	// be a UUID.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ID string `json:"id,omitempty"`

	// filter selects the flavor; exactly one must match.
	// +optional
	Filter *FlavorFilter `json:"filter,omitempty"`
}

// ServerGroupFilter selects one Nova server group.
//
// +kubebuilder:validation:MinProperties=1
type ServerGroupFilter struct {
	// name is the exact name.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name,omitempty"`
}

// ServerGroupParam names an existing Nova server group by its ID or by a filter.
//
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.filter)",message="name the server group either by id or by filter: give one of the two"
type ServerGroupParam struct {
	// id is the ID of the server group.
	// +optional
	// +kubebuilder:validation:Format=uuid
	// +kubebuilder:validation:MaxLength=36
	ID string `json:"id,omitempty"`

	// filter selects the server group; exactly one must match.
	// +optional
	Filter *ServerGroupFilter `json:"filter,omitempty"`
}

package v1beta2

// APIServer says where the Kubernetes API of the cluster is reached.
//
// +kubebuilder:validation:XValidation:rule="!has(self.floatingIP) || size(self.floatingIP) == 0 || !has(self.enableFloatingIP) || self.enableFloatingIP",message="floatingIP needs a floating IP: remove floatingIP, or remove enableFloatingIP: false"
type APIServer struct {
	// enableFloatingIP says whether the endpoint gets a floating IP. Without one
	// it is the address of the load balancer, or fixedIP. Default true.
	// +optional
	EnableFloatingIP *bool `json:"enableFloatingIP,omitempty"`

	// fixedIP is the address of the load balancer in the cluster's network, or,
	// with neither load balancer nor floating IP, the endpoint itself. It can be
	// set later, once, when enableFloatingIP is false.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isIP(self)",message="give an IP address such as 10.6.0.10"
	FixedIP string `json:"fixedIP,omitempty"`

	// floatingIP is the floating IP to use: an existing one that is not in use,
	// or a free address of the external network. Unset means any.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || isIP(self)",message="give an IP address of the external network"
	FloatingIP string `json:"floatingIP,omitempty"`

	// managedLoadBalancer asks for an Octavia load balancer in front of the API
	// servers. {} is one with all defaults. Unset means none: the endpoint is
	// then a floating IP of one control-plane machine, or fixedIP.
	// +optional
	ManagedLoadBalancer *APIServerLoadBalancer `json:"managedLoadBalancer,omitempty"`

	// port is the port of the endpoint. Unset or 0 means 6443.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`
}

// APIServerLoadBalancer is the Octavia load balancer in front of the API servers.
type APIServerLoadBalancer struct {
	// enabled is false to have no load balancer after all.
	// +optional
	// +kubebuilder:default=true
	Enabled *bool `json:"enabled,omitempty"`

	// additionalPorts lists more TCP ports to forward to the control-plane machines.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=65535
	AdditionalPorts []int64 `json:"additionalPorts,omitempty"`

	// allowedCIDRs lists the address ranges that may reach the load balancer.
	// The cluster's own ranges and router addresses are always added. Empty
	// means everybody.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=49
	// +kubebuilder:validation:items:XValidation:rule="isCIDR(self)",message="give an address range such as 10.6.0.0/24"
	AllowedCIDRs []string `json:"allowedCIDRs,omitempty"`

	// provider is the Octavia provider, such as amphora or ovn. Unset means
	// Octavia's default.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Provider string `json:"provider,omitempty"`

	// flavor is the ID or the name of an Octavia flavor.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Flavor string `json:"flavor,omitempty"`

	// availabilityZone is an Octavia availability zone.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	AvailabilityZone string `json:"availabilityZone,omitempty"`

	// network is where the load balancer has its address. Unset means the
	// cluster's network.
	// +optional
	Network *NetworkParam `json:"network,omitempty"`

	// subnets lists the subnets of the network in which the load balancer has
	// its address; the first one is used.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Subnets []SubnetParam `json:"subnets,omitempty"`

	// monitor tunes the health check of the control-plane machines.
	// +optional
	Monitor *APIServerLoadBalancerMonitor `json:"monitor,omitempty"`
}

// IsEnabled reports whether a load balancer is wanted: l is set and not switched off.
func (l *APIServerLoadBalancer) IsEnabled() bool {
	return l != nil && (l.Enabled == nil || *l.Enabled)
}

// APIServerLoadBalancerMonitor tunes the health check of a load balancer.
type APIServerLoadBalancerMonitor struct {
	// delay is the time between two checks, in seconds. Default 10.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Delay int64 `json:"delay,omitempty"`

	// timeout is how long a check may take, in seconds. Default 5.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Timeout int64 `json:"timeout,omitempty"`

	// maxRetries is how many checks in a row must pass before a machine gets
	// traffic. Default 5.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	MaxRetries int32 `json:"maxRetries,omitempty"`

	// maxRetriesDown is how many checks in a row must fail before a machine
	// gets no traffic. Default 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	MaxRetriesDown int32 `json:"maxRetriesDown,omitempty"`
}

package v1beta2

import clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

// Condition types of both kinds. True is good, but for Paused and Deleting.
const (
	// Ready is True while everything that the object asks for is there and
	// works. Cluster API mirrors it as InfrastructureReady.
	Ready = clusterv1.ReadyCondition

	// Paused is True while the object or its Cluster is paused: nothing is
	// changed in OpenStack until it is unpaused.
	Paused = clusterv1.PausedCondition

	// CredentialsValid is True while OpenStack accepts the credentials that
	// identityRef names.
	CredentialsValid = "CredentialsValid"

	// Deleting is True while the object is being deleted. Its message says what
	// is still there. It is also the reason of other conditions at that time:
	// means that the resource is being removed; nothing needs to be done.
	Deleting = clusterv1.DeletingCondition
)

// Condition types of an OpenStackCluster, beside the common ones.
const (
	// NetworkReady is True while the network and its subnets are there.
	NetworkReady = "NetworkReady"

	// RouterReady is True while the router connects the subnets to the external
	// network.
	RouterReady = "RouterReady"

	// SecurityGroupsReady is True while the security groups have the rules that
	// they should have.
	SecurityGroupsReady = "SecurityGroupsReady"

	// APIEndpointReady is True while the Kubernetes API has an address, and the
	// load balancer behind it is set up when there is one.
	APIEndpointReady = "APIEndpointReady"

	// FailureDomainsReady is True while the availability zones are known.
	FailureDomainsReady = "FailureDomainsReady"
)

// Condition types of an OpenStackMachine, beside the common ones.
const (
	// PortsReady is True while all ports of the machine are there.
	PortsReady = "PortsReady"

	// VolumeReady is True while the root volume is there, or when none is asked for.
	VolumeReady = "VolumeReady"

	// ServerReady is True while the Nova server of the machine is ACTIVE.
	ServerReady = "ServerReady"

	// APIMemberReady is True while a control-plane machine is behind the
	// endpoint of the Kubernetes API, and always on a worker.
	APIMemberReady = "APIMemberReady"
)

// Reasons of waiting: somebody or something else comes first.
const (
	// WaitingForClusterInfrastructure means that the OpenStackCluster is not
	// ready yet; the user can look at its conditions.
	WaitingForClusterInfrastructure = "WaitingForClusterInfrastructure"

	// WaitingForBootstrapData means that the bootstrap provider has not produced
	// the machine's user data yet, as for workers before the first control-plane
	// machine is up; the user can look at the conditions of the Machine's
	// bootstrap config.
	WaitingForBootstrapData = "WaitingForBootstrapData"

	// WaitingForControlPlaneEndpoint means that the cluster has no endpoint and
	// is not to make one; the user can set spec.controlPlaneEndpoint, or wait for
	// the control-plane provider that sets it.
	WaitingForControlPlaneEndpoint = "WaitingForControlPlaneEndpoint"

	// WaitingForNetwork means that the network is not there yet; the user can
	// look at the condition NetworkReady.
	WaitingForNetwork = "WaitingForNetwork"

	// WaitingForRouter means that the router is not there yet; the user can look
	// at the condition RouterReady.
	WaitingForRouter = "WaitingForRouter"

	// WaitingForSecurityGroups means that the security groups are not there yet;
	// the user can look at the condition SecurityGroupsReady.
	WaitingForSecurityGroups = "WaitingForSecurityGroups"

	// WaitingForPorts means that the ports are not there yet; the user can look
	// at the condition PortsReady.
	WaitingForPorts = "WaitingForPorts"

	// WaitingForVolume means that the root volume is not there yet; the user can
	// look at the condition VolumeReady.
	WaitingForVolume = "WaitingForVolume"

	// WaitingForServer means that the server does not run yet; the user can look
	// at the condition ServerReady.
	WaitingForServer = "WaitingForServer"

	// WaitingForLoadBalancer means that the load balancer is not there yet; the
	// user can look at the condition APIEndpointReady of the OpenStackCluster.
	WaitingForLoadBalancer = "WaitingForLoadBalancer"

	// WaitingForMachines means that a cluster is being deleted and still has
	// machines; the user can look at the OpenStackMachines that the message names.
	WaitingForMachines = "WaitingForMachines"
)

// Reasons of progress.
const (
	// Available means that all is as asked for; nothing needs to be done.
	Available = "Available"

	// NotNeeded means that the spec does not ask for the resource, so that there
	// is nothing to wait for; nothing needs to be done.
	NotNeeded = "NotNeeded"

	// Creating means that OpenStack is making the resource; the user can wait,
	// and look at the ID in the message when it takes long.
	Creating = "Creating"

	// Updating means that a change is on its way to OpenStack; the user can wait.
	Updating = "Updating"

	// Busy means that OpenStack does not take a change at the moment, because
	// the resource is in use or changing. It is tried again in a few seconds; the
	// user can remove what the message says is in the way when it lasts.
	Busy = "Busy"
)

// Reasons of failure.
const (
	// OpenStackUnavailable means that a service of OpenStack did not answer, or
	// answered with an error of its own. It is tried again, more and more slowly;
	// the user can ask the cloud's operator when it lasts.
	OpenStackUnavailable = "OpenStackUnavailable"

	// Throttled means that the manager has not looked yet, because it sends a
	// project no more requests than its own limit. It goes on by itself; who runs
	// the manager can raise --openstack-qps.
	Throttled = "Throttled"

	// QuotaExceeded means that the project may not have more of the resource.
	// It is tried again every two minutes; the user can raise the quota or delete
	// what is not needed.
	QuotaExceeded = "QuotaExceeded"

	// NoCapacity means that the cloud has no room: no host for the flavor in this
	// zone, or no free address. It is tried again every two minutes; the user can
	// choose another flavor or failure domain, or have hosts or addresses added.
	NoCapacity = "NoCapacity"

	// ServerFault means that Nova could not make or run the server; the message
	// has Nova's words. The owner of the Machine may replace it; the user can
	// delete the Machine after curing the cause.
	ServerFault = "ServerFault"

	// ServerNotActive means that the server is there but does not run, for
	// example because somebody stopped it; the user can start it again.
	ServerNotActive = "ServerNotActive"

	// LoadBalancerFault means that Octavia could not make or change the load
	// balancer. One that never worked is deleted and made again; the user can
	// have the cloud's operator fail the other over, or delete it, and it is made
	// again with the same address.
	LoadBalancerFault = "LoadBalancerFault"

	// DeletedExternally means that the resource is gone although we did not
	// delete it. A network resource is made again; a server is not: the owner of
	// the Machine replaces it, and nothing needs to be done by hand.
	DeletedExternally = "DeletedExternally"

	// InvalidSpec means that OpenStack will not take what the spec asks for; the
	// user can correct the field that the message names.
	InvalidSpec = "InvalidSpec"

	// NotFound means that something that the spec names does not exist, or that
	// the credentials cannot see it; the user can correct the field that the
	// message names, or create the resource.
	NotFound = "NotFound"

	// Ambiguous means that several resources match what the spec names; the user
	// can give an ID or a narrower filter in the field that the message names.
	Ambiguous = "Ambiguous"

	// CredentialsMissing means that the Secret, its key clouds.yaml or the entry
	// of it that identityRef names is not there, or the OpenStackClusterIdentity;
	// the user can create it, and the controller goes on by itself.
	CredentialsMissing = "CredentialsMissing"

	// IdentityNotAllowed means that the OpenStackClusterIdentity is not for the
	// namespace of the object; whoever looks after the identities can widen its
	// namespaceSelector or label the namespace, and the controller goes on by itself.
	IdentityNotAllowed = "IdentityNotAllowed"

	// CredentialsRejected means that OpenStack does not accept the credentials;
	// the user can put valid ones into the Secret, and the controller goes on by
	// itself.
	CredentialsRejected = "CredentialsRejected"

	// PermissionDenied means that the credentials are valid but may not do what
	// is needed; the user can give the role that the message hints at to the
	// account.
	PermissionDenied = "PermissionDenied"

	// RefusedByOpenStack means that OpenStack refused a request for another
	// cause; the message has its words. It is looked at again when the spec or
	// the Secret changes, and every ten minutes; the user can correct what the
	// message names.
	RefusedByOpenStack = "RefusedByOpenStack"
)

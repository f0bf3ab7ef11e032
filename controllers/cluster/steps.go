package cluster

import (
	"time"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/step"
)

// clusterSteps is the life of a cluster: ensured from top to bottom, removed
// from bottom to top.
var clusterSteps = []step.Step[*pass]{
	{Condition: infrav1.NetworkReady, Ensure: ensureNetwork, Remove: removeNetwork},
	{Condition: infrav1.RouterReady, Ensure: ensureRouter, Remove: removeRouter},
	{Condition: infrav1.SecurityGroupsReady, Ensure: ensureSecurityGroups, Remove: removeSecurityGroups},
	{Condition: infrav1.APIEndpointReady, Ensure: ensureEndpoint, Remove: removeEndpoint},
	{Condition: infrav1.FailureDomainsReady, Ensure: ensureFailureDomains},
}

// When we look again at what OpenStack is doing.
const (
	balancerPoll  = 5 * time.Second  // a load balancer is being made, changed or deleted
	balancerRetry = time.Minute      // Octavia could not make one
	portPoll      = 15 * time.Second // somebody's ports are left on the network
	deletePoll    = time.Second      // deleted at once; the next look proves it
)

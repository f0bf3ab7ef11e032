package machine

import (
	"time"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/step"
)

// machineSteps is the life of a machine: ensured from top to bottom, removed
// from bottom to top.
var machineSteps = []step.Step[*pass]{
	{Condition: infrav1.PortsReady, Ensure: ensurePorts, Remove: removePorts},
	{Condition: infrav1.VolumeReady, Ensure: ensureVolume, Remove: removeVolume},
	{Condition: infrav1.ServerReady, Ensure: ensureServer, Remove: removeServer},
	{Condition: infrav1.APIMemberReady, Ensure: ensureMember, Remove: removeMember}, // control plane only
}

// When we look again at what OpenStack is doing.
const (
	serverPoll   = time.Minute     // a server is being built or deleted: we are woken, see await
	addressPoll  = 5 * time.Second // Nova learns of a floating IP
	volumePoll   = 5 * time.Second // a volume is being made
	deletePoll   = 5 * time.Second // something is being deleted
	balancerPoll = 3 * time.Second // a load balancer takes a change
	stoppedPoll  = time.Minute     // a server does not run
	retryBuild   = 2 * time.Minute // no host was free: try again after
)

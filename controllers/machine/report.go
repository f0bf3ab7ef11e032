package machine

import (
	"fmt"
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/internal/step"
)

// reportServer writes down what is known of the server.
func reportServer(p *pass) step.Result {
	s, status := p.server, &p.machine.Status
	status.InstanceID, status.InstanceState = s.ID, s.Status
	switch s.Status {
	case cloud.ServerActive:
		status.Addresses = addresses(s)
		status.FailureDomain = s.AvailabilityZone
		provisioned := true
		status.Initialization.Provisioned = &provisioned
		p.machine.Spec.ProviderID = providerID(p.machine, s.ID)
		return step.Done()
	case cloud.ServerBuild:
		return p.await(infrav1.Creating, fmt.Sprintf("server %s is being built", s.ID))
	case cloud.ServerUnknown:
		return step.Unsure(fmt.Sprintf("Nova cannot reach the cell of server %s", s.ID), stoppedPoll)
	case cloud.ServerError:
		return reportFault(s)
	}
	return step.Wait(infrav1.ServerNotActive, fmt.Sprintf("server %s is %s, not ACTIVE: start it, or delete the Machine", s.ID, s.Status), stoppedPoll)
}

func reportFault(s cloud.Server) step.Result {
	reason := infrav1.ServerFault
	if s.Fault.NoCapacity() {
		reason = infrav1.NoCapacity
	}
	why := cloud.Bounded(s.Fault.Message)
	if why == "" {
		why = "Nova gives no cause"
	}
	return step.Wait(reason, fmt.Sprintf("server %s is in ERROR: %s; delete the Machine to have it replaced", s.ID, why), stoppedPoll)
}

// addresses lists the server's addresses as the contract has them: IPv4
// first, then its name.
func addresses(s cloud.Server) clusterv1.MachineAddresses {
	sorted := slices.Clone(s.Addresses)
	slices.SortStableFunc(sorted, func(a, b cloud.Address) int {
		return a.IP.BitLen() - b.IP.BitLen()
	})
	var list clusterv1.MachineAddresses
	for _, address := range sorted {
		kind := clusterv1.MachineInternalIP
		if address.Floating {
			kind = clusterv1.MachineExternalIP
		}
		list = append(list, clusterv1.MachineAddress{Type: kind, Address: address.IP.String()})
	}
	return append(list, clusterv1.MachineAddress{Type: clusterv1.MachineInternalDNS, Address: s.Name})
}

// providerPrefix begins every provider ID of OpenStack. The region stands
// before the ID only where the machine names one: that is what the cloud
// controller manager puts on the Node.
const providerPrefix = "openstack://"

func providerID(machine *infrav1.OpenStackMachine, id string) string {
	region := ""
	if ref := machine.Spec.IdentityRef; ref != nil {
		region = ref.Region
	}
	return providerPrefix + region + "/" + id
}

// idFrom is the server's ID in a provider ID; empty if there is none.
func idFrom(providerID string) string {
	rest, found := strings.CutPrefix(providerID, providerPrefix)
	if !found {
		return ""
	}
	_, id, _ := strings.Cut(rest, "/")
	return id
}

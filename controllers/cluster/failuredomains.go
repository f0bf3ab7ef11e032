package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/internal/step"
)

// maxFailureDomains is what Cluster API takes.
const maxFailureDomains = 100

// ensureFailureDomains reports Nova's availability zones. One that is down stays
// in the report, so that nobody takes its machines for misplaced, but no new
// control-plane machine is to go there while there is another.
func ensureFailureDomains(ctx context.Context, p *pass) step.Result {
	zones, err := p.access.Catalog.AvailabilityZones(ctx)
	if err != nil {
		return step.Fail(fmt.Errorf("list availability zones: %w", err))
	}
	zones = slices.Clone(zones) // the catalog's are shared
	slices.SortFunc(zones, func(a, b cloud.AvailabilityZone) int { return cmp.Compare(a.Name, b.Name) })
	wanted := p.infra.Spec.ControlPlaneAvailabilityZones
	for i, zone := range wanted {
		if !slices.ContainsFunc(zones, func(z cloud.AvailabilityZone) bool { return z.Name == zone }) {
			return step.Fail(cloud.Problemf(cloud.Missing,
				"spec.controlPlaneAvailabilityZones[%d]: there is no availability zone %q; there are %s", i, zone, shortList(names(zones))))
		}
	}
	p.infra.Status.FailureDomains = failureDomains(zones[:min(len(zones), maxFailureDomains)], wanted, p.omitsZone())
	return step.Done()
}

// failureDomains offers zones to control-plane machines: those that are
// wanted, else all, unless Nova shall choose. When all of them are down they
// are offered all the same: Nova then says why it places no machine.
func failureDomains(zones []cloud.AvailabilityZone, wanted []string, omit bool) []clusterv1.FailureDomain {
	offered := func(z cloud.AvailabilityZone) bool {
		return slices.Contains(wanted, z.Name) || len(wanted) == 0 && !omit
	}
	anyUp := slices.ContainsFunc(zones, func(z cloud.AvailabilityZone) bool { return offered(z) && z.Available })
	var domains []clusterv1.FailureDomain
	for _, zone := range zones {
		controlPlane := offered(zone) && (zone.Available || !anyUp)
		domains = append(domains, clusterv1.FailureDomain{Name: zone.Name, ControlPlane: &controlPlane})
	}
	return domains
}

func names(zones []cloud.AvailabilityZone) []string {
	var names []string
	for _, zone := range zones {
		names = append(names, zone.Name)
	}
	return names
}

func (p *pass) omitsZone() bool {
	omit := p.infra.Spec.ControlPlaneOmitAvailabilityZone
	return omit != nil && *omit
}

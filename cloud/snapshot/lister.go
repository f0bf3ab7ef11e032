package snapshot

import (
	"context"
	"fmt"
	"slices"

	"github.com/capok/capok/cloud"
)

// lister makes the list request of each kind. The lists are clipped: several
// snapshots share them, and each may append what its owner made since.
type lister struct {
	session *cloud.Session
}

func (l lister) list(ctx context.Context, kind Kind, mark string) (part, error) {
	switch kind {
	case Servers:
		return l.servers(ctx, mark)
	case Volumes:
		return l.volumes(ctx, mark)
	case Balancers:
		return l.balancers(ctx, mark)
	default:
		return l.networking(ctx, kind, mark)
	}
}

func (l lister) servers(ctx context.Context, mark string) (part, error) {
	compute, err := l.session.Compute()
	if err != nil {
		return nil, err
	}
	found, err := compute.ServersTagged(ctx, mark)
	return func(s *Snapshot) { s.Servers = slices.Clip(found) }, err
}

func (l lister) volumes(ctx context.Context, mark string) (part, error) {
	storage, err := l.session.BlockStorage()
	if err != nil {
		return nil, err
	}
	found, err := storage.VolumesMarked(ctx, mark)
	return func(s *Snapshot) { s.Volumes = slices.Clip(found) }, err
}

func (l lister) balancers(ctx context.Context, mark string) (part, error) {
	balancing, err := l.session.LoadBalancing()
	if err != nil {
		return nil, err
	}
	found, err := balancing.Balancers(ctx, mark)
	return func(s *Snapshot) { s.Balancers = slices.Clip(found) }, err
}

// networking lists Neutron's kinds. They are asked for in the session's own
// project: with an administrator's credentials the mark alone would do, but a
// mark is a text that others may write too.
func (l lister) networking(ctx context.Context, kind Kind, mark string) (part, error) {
	neutron, err := l.session.Networking()
	if err != nil {
		return nil, err
	}
	project := l.session.ProjectID
	switch kind {
	case Ports:
		found, err := neutron.Ports(ctx, cloud.PortFilter{Mark: mark, ProjectID: project})
		return func(s *Snapshot) { s.Ports = slices.Clip(found) }, err
	case Networks:
		found, err := neutron.Networks(ctx, cloud.NetworkFilter{Mark: mark, ProjectID: project})
		return func(s *Snapshot) { s.Networks = slices.Clip(found) }, err
	case Subnets:
		found, err := neutron.Subnets(ctx, cloud.SubnetFilter{Mark: mark, ProjectID: project})
		return func(s *Snapshot) { s.Subnets = slices.Clip(found) }, err
	case Routers:
		found, err := neutron.Routers(ctx, cloud.RouterFilter{Mark: mark, ProjectID: project})
		return func(s *Snapshot) { s.Routers = slices.Clip(found) }, err
	case SecurityGroups:
		found, err := neutron.SecurityGroups(ctx, cloud.SecurityGroupFilter{Mark: mark, ProjectID: project})
		return func(s *Snapshot) { s.SecurityGroups = slices.Clip(found) }, err
	case FloatingIPs:
		found, err := neutron.FloatingIPs(ctx, cloud.FloatingIPFilter{Mark: mark, ProjectID: project})
		return func(s *Snapshot) { s.FloatingIPs = slices.Clip(found) }, err
	default:
		return nil, fmt.Errorf("no list for kind %q", kind)
	}
}

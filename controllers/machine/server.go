package machine

import (
	"context"
	"fmt"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// ensureServer makes the server once its ports and volume are there, and
// reports what becomes of it. A server that was up once is never made again:
// replacing a machine is its owner's decision.
func ensureServer(ctx context.Context, p *pass) step.Result {
	if p.seen == nil { // nothing can be there yet
		return step.WaitEvent(p.waits())
	}
	if err := dropSpareServers(ctx, p); err != nil {
		return step.Fail(err)
	}
	found, err := p.findServer(ctx)
	if err != nil {
		return step.Fail(err)
	}
	if found {
		if result, over := retryUnplaced(ctx, p); over {
			return result
		}
		return reportServer(p)
	}
	if p.machine.Spec.ProviderID != "" {
		p.machine.Status.InstanceState = cloud.ServerDeleted
		return step.WaitEvent(infrav1.DeletedExternally,
			fmt.Sprintf("server %s is gone although it was not deleted by us: delete the Machine, or let a MachineHealthCheck replace it", p.knownID()))
	}
	p.machine.Status.InstanceID = ""
	return createServer(ctx, p)
}

func createServer(ctx context.Context, p *pass) step.Result {
	if reason, message := p.waits(); reason != "" {
		return step.WaitEvent(reason, message)
	}
	if p.ports == nil {
		return step.WaitEvent(infrav1.WaitingForPorts, "the server needs its ports, see PortsReady")
	}
	if p.machine.Spec.RootVolume != nil && p.volumeID == "" {
		return step.WaitEvent(infrav1.WaitingForVolume, "the server needs its root volume, see VolumeReady")
	}
	want, err := desiredServer(ctx, p)
	if err != nil {
		return step.Fail(err)
	}
	compute, err := p.access.Session.Compute()
	if err != nil {
		return step.Fail(err)
	}
	p.wrote(snapshot.Servers)
	server, err := compute.CreateServer(ctx, want)
	if err != nil {
		return step.Fail(fmt.Errorf("create server %s: %w", want.Name, err))
	}
	p.server = server
	p.machine.Status.InstanceID, p.machine.Status.InstanceState = server.ID, server.Status
	p.journal.Notef("ServerCreated", "created server %s (%s)", want.Name, server.ID)
	return p.await(infrav1.Creating, fmt.Sprintf("server %s is being built", server.ID))
}

// findServer finds the machine's server: in the snapshot, or, since a list is
// no proof of absence, by every ID that we know of.
func (p *pass) findServer(ctx context.Context) (bool, error) {
	if server, found := p.seen.Server(p.tag, p.knownID()); found {
		p.server = server
		return true, nil
	}
	compute, err := p.access.Session.Compute()
	if err != nil {
		return false, err
	}
	for _, id := range p.witnesses() {
		server, err := compute.Server(ctx, id)
		switch cloud.KindOf(err) {
		case cloud.None:
			if p.isMine(server) && server.Status != cloud.ServerDeleted && server.Status != "SOFT_DELETED" {
				p.server = server
				return true, nil
			}
		case cloud.Gone:
		default:
			return false, fmt.Errorf("look for server %s: %w", id, err)
		}
	}
	return false, nil
}

// isMine tells a server of this machine from one that only uses a port of the
// same name. One that was written down is ours whatever its tags are.
func (p *pass) isMine(server cloud.Server) bool {
	return server.ID == p.knownID() || server.HasTag(p.tag)
}

// knownID is the ID of the server as far as it was written down.
func (p *pass) knownID() string {
	if id := idFrom(p.machine.Spec.ProviderID); id != "" {
		return id
	}
	return p.machine.Status.InstanceID
}

// witnesses are the IDs of servers that may exist although no list shows
// them: what was written down, and what our ports say is using them.
func (p *pass) witnesses() []string {
	ids := []string{p.knownID()}
	for i := range p.portOpts() {
		for _, port := range p.portsNamed(p.portName(i)) {
			ids = append(ids, port.DeviceID)
		}
	}
	ids = uniq(ids)
	if len(ids) > 0 && ids[0] == "" {
		ids = ids[1:]
	}
	return ids
}

// dropSpareServers deletes all but one of a machine's servers. Two can be
// there when the answer to a create call was lost and a list hid its effect.
func dropSpareServers(ctx context.Context, p *pass) error {
	keep, found := p.seen.Server(p.tag, p.knownID())
	if !found {
		return nil
	}
	for _, spare := range p.seen.ServersTagged(p.tag) {
		if spare.ID == keep.ID || spare.TaskState == "deleting" {
			continue
		}
		if err := deleteServer(ctx, p, spare); err != nil {
			return err
		}
		p.journal.Warnf("SpareServerDeleted", "deleted server %s: %s is the machine's", spare.ID, keep.ID)
	}
	return nil
}

// retryUnplaced deletes a server that never was on any host, so that it is
// tried again: nobody can have used it, and hosts come and go.
func retryUnplaced(ctx context.Context, p *pass) (step.Result, bool) {
	s := p.server
	if s.Status != cloud.ServerError || !s.Fault.NoCapacity() || p.machine.Spec.ProviderID != "" {
		return step.Result{}, false
	}
	message := fmt.Sprintf("Nova found no host for server %s: %s; it is tried again every two minutes: choose another flavor or failure domain, or add hosts",
		s.ID, cloud.Bounded(s.Fault.Message))
	p.machine.Status.InstanceID, p.machine.Status.InstanceState = s.ID, s.Status
	if age := p.clock.Since(s.Created); age < retryBuild {
		return step.Wait(infrav1.NoCapacity, message, retryBuild-age), true
	}
	if err := deleteServer(ctx, p, s); err != nil {
		return step.Fail(err), true
	}
	return step.Wait(infrav1.NoCapacity, message, deletePoll), true
}

// removeServer deletes every server that may be the machine's, and says Done
// only after Nova said of each known ID that it does not exist.
func removeServer(ctx context.Context, p *pass) step.Result {
	if !p.memberGone {
		return step.WaitEvent(infrav1.WaitingForLoadBalancer, "the server goes after its place behind the API endpoint")
	}
	for _, spare := range p.seen.ServersTagged(p.tag) {
		if spare.TaskState == "deleting" {
			continue
		}
		if err := deleteServer(ctx, p, spare); err != nil {
			return step.Fail(err)
		}
	}
	found, err := p.findServer(ctx)
	if err != nil {
		return step.Fail(err)
	}
	if !found {
		p.serverGone = true
		p.machine.Status.InstanceState = cloud.ServerDeleted
		return step.Done()
	}
	if p.server.Status == cloud.ServerUnknown {
		return step.Unsure(fmt.Sprintf("Nova cannot reach the cell of server %s", p.server.ID), stoppedPoll)
	}
	if p.server.TaskState != "deleting" && !p.server.HasTag(p.tag) { // known by ID only
		if err := deleteServer(ctx, p, p.server); err != nil {
			return step.Fail(err)
		}
	}
	return p.await(infrav1.Deleting, fmt.Sprintf("server %s is being deleted", p.server.ID))
}

func deleteServer(ctx context.Context, p *pass, server cloud.Server) error {
	compute, err := p.access.Session.Compute()
	if err != nil {
		return err
	}
	p.wrote(snapshot.Servers)
	p.wrote(snapshot.Ports) // Nova lets go of them
	p.wrote(snapshot.Volumes)
	if err := compute.DeleteServer(ctx, server.ID); err != nil {
		return fmt.Errorf("delete server %s: %w", server.ID, err)
	}
	p.journal.Notef("ServerDeleted", "deleted server %s (%s)", server.Name, server.ID)
	return nil
}

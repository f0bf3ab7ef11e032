package machine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// ensurePorts makes the ports of the machine, so that the server is created
// with all of its addresses, and keeps what may change on them.
func ensurePorts(ctx context.Context, p *pass) step.Result {
	if reason, message := p.waits(); reason != "" {
		return step.WaitEvent(reason, message)
	}
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	wishes := p.portOpts()
	ports := make([]cloud.Port, 0, len(wishes))
	for i := range wishes {
		port, err := ensurePort(ctx, p, neutron, i)
		if err != nil {
			return step.Fail(err)
		}
		ports = append(ports, port)
	}
	p.ports = ports
	return step.Done()
}

// portOpts is what the user asks for: one port in the cluster's network
// unless said otherwise.
func (p *pass) portOpts() []infrav1.PortOpts {
	if len(p.machine.Spec.Ports) == 0 {
		return []infrav1.PortOpts{{}}
	}
	return p.machine.Spec.Ports
}

func ensurePort(ctx context.Context, p *pass, neutron *cloud.Networking, index int) (cloud.Port, error) {
	opts := p.portOpts()[index]
	port, found, err := keepOnePort(ctx, p, neutron, p.portName(index))
	if err != nil {
		return port, err
	}
	if !found {
		port, err = createPort(ctx, p, neutron, index)
		if err != nil {
			return port, err
		}
	}
	if pairs := addressPairs(opts); found && !samePairs(port.AddressPairs, pairs) {
		if port, err = neutron.SetPortAddressPairs(ctx, port.ID, pairs); err != nil {
			return port, fmt.Errorf("change the address pairs of port %s: %w", port.ID, err)
		}
		p.wrote(snapshot.Ports)
		p.journal.Notef("PortUpdated", "changed the address pairs of port %s", port.ID)
	}
	return port, tagPort(ctx, p, neutron, port, opts)
}

func createPort(ctx context.Context, p *pass, neutron *cloud.Networking, index int) (cloud.Port, error) {
	want, err := desiredPort(ctx, p, index)
	if err != nil {
		return cloud.Port{}, err
	}
	p.wrote(snapshot.Ports)
	port, err := neutron.CreatePort(ctx, want)
	if err != nil {
		return port, fmt.Errorf("create port %s: %w", want.Name, err)
	}
	p.seen.Ports = append(p.seen.Ports, port)
	p.journal.Notef("PortCreated", "created port %s (%s)", want.Name, port.ID)
	return port, nil
}

// keepOnePort finds the port of a name. Two can be there after a create call
// whose answer was lost: the one in use is kept, else the one with the
// smallest ID, so that every pass chooses the same.
func keepOnePort(ctx context.Context, p *pass, neutron *cloud.Networking, name string) (cloud.Port, bool, error) {
	named := p.seen.PortsNamed(name)
	if len(named) == 0 {
		return cloud.Port{}, false, nil
	}
	slices.SortFunc(named, func(a, b cloud.Port) int {
		if (a.DeviceID == "") != (b.DeviceID == "") {
			return cmp.Compare(b.DeviceID, a.DeviceID) // the empty one last
		}
		return cmp.Compare(a.ID, b.ID)
	})
	for _, spare := range named[1:] {
		if spare.DeviceID != "" {
			continue
		}
		p.wrote(snapshot.Ports)
		if err := neutron.DeletePort(ctx, spare.ID); err != nil {
			return named[0], true, fmt.Errorf("delete spare port %s: %w", spare.ID, err)
		}
		p.journal.Warnf("SparePortDeleted", "deleted port %s: %s has its name", spare.ID, named[0].ID)
	}
	return named[0], true, nil
}

// tagPort adds the user's tags to a port, if there are any; others' stay.
func tagPort(ctx context.Context, p *pass, neutron *cloud.Networking, port cloud.Port, opts infrav1.PortOpts) error {
	want := uniq(p.infra.Spec.Tags, p.machine.Spec.Tags, opts.Tags, port.Tags)
	if slices.Equal(want, uniq(port.Tags)) {
		return nil
	}
	p.wrote(snapshot.Ports)
	if err := neutron.SetTags(ctx, cloud.Ports, port.ID, want); err != nil {
		return fmt.Errorf("tag port %s: %w", port.ID, err)
	}
	return nil
}

// removePorts deletes the ports once no server uses them.
func removePorts(ctx context.Context, p *pass) step.Result {
	if !p.serverGone {
		return step.WaitEvent(infrav1.WaitingForServer, "the ports go after the server")
	}
	neutron, err := p.access.Session.Networking()
	if err != nil {
		return step.Fail(err)
	}
	for i := range p.portOpts() {
		for _, port := range p.seen.PortsNamed(p.portName(i)) {
			p.wrote(snapshot.Ports)
			if err := neutron.DeletePort(ctx, port.ID); err != nil {
				return step.Fail(fmt.Errorf("delete port %s: %w", port.ID, err))
			}
			p.journal.Notef("PortDeleted", "deleted port %s (%s)", port.Name, port.ID)
		}
	}
	return step.Done()
}

func uniq(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

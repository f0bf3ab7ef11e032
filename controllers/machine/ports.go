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
	if _, made := p.managedGroup(); !made {
		return step.WaitEvent(infrav1.WaitingForSecurityGroups, fmt.Sprintf("OpenStackCluster %s reports no security group yet, see its condition SecurityGroupsReady", p.infra.Name))
	}
	if err := p.distinctPortNames(); err != nil {
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

// distinctPortNames refuses two ports of the machine that would have one name:
// they would be taken for one.
func (p *pass) distinctPortNames() error {
	first := map[string]int{}
	for i := range p.portOpts() {
		name := p.portName(i)
		if j, taken := first[name]; taken {
			return cloud.Problemf(cloud.Invalid, "spec.ports[%d].nameSuffix: spec.ports[%d] has the name %s too; make a new template with another suffix", i, j, name)
		}
		first[name] = i
	}
	return nil
}

// portsNamed finds the machine's ports of a name. One that another machine's
// server uses is that machine's: the names can be equal, as with suffix "b-0"
// of machine "a" and port 0 of machine "a-b".
func (p *pass) portsNamed(name string) []cloud.Port {
	return slices.DeleteFunc(p.seen.PortsNamed(name), func(port cloud.Port) bool {
		return slices.ContainsFunc(p.seen.Servers, func(s cloud.Server) bool {
			return s.ID == port.DeviceID && s.ID != p.knownID() && !s.HasTag(p.tag)
		})
	})
}

func ensurePort(ctx context.Context, p *pass, neutron *cloud.Networking, index int) (cloud.Port, error) {
	port, found, err := keepOnePort(ctx, p, neutron, p.portName(index))
	if err != nil {
		return port, err
	}
	if found {
		port, err = updatePort(ctx, p, neutron, port, p.portOpts()[index])
	} else {
		port, err = createPort(ctx, p, neutron, index)
	}
	if err != nil {
		return port, err
	}
	return port, tagPort(ctx, p, neutron, port, p.portOpts()[index])
}

// updatePort keeps what may change on a port: its address pairs, and that the
// managed group is on it, which the cluster may have got later. Groups that
// others put there stay.
func updatePort(ctx context.Context, p *pass, neutron *cloud.Networking, port cloud.Port, opts infrav1.PortOpts) (cloud.Port, error) {
	var change cloud.PortChange
	if pairs := addressPairs(opts); !samePairs(port.AddressPairs, pairs) {
		change.AddressPairs = &pairs
	}
	if len(opts.SecurityGroups) == 0 && (opts.EnablePortSecurity == nil || *opts.EnablePortSecurity) {
		managed, _ := p.managedGroup()
		if groups := uniq(port.SecurityGroups, managed); len(groups) > len(uniq(port.SecurityGroups)) {
			change.SecurityGroups = &groups
		}
	}
	if change == (cloud.PortChange{}) {
		return port, nil
	}
	p.wrote(snapshot.Ports)
	updated, err := neutron.UpdatePort(ctx, port.ID, change)
	if err != nil {
		return port, fmt.Errorf("change port %s: %w", port.ID, err)
	}
	p.journal.Notef("PortUpdated", "changed the address pairs or security groups of port %s", port.ID)
	return updated, nil
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
	named := p.portsNamed(name)
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
		for _, port := range p.portsNamed(p.portName(i)) {
			p.wrote(snapshot.Ports)
			p.wrote(snapshot.FloatingIPs) // Neutron takes them off the port
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

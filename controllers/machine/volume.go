package machine

import (
	"context"
	"fmt"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/naming"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// ensureVolume makes the root volume. Once a server was made from it, the
// volume belongs to the server, and Nova deletes it with it.
func ensureVolume(ctx context.Context, p *pass) step.Result {
	if p.machine.Spec.RootVolume == nil {
		return step.NotNeeded()
	}
	if reason, message := p.waits(); reason != "" {
		return step.WaitEvent(reason, message)
	}
	if _, made := p.seen.Server(p.tag, p.knownID()); made || p.machine.Spec.ProviderID != "" {
		return step.Done() // a server that was up once is never made again, nor is its volume
	}
	volume, found := p.seen.Volume(naming.RootVolume(p.machine.Name))
	if !found {
		return createVolume(ctx, p)
	}
	switch volume.Status {
	case cloud.VolumeAvailable:
		p.volumeID = volume.ID
		return step.Done()
	case cloud.VolumeError:
		return dropVolume(ctx, p, volume)
	}
	return step.Wait(infrav1.Creating, fmt.Sprintf("volume %s is %s", volume.ID, volume.Status), volumePoll)
}

func createVolume(ctx context.Context, p *pass) step.Result {
	want, err := desiredVolume(ctx, p)
	if err != nil {
		return step.Fail(err)
	}
	cinder, err := p.access.Session.BlockStorage()
	if err != nil {
		return step.Fail(err)
	}
	p.wrote(snapshot.Volumes)
	volume, err := cinder.CreateVolume(ctx, want)
	if err != nil {
		return step.Fail(fmt.Errorf("create volume %s: %w", want.Name, err))
	}
	p.journal.Notef("VolumeCreated", "created volume %s (%s)", want.Name, volume.ID)
	return step.Wait(infrav1.Creating, fmt.Sprintf("volume %s is being made", volume.ID), volumePoll)
}

// dropVolume deletes a volume that Cinder could not make, so that it is tried
// again: nothing was ever on it.
func dropVolume(ctx context.Context, p *pass, volume cloud.Volume) step.Result {
	if err := deleteVolume(ctx, p, volume); err != nil {
		return step.Fail(err)
	}
	return step.Wait(infrav1.Creating, fmt.Sprintf("Cinder could not make volume %s; it was deleted and is tried again", volume.ID), retryBuild)
}

func desiredVolume(ctx context.Context, p *pass) (cloud.VolumeSpec, error) {
	root := p.machine.Spec.RootVolume
	image, err := p.image(ctx)
	if err != nil {
		return cloud.VolumeSpec{}, err
	}
	want := cloud.VolumeSpec{
		Name: naming.RootVolume(p.machine.Name), Mark: p.mark,
		Size: int(root.SizeGiB), Type: root.Type, ImageID: image.ID,
	}
	if zone := root.AvailabilityZone; zone != nil {
		want.AvailabilityZone = zone.Name
		if zone.From == infrav1.VolumeAZFromMachine {
			want.AvailabilityZone = p.owners.machine.Spec.FailureDomain
		}
	}
	return want, nil
}

// removeVolume deletes a root volume that did not go with its server.
func removeVolume(ctx context.Context, p *pass) step.Result {
	if p.machine.Spec.RootVolume == nil {
		return step.Done()
	}
	if !p.serverGone {
		return step.WaitEvent(infrav1.WaitingForServer, "the root volume goes after the server")
	}
	name, left := naming.RootVolume(p.machine.Name), 0
	for _, volume := range p.seen.Volumes {
		if volume.Name != name {
			continue
		}
		left++
		switch volume.Status {
		case cloud.VolumeErrorDeleting:
			return step.Fail(cloud.Problemf(cloud.Refused, "Cinder could not delete volume %s: it is %s; an operator has to reset its state", volume.ID, volume.Status))
		case cloud.VolumeAvailable, cloud.VolumeError:
			if err := deleteVolume(ctx, p, volume); err != nil {
				return step.Fail(err)
			}
		}
	}
	if left > 0 {
		return step.Wait(infrav1.Deleting, fmt.Sprintf("volume %s is being deleted", name), deletePoll)
	}
	return step.Done()
}

func deleteVolume(ctx context.Context, p *pass, volume cloud.Volume) error {
	cinder, err := p.access.Session.BlockStorage()
	if err != nil {
		return err
	}
	p.wrote(snapshot.Volumes)
	if err := cinder.DeleteVolume(ctx, volume.ID); err != nil {
		return fmt.Errorf("delete volume %s: %w", volume.ID, err)
	}
	p.journal.Notef("VolumeDeleted", "deleted volume %s (%s)", volume.Name, volume.ID)
	return nil
}

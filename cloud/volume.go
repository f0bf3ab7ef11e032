package cloud

import (
	"context"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
)

// BlockStorage is Cinder, as much of it as Capok needs.
type BlockStorage struct {
	cinder *gophercloud.ServiceClient
}

// markKey is the metadata key that holds our mark on volumes.
const markKey = "capok-cluster"

// Statuses of a volume that we tell apart (api-ref "Volumes").
const (
	VolumeAvailable     = "available"
	VolumeError         = "error"
	VolumeErrorDeleting = "error_deleting"
)

// Volume is a Cinder volume.
type Volume struct {
	ID     string
	Name   string
	Mark   string // metadata capok-cluster
	Status string
}

// VolumeSpec is what a new volume should be.
type VolumeSpec struct {
	Name             string
	Mark             string
	Size             int // GiB
	Type             string
	AvailabilityZone string
	ImageID          string
}

// VolumesMarked lists the project's volumes that carry the mark.
func (b *BlockStorage) VolumesMarked(ctx context.Context, mark string) ([]Volume, error) {
	pages, err := volumes.List(b.cinder, volumes.ListOpts{Metadata: map[string]string{markKey: mark}}).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := volumes.ExtractVolumes(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, volumeFrom), nil
}

// CreateVolume makes a volume; it is available only later.
func (b *BlockStorage) CreateVolume(ctx context.Context, want VolumeSpec) (Volume, error) {
	created, err := volumes.Create(ctx, b.cinder, volumes.CreateOpts{
		Name: want.Name, Metadata: map[string]string{markKey: want.Mark}, Size: want.Size,
		VolumeType: want.Type, AvailabilityZone: want.AvailabilityZone, ImageID: want.ImageID,
	}, nil).Extract()
	if err != nil {
		return Volume{}, err
	}
	return volumeFrom(*created), nil
}

// DeleteVolume asks for the end of a volume; Refused while it is attached.
func (b *BlockStorage) DeleteVolume(ctx context.Context, id string) error {
	return IgnoreGone(volumes.Delete(ctx, b.cinder, id, volumes.DeleteOpts{}).ExtractErr())
}

func volumeFrom(v volumes.Volume) Volume {
	return Volume{ID: v.ID, Name: v.Name, Mark: v.Metadata[markKey], Status: v.Status}
}

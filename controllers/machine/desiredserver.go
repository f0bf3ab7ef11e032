package machine

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/catalog"
	"github.com/capok/capok/cloud/naming"
)

// desiredServer resolves the spec into what Nova is asked for.
func desiredServer(ctx context.Context, p *pass) (cloud.ServerSpec, error) {
	spec := p.machine.Spec
	flavor, err := p.flavor(ctx)
	if err != nil {
		return cloud.ServerSpec{}, err
	}
	image, err := p.image(ctx)
	if err != nil {
		return cloud.ServerSpec{}, err
	}
	group, err := p.serverGroup(ctx)
	if err != nil {
		return cloud.ServerSpec{}, err
	}
	userData, err := p.userData(ctx)
	if err != nil {
		return cloud.ServerSpec{}, err
	}
	want := cloud.ServerSpec{
		Name:     p.machine.Name,
		Tags:     append([]string{p.mark, p.tag}, uniq(p.infra.Spec.Tags, spec.Tags)...),
		FlavorID: flavor.ID, ImageID: image.ID, RootVolumeID: p.volumeID,
		UserData: userData, ConfigDrive: spec.ConfigDrive, KeyName: spec.SSHKeyName,
		AvailabilityZone: p.owners.machine.Spec.FailureDomain, ServerGroupID: group,
		Metadata: map[string]string{},
	}
	for _, port := range p.ports {
		want.PortIDs = append(want.PortIDs, port.ID)
	}
	for _, entry := range spec.ServerMetadata {
		want.Metadata[entry.Key] = entry.Value
	}
	return want, nil
}

func (p *pass) flavor(ctx context.Context) (cloud.Flavor, error) {
	want := catalog.Choice{ID: p.machine.Spec.Flavor.ID, Field: "spec.flavor"}
	if f := p.machine.Spec.Flavor.Filter; f != nil {
		want.Name = f.Name
	}
	return p.access.Catalog.Flavor(ctx, want)
}

func (p *pass) image(ctx context.Context) (cloud.Image, error) {
	want := cloud.ImageFilter{ID: p.machine.Spec.Image.ID}
	if f := p.machine.Spec.Image.Filter; f != nil {
		want.Name, want.Tags = f.Name, f.Tags
	}
	return p.access.Catalog.Image(ctx, want, "spec.image")
}

func (p *pass) serverGroup(ctx context.Context) (string, error) {
	group := p.machine.Spec.ServerGroup
	if group == nil {
		return "", nil
	}
	want := catalog.Choice{ID: group.ID, Field: "spec.serverGroup"}
	if group.Filter != nil {
		want.Name = group.Filter.Name
	}
	found, err := p.access.Catalog.ServerGroup(ctx, want)
	return found.ID, err
}

// userData is what the bootstrap provider made (contract: a Secret with the
// keys value and format), packed if Nova would not take it otherwise.
func (p *pass) userData(ctx context.Context) ([]byte, error) {
	name := *p.owners.machine.Spec.Bootstrap.DataSecretName
	secret := &corev1.Secret{}
	err := p.secrets.Get(ctx, client.ObjectKey{Namespace: p.machine.Namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		return nil, cloud.Problemf(cloud.Busy, "the bootstrap Secret %s is not there yet", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the bootstrap data in Secret %s: %w", name, err)
	}
	data, found := secret.Data["value"]
	if !found {
		return nil, cloud.Problemf(cloud.Invalid, "the bootstrap Secret %s has no key value", name)
	}
	if format := string(secret.Data["format"]); len(data) > cloud.MaxUserData && (format == "" || format == "cloud-config") {
		data = packed(data) // cloud-init unpacks it by itself
	}
	if len(data) > cloud.MaxUserData {
		return nil, cloud.Problemf(cloud.Invalid, "the bootstrap data in Secret %s has %d bytes, packed; Nova takes %d: move files out of the bootstrap config", name, len(data), cloud.MaxUserData)
	}
	return data, nil
}

func packed(data []byte) []byte {
	var buffer bytes.Buffer
	w, _ := gzip.NewWriterLevel(&buffer, gzip.BestCompression) // the level is valid
	_, _ = w.Write(data)                                       // a buffer takes everything
	_ = w.Close()
	return buffer.Bytes()
}

func (p *pass) portName(index int) string {
	return naming.Port(p.machine.Name, p.portOpts()[index].NameSuffix, index)
}

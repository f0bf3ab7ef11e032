// Package conversion translates between v1beta1 and v1beta2 of our kinds, and
// serves that to the API server as its webhook.
//
// It goes field by field and keeps nothing aside: v1beta1 has a place for all
// that v1beta2 holds, so that who reads an object in v1beta1 sees it as it is,
// whoever wrote it. Decision 0019 tells why. Read cluster.go first.
package conversion

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/capok/capok/api/infrastructure/v1beta1"
	"github.com/capok/capok/api/infrastructure/v1beta2"
)

// AddToScheme registers our kinds in both versions with a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	if err := v1beta2.AddToScheme(scheme); err != nil {
		return err
	}
	return v1beta1.AddToScheme(scheme)
}

// SetupWithManager makes the manager's webhook server answer the API server's
// questions for conversion, at /convert.
func SetupWithManager(mgr ctrl.Manager) error {
	for _, err := range []error{
		serve(mgr, &v1beta2.OpenStackCluster{}, &v1beta1.OpenStackCluster{}, clusterDown, clusterUp),
		serve(mgr, &v1beta2.OpenStackClusterTemplate{}, &v1beta1.OpenStackClusterTemplate{}, clusterTemplateDown, clusterTemplateUp),
		serve(mgr, &v1beta2.OpenStackMachine{}, &v1beta1.OpenStackMachine{}, machineDown, machineUp),
		serve(mgr, &v1beta2.OpenStackMachineTemplate{}, &v1beta1.OpenStackMachineTemplate{}, machineTemplateDown, machineTemplateUp),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// serve registers the two directions of one kind: down to v1beta1, up to v1beta2.
func serve[hub, spoke client.Object](mgr ctrl.Manager, newer hub, older spoke, down func(hub, spoke), up func(spoke, hub)) error {
	converter := conversion.NewHubSpokeConverter(newer, conversion.NewSpokeConverter(older, always(down), always(up)))
	if err := ctrl.NewWebhookManagedBy(mgr, newer).WithConverter(converter).Complete(); err != nil {
		return fmt.Errorf("serve the conversion of %T: %w", newer, err)
	}
	return nil
}

// always makes of a conversion that cannot fail what the library takes.
func always[from, to client.Object](convert func(from, to)) func(context.Context, from, to) error {
	return func(_ context.Context, source from, target to) error {
		convert(source, target)
		return nil
	}
}

// not is the opposite of an optional switch, whose absence stays absence.
func not(b *bool) *bool {
	if b == nil {
		return nil
	}
	return new(!*b)
}

// unlessEmpty is v, or nil when no field of it is set.
func unlessEmpty[T comparable](v T) *T {
	var empty T
	if v == empty {
		return nil
	}
	return &v
}

// orEmpty is what p points to, or an empty value.
func orEmpty[T any](p *T) T {
	if p == nil {
		var empty T
		return empty
	}
	return *p
}

// each converts a list; an absent one stays absent.
func each[from, to any](list []from, convert func(from) to) []to {
	if list == nil {
		return nil
	}
	converted := make([]to, 0, len(list))
	for _, element := range list {
		converted = append(converted, convert(element))
	}
	return converted
}

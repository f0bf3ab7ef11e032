package conversion

import (
	"github.com/capok/capok/api/infrastructure/v1beta1"
	"github.com/capok/capok/api/infrastructure/v1beta2"
)

func machineDown(newer *v1beta2.OpenStackMachine, older *v1beta1.OpenStackMachine) {
	older.ObjectMeta = newer.ObjectMeta
	older.Spec = machineSpecDown(newer.Spec)
	older.Status = machineStatusDown(newer.Status)
}

func machineUp(older *v1beta1.OpenStackMachine, newer *v1beta2.OpenStackMachine) {
	newer.ObjectMeta = older.ObjectMeta
	newer.Spec = machineSpecUp(older.Spec)
	newer.Status = machineStatusUp(older.Status)
}

func machineTemplateDown(newer *v1beta2.OpenStackMachineTemplate, older *v1beta1.OpenStackMachineTemplate) {
	older.ObjectMeta = newer.ObjectMeta
	older.Spec.Template.ObjectMeta = newer.Spec.Template.ObjectMeta
	older.Spec.Template.Spec = machineSpecDown(newer.Spec.Template.Spec)
}

func machineTemplateUp(older *v1beta1.OpenStackMachineTemplate, newer *v1beta2.OpenStackMachineTemplate) {
	newer.ObjectMeta = older.ObjectMeta
	newer.Spec.Template.ObjectMeta = older.Spec.Template.ObjectMeta
	newer.Spec.Template.Spec = machineSpecUp(older.Spec.Template.Spec)
}

func machineSpecDown(newer v1beta2.OpenStackMachineSpec) v1beta1.OpenStackMachineSpec {
	return v1beta1.OpenStackMachineSpec{
		ProviderID:     newer.ProviderID,
		IdentityRef:    newer.IdentityRef,
		Flavor:         orEmpty(newer.Flavor.Filter).Name,
		FlavorID:       newer.Flavor.ID,
		Image:          newer.Image,
		SSHKeyName:     newer.SSHKeyName,
		Ports:          each(newer.Ports, portDown),
		SecurityGroups: newer.SecurityGroups,
		RootVolume:     newer.RootVolume,
		ServerGroup:    newer.ServerGroup,
		ServerMetadata: newer.ServerMetadata,
		ConfigDrive:    newer.ConfigDrive,
		Tags:           newer.Tags,
	}
}

func machineSpecUp(older v1beta1.OpenStackMachineSpec) v1beta2.OpenStackMachineSpec {
	return v1beta2.OpenStackMachineSpec{
		ProviderID:  older.ProviderID,
		IdentityRef: older.IdentityRef,
		Flavor: v1beta2.FlavorParam{
			ID:     older.FlavorID,
			Filter: unlessEmpty(v1beta2.FlavorFilter{Name: older.Flavor}),
		},
		Image:          older.Image,
		SSHKeyName:     older.SSHKeyName,
		Ports:          each(older.Ports, portUp),
		SecurityGroups: older.SecurityGroups,
		RootVolume:     older.RootVolume,
		ServerGroup:    older.ServerGroup,
		ServerMetadata: older.ServerMetadata,
		ConfigDrive:    older.ConfigDrive,
		Tags:           older.Tags,
	}
}

// portDown writes port security under the older name, the one that readers of
// v1beta1 look for.
func portDown(newer v1beta2.PortOpts) v1beta1.PortOpts {
	older := v1beta1.PortOpts{PortOpts: newer, DisablePortSecurity: not(newer.EnablePortSecurity)}
	older.EnablePortSecurity = nil
	return older
}

func portUp(older v1beta1.PortOpts) v1beta2.PortOpts {
	newer := older.PortOpts
	if older.DisablePortSecurity != nil {
		newer.EnablePortSecurity = not(older.DisablePortSecurity)
	}
	return newer
}

func machineStatusDown(newer v1beta2.OpenStackMachineStatus) v1beta1.OpenStackMachineStatus {
	conditions, exact := conditionsDown(newer.Conditions)
	return v1beta1.OpenStackMachineStatus{
		Ready:          orEmpty(newer.Initialization.Provisioned),
		Conditions:     conditions,
		V1Beta2:        exact,
		Initialization: newer.Initialization,
		Addresses:      newer.Addresses,
		FailureDomain:  newer.FailureDomain,
		InstanceID:     newer.InstanceID,
		InstanceState:  newer.InstanceState,
	}
}

func machineStatusUp(older v1beta1.OpenStackMachineStatus) v1beta2.OpenStackMachineStatus {
	return v1beta2.OpenStackMachineStatus{
		Conditions:     conditionsUp(older.Conditions, older.V1Beta2),
		Initialization: initializationUp(older.Initialization, older.Ready),
		Addresses:      older.Addresses,
		FailureDomain:  older.FailureDomain,
		InstanceID:     older.InstanceID,
		InstanceState:  older.InstanceState,
	}
}

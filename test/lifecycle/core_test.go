package lifecycle

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// core is one pass of Cluster API over all objects of the story: what its
// contract with infrastructure providers says, and nothing else.
func (w *world) core() {
	w.Helper()
	cluster := &clusterv1.Cluster{}
	if !w.get(cluster, clusterName) {
		return
	}
	if cluster.Spec.Paused != nil && *cluster.Spec.Paused {
		return
	}
	machines := &clusterv1.MachineList{}
	w.list(machines)
	infra := &infrav1.OpenStackCluster{}
	if !w.get(infra, clusterName) {
		infra = nil
	}
	if infra != nil {
		w.mirrorCluster(cluster, infra)
	}
	up := w.controlPlaneUp(machines.Items)
	for i := range machines.Items {
		w.coreMachine(cluster, &machines.Items[i], up)
	}
	if !cluster.DeletionTimestamp.IsZero() {
		w.endCluster(cluster, infra, machines.Items)
	}
}

// mirrorCluster copies what the contract says to the Cluster.
func (w *world) mirrorCluster(cluster *clusterv1.Cluster, infra *infrav1.OpenStackCluster) {
	if cluster.Spec.ControlPlaneEndpoint.IsZero() && infra.Spec.ControlPlaneEndpoint.Host != "" {
		w.patch(cluster, func() {
			cluster.Spec.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: infra.Spec.ControlPlaneEndpoint.Host, Port: infra.Spec.ControlPlaneEndpoint.Port}
		})
	}
	if is(infra.Status.Initialization.Provisioned) && !is(cluster.Status.Initialization.InfrastructureProvisioned) {
		w.patchStatus(cluster, func() {
			cluster.Status.Initialization.InfrastructureProvisioned = infra.Status.Initialization.Provisioned
		})
	}
}

// endCluster deletes first the machines, then the OpenStackCluster.
func (w *world) endCluster(cluster *clusterv1.Cluster, infra *infrav1.OpenStackCluster, machines []clusterv1.Machine) {
	for i := range machines {
		if machines[i].DeletionTimestamp.IsZero() {
			w.remove(&machines[i])
		}
	}
	switch {
	case len(machines) > 0:
	case infra == nil:
		w.patch(cluster, func() { cluster.Finalizers = nil })
	case infra.DeletionTimestamp.IsZero():
		w.remove(infra)
	}
}

// controlPlaneUp tells whether there is a control plane that workers can join.
func (w *world) controlPlaneUp(machines []clusterv1.Machine) bool {
	for _, m := range machines {
		if strings.HasPrefix(m.Name, "cp") && is(m.Status.Initialization.InfrastructureProvisioned) {
			return true
		}
	}
	return false
}

func (w *world) coreMachine(cluster *clusterv1.Cluster, machine *clusterv1.Machine, controlPlaneUp bool) {
	infra := &infrav1.OpenStackMachine{}
	if !w.get(infra, machine.Name) {
		infra = nil
	}
	switch {
	case !machine.DeletionTimestamp.IsZero():
		w.endMachine(machine, infra)
	case !is(cluster.Status.Initialization.InfrastructureProvisioned):
	case machine.Spec.Bootstrap.DataSecretName == nil && (controlPlaneUp || strings.HasPrefix(machine.Name, "cp")):
		name := w.bootstrapName(machine.Name)
		if !w.get(&corev1.Secret{}, name) {
			w.make(&corev1.Secret{ObjectMeta: w.meta(name), Data: map[string][]byte{"value": []byte("#cloud-config\n")}})
		}
		w.patch(machine, func() { machine.Spec.Bootstrap.DataSecretName = &name })
	case infra != nil && is(infra.Status.Initialization.Provisioned) && !is(machine.Status.Initialization.InfrastructureProvisioned):
		w.patch(machine, func() { machine.Spec.ProviderID = infra.Spec.ProviderID })
		w.patchStatus(machine, func() {
			machine.Status.Initialization.InfrastructureProvisioned = infra.Status.Initialization.Provisioned
		})
	}
}

func (w *world) endMachine(machine *clusterv1.Machine, infra *infrav1.OpenStackMachine) {
	switch {
	case infra == nil:
		w.remove(&corev1.Secret{ObjectMeta: w.meta(w.bootstrapName(machine.Name))})
		w.patch(machine, func() { machine.Finalizers = nil })
	case infra.DeletionTimestamp.IsZero():
		w.remove(infra)
	}
}

func (w *world) patch(object client.Object, change func()) {
	before := client.MergeFrom(object.DeepCopyObject().(client.Object))
	change()
	w.must(w.api.user.Patch(w.Context(), object, before))
	w.wakeAll()
}

func (w *world) patchStatus(object client.Object, change func()) {
	before := client.MergeFrom(object.DeepCopyObject().(client.Object))
	change()
	w.must(w.api.user.Status().Patch(w.Context(), object, before))
	w.wakeAll()
}

func is(b *bool) bool { return b != nil && *b }

package lifecycle

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// moveAway does what clusterctl move does with a paused cluster: all objects
// are made again elsewhere, owners first, with their labels, annotations and
// finalizers, but without status; then the old ones are let go and deleted
// (createTargetObject and deleteSourceObject in
// cmd/clusterctl/client/cluster/mover.go of Cluster API).
func (w *world) moveAway() {
	w.Helper()
	secrets, machines, infras := &corev1.SecretList{}, &clusterv1.MachineList{}, &infrav1.OpenStackMachineList{}
	cluster, infra := &clusterv1.Cluster{}, w.infra()
	w.get(cluster, clusterName)
	w.list(secrets)
	w.list(machines)
	w.list(infras)
	var old []client.Object
	w.namespace = w.newNamespace()
	carry := func(object, copied client.Object, ownerKind string, owner client.Object) {
		old = append(old, object)
		copied.SetNamespace(w.namespace)
		copied.SetResourceVersion("")
		copied.SetUID("")
		copied.SetOwnerReferences(nil)
		if owner != nil {
			copied.SetOwnerReferences(ownedBy(ownerKind, owner))
		}
		w.make(copied)
	}
	for i := range secrets.Items {
		carry(&secrets.Items[i], secrets.Items[i].DeepCopy(), "", nil)
	}
	newCluster, newInfra := cluster.DeepCopy(), infra.DeepCopy()
	newCluster.Status, newInfra.Status = clusterv1.ClusterStatus{}, infrav1.OpenStackClusterStatus{}
	carry(cluster, newCluster, "", nil)
	carry(infra, newInfra, "Cluster", newCluster)
	for i := range machines.Items {
		machine := machines.Items[i].DeepCopy()
		machine.Status = clusterv1.MachineStatus{}
		carry(&machines.Items[i], machine, "", nil)
		for j := range infras.Items {
			if infras.Items[j].Name == machine.Name {
				moved := infras.Items[j].DeepCopy()
				moved.Status = infrav1.OpenStackMachineStatus{}
				carry(&infras.Items[j], moved, "Machine", machine)
			}
		}
	}
	for _, object := range old {
		w.patch(object, func() { object.SetFinalizers(nil) })
		w.remove(object)
	}
}

func (w *world) newNamespace() string {
	w.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "story-"}}
	w.must(w.api.user.Create(w.Context(), namespace))
	w.namespaces = append(w.namespaces, namespace.Name)
	return namespace.Name
}

package lifecycle

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// clusterName is the name of the one cluster of a story, and of its
// OpenStackCluster; secretName that of its credentials.
const (
	clusterName = "c"
	secretName  = "c-cloud-config"
	cloudName   = "openstack"
)

// must ends the story on an error of the story's own.
func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) make(object client.Object) {
	w.Helper()
	w.must(w.api.user.Create(w.Context(), object))
	w.wakeAll()
}

// get reads an object; false: it is gone.
func (w *world) get(object client.Object, name string) bool {
	w.Helper()
	err := w.api.user.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, object)
	if !apierrors.IsNotFound(err) {
		w.must(err)
	}
	return err == nil
}

// edit changes an object that is there.
func edit[T client.Object](w *world, object T, name string, change func(T)) {
	w.Helper()
	if !w.get(object, name) {
		w.Fatalf("there is no %T %s", object, name)
	}
	before := client.MergeFrom(object.DeepCopyObject().(client.Object))
	change(object)
	w.must(w.api.user.Patch(w.Context(), object, before))
	w.wakeAll()
}

func (w *world) list(list client.ObjectList) {
	w.Helper()
	w.must(w.api.user.List(w.Context(), list, client.InNamespace(w.namespace)))
}

// remove deletes objects, whether they are there or not.
func (w *world) remove(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		w.must(client.IgnoreNotFound(w.api.user.Delete(w.Context(), object)))
	}
	w.wakeAll()
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.namespace, Name: name, Labels: map[string]string{clusterv1.ClusterNameLabel: clusterName}}
}

func ownedBy(kind string, owner client.Object) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: kind, Name: owner.GetName(), UID: owner.GetUID()}}
}

// makeCluster applies a Cluster with its OpenStackCluster and credentials, as
// the template has them, and takes them over as Cluster API does.
func (w *world) makeCluster() {
	w.Helper()
	w.makeSecret(secretName, w.cloud.CloudsYAML(cloudName))
	cluster := &clusterv1.Cluster{ObjectMeta: w.meta(clusterName)}
	cluster.Finalizers = []string{clusterv1.ClusterFinalizer}
	cluster.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{
		APIGroup: infrav1.GroupVersion.Group, Kind: "OpenStackCluster", Name: clusterName,
	}
	w.make(cluster)
	infra := &infrav1.OpenStackCluster{ObjectMeta: w.meta(clusterName)}
	infra.OwnerReferences = ownedBy("Cluster", cluster)
	infra.Spec = infrav1.OpenStackClusterSpec{
		IdentityRef:           infrav1.IdentityRef{Name: secretName, CloudName: cloudName},
		ManagedSubnets:        []infrav1.SubnetSpec{{CIDR: "10.6.0.0/24", DNSNameservers: []string{"10.0.0.53"}}},
		ManagedSecurityGroups: &infrav1.ManagedSecurityGroups{AllowAllInClusterTraffic: new(true)},
	}
	if !w.floating {
		infra.Spec.APIServer = &infrav1.APIServer{ManagedLoadBalancer: &infrav1.APIServerLoadBalancer{}}
	}
	w.make(infra)
}

func (w *world) makeSecret(name string, cloudsYAML []byte) {
	w.Helper()
	w.make(&corev1.Secret{ObjectMeta: w.meta(name), Data: map[string][]byte{infrav1.CloudsYAMLKey: cloudsYAML}})
}

// makeMachines makes Machines with their OpenStackMachines, as control plane
// (names that begin with "cp") or MachineSet do.
func (w *world) makeMachines(names ...string) {
	w.Helper()
	for _, name := range names {
		machine := &clusterv1.Machine{ObjectMeta: w.meta(name)}
		machine.Finalizers = []string{clusterv1.MachineFinalizer}
		if name[:2] == "cp" {
			machine.Labels[clusterv1.MachineControlPlaneLabel] = ""
		}
		machine.Spec.ClusterName = clusterName
		machine.Spec.Bootstrap.ConfigRef = clusterv1.ContractVersionedObjectReference{APIGroup: "bootstrap.cluster.x-k8s.io", Kind: "KubeadmConfig", Name: name}
		machine.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: infrav1.GroupVersion.Group, Kind: "OpenStackMachine", Name: name}
		w.make(machine)
		infra := &infrav1.OpenStackMachine{ObjectMeta: w.meta(name)}
		infra.Labels = machine.Labels
		infra.OwnerReferences = ownedBy("Machine", machine)
		infra.Spec = infrav1.OpenStackMachineSpec{
			Flavor: infrav1.FlavorParam{Filter: &infrav1.FlavorFilter{Name: "m1.small"}},
			Image:  infrav1.ImageParam{Filter: &infrav1.ImageFilter{Name: "node"}},
		}
		w.make(infra)
	}
}

func (w *world) deleteMachines(names ...string) {
	w.Helper()
	for _, name := range names {
		w.remove(&clusterv1.Machine{ObjectMeta: w.meta(name)})
	}
}

func (w *world) deleteCluster() {
	w.Helper()
	w.remove(&clusterv1.Cluster{ObjectMeta: w.meta(clusterName)})
}

func (w *world) bootstrapName(machine string) string { return fmt.Sprintf("%s-bootstrap", machine) }

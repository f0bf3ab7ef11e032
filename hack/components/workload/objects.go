package main

import (
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	etcd "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/cloud/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const controlPlaneRole = "node-role.kubernetes.io/control-plane"

// newNode is what kubelet registers.
func newNode(n Node) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: map[string]string{}},
		Spec:       corev1.NodeSpec{ProviderID: n.ProviderID},
		Status: corev1.NodeStatus{
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: n.Version},
			Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"},
				{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse},
				{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse},
				{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse},
			},
		},
	}
	if n.ControlPlane {
		node.Labels[controlPlaneRole] = ""
		node.Spec.Taints = []corev1.Taint{{Key: controlPlaneRole, Effect: corev1.TaintEffectNoSchedule}}
	}
	return node
}

// kubeadmObjects is what the control plane provider looks at: the static pods of
// a node, and what the first kubeadm put into the cluster.
func kubeadmObjects(n Node) []client.Object {
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceDefault}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem}},
		&corev1.ConfigMap{ObjectMeta: inSystem("kubeadm-config"), Data: map[string]string{"ClusterConfiguration": ""}},
		&appsv1.DaemonSet{ObjectMeta: inSystem("kube-proxy"), Spec: appsv1.DaemonSetSpec{Template: template("kube-proxy", n.Version)}},
		&corev1.ConfigMap{ObjectMeta: inSystem("coredns"), Data: map[string]string{"Corefile": ". {\n}\n"}},
		&appsv1.Deployment{ObjectMeta: inSystem("coredns"), Spec: appsv1.DeploymentSpec{Template: template("coredns", "v1.14.0")}},
		staticPod("kube-apiserver", n),
		staticPod("kube-controller-manager", n),
		staticPod("kube-scheduler", n),
	}
}

// etcdPod is a static pod whose annotations tell the server of its etcd: the
// first member leads.
func etcdPod(n Node, member int) *corev1.Pod {
	pod := staticPod("etcd", n)
	pod.Annotations = map[string]string{
		etcd.EtcdClusterIDAnnotationName: "1",
		etcd.EtcdMemberIDAnnotationName:  strconv.Itoa(member),
	}
	if member == 1 {
		pod.Annotations[etcd.EtcdLeaderFromAnnotationName] = time.Now().Format(time.RFC3339)
	}
	return pod
}

func staticPod(component string, n Node) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: inSystem(podName(component, n)),
		Spec:       corev1.PodSpec{NodeName: n.Name},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	pod.Labels = map[string]string{"component": component, "tier": "control-plane"}
	return pod
}

func podName(component string, n Node) string { return component + "-" + n.Name }

func inSystem(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: name}
}

func template(name, version string) corev1.PodTemplateSpec {
	image := "workload.invalid/" + name + ":" + version // nobody pulls it
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: image}}}}
}

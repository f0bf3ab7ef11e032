package main

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	inmemory "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/runtime"
	"sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/server"
	"sigs.k8s.io/cluster-api/util/certs"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Node is a server that came up, and what cloud-init gave it.
type Node struct {
	Cluster      string
	Host         string // of the cluster's endpoint, where its API is served
	Port         int32
	Name         string
	ProviderID   string
	Version      string // of Kubernetes
	ControlPlane bool
	CA, EtcdCA   Pair // of a control-plane node
}

// Pair is a certificate and its key in PEM.
type Pair struct{ Cert, Key []byte }

func (p Pair) parse() (*x509.Certificate, *rsa.PrivateKey, error) {
	cert, err := certs.DecodeCertPEM(p.Cert)
	if err != nil {
		return nil, nil, err
	}
	key, err := certs.DecodePrivateKeyPEM(p.Key)
	if err != nil {
		return nil, nil, err
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, nil, fmt.Errorf("the CA's key is a %T, not RSA", key)
	}
	return cert, private, nil
}

// clusters are all clusters by name.
type clusters struct {
	memory inmemory.Manager

	mu    sync.Mutex
	known map[string]*cluster
}

// cluster is one Kubernetes API. It has a mux of its own, since the certificate
// of a mux is for one host, and these clusters have one address each.
type cluster struct {
	mu      sync.Mutex // held while a node joins
	name    string
	objects inmemory.Client
	mux     *server.WorkloadClustersMux
	members int // of etcd
}

func newClusters(ctx context.Context) (*clusters, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, rbacv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	memory := inmemory.NewManager(scheme)
	return &clusters{memory: memory, known: map[string]*cluster{}}, memory.Start(ctx)
}

// join does what cloud-init, kubeadm and kubelet do on a new server.
func (all *clusters) join(ctx context.Context, n Node) error {
	c, err := all.of(n)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.ControlPlane {
		if err := c.serve(ctx, n); err != nil {
			return fmt.Errorf("serve the API of %s: %w", n.Cluster, err)
		}
	}
	return c.create(ctx, newNode(n))
}

// of finds a cluster, and makes it for its first node.
func (all *clusters) of(n Node) (*cluster, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if c, found := all.known[n.Cluster]; found {
		return c, nil
	}
	mux, err := server.NewWorkloadClustersMux(all.memory, n.Host, server.CustomPorts{MinPort: n.Port, MaxPort: n.Port})
	if err != nil {
		return nil, err
	}
	if _, err := mux.InitWorkloadClusterListener(n.Cluster, n.Port); err != nil {
		return nil, err
	}
	all.memory.AddResourceGroup(n.Cluster)
	if err := mux.RegisterResourceGroup(n.Cluster, n.Cluster); err != nil {
		return nil, err
	}
	c := &cluster{name: n.Cluster, mux: mux, objects: all.memory.GetResourceGroup(n.Cluster).GetClient()}
	all.known[n.Cluster] = c
	return c, nil
}

// serve adds a member of etcd and an API server; with the first one the API
// begins to answer.
func (c *cluster) serve(ctx context.Context, n Node) error {
	cert, key, err := n.EtcdCA.parse()
	if err != nil {
		return err
	}
	pod := etcdPod(n, c.members+1)
	if err := c.mux.AddEtcdMember(c.name, pod.Name, cert, key); err != nil {
		return err
	}
	if err := c.create(ctx, append(kubeadmObjects(n), pod)...); err != nil {
		return err
	}
	c.members++
	if cert, key, err = n.CA.parse(); err != nil {
		return err
	}
	return c.mux.AddAPIServer(c.name, podName("kube-apiserver", n), cert, key)
}

func (c *cluster) create(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if err := c.objects.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %T %s: %w", object, object.GetName(), err)
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/capok/capok/test/lab/place"
)

// provider is one of Cluster API's managers. Its webhooks are at the port, its
// metrics and probes at the next two.
type provider struct {
	program, config string
	port            int
}

var upstream = []provider{
	{"capi-core-manager", "core/config/default", 10000},
	{"capi-kubeadm-bootstrap-manager", "bootstrap/kubeadm/config/default", 10010},
	{"capi-kubeadm-control-plane-manager", "controlplane/kubeadm/config/default", 10020},
}

const ourPort = 10030

// management is a management cluster: an API server and the managers.
type management struct {
	config *rest.Config
	*envtest.Environment
}

// startManagement starts all of it and returns when it is ready.
func startManagement(ctx context.Context, p *programs, run *processes) (*management, error) {
	m := &management{Environment: &envtest.Environment{
		BinaryAssetsDirectory:    p.assets,
		ControlPlaneStartTimeout: 3 * time.Minute,
		ErrorIfCRDPathMissing:    true,
		CRDDirectoryPaths:        []string{place.Repo("config", "crd", "bases")},
	}}
	// The disk of the machine is not what is measured.
	m.ControlPlane.Etcd = &envtest.Etcd{}
	m.ControlPlane.Etcd.Configure().Enable("unsafe-no-fsync")
	// It would look at the default route for its address: there is none here, and the
	// loopback is no choice for it.
	m.ControlPlane.GetAPIServer().Configure().Set("advertise-address", firstExternal)
	if err := m.startAPI(); err != nil {
		return nil, err
	}
	m.config.QPS = -1
	kubeconfig := filepath.Join(run.logs, "kubeconfig")
	if err := os.WriteFile(kubeconfig, m.KubeConfig, 0o600); err != nil {
		return m, err
	}
	run.env = []string{"KUBECONFIG=" + kubeconfig, "POD_NAMESPACE=default"}
	return m, m.startManagers(ctx, p, run)
}

// startAPI starts etcd and kube-apiserver. They take more memory for less work of
// the garbage collector, which would be a third of what the API server does here.
func (m *management) startAPI() (err error) {
	before := os.Getenv("GOGC")
	defer func() { _ = os.Setenv("GOGC", before) }()
	if err := os.Setenv("GOGC", "200"); err != nil {
		return err
	}
	if m.config, err = m.Start(); err != nil {
		return fmt.Errorf("start kube-apiserver and etcd: %w", err)
	}
	return nil
}

func (m *management) startManagers(ctx context.Context, p *programs, run *processes) error {
	for _, one := range upstream {
		certs, err := m.install(ctx, p, one)
		if err != nil {
			return fmt.Errorf("install %s: %w", one.program, err)
		}
		err = run.start(ctx, one.program, p.path[one.program], "--webhook-port="+strconv.Itoa(one.port), "--webhook-cert-dir="+certs,
			"--insecure-diagnostics", "--diagnostics-address="+local(one.port+1), "--health-addr="+local(one.port+2))
		if err != nil {
			return err
		}
	}
	err := run.start(ctx, ourManager, p.path[ourManager], "--diagnostics-address="+local(ourPort+1), "--health-addr="+local(ourPort+2), "--webhook-port=0")
	if err != nil {
		return err
	}
	for _, port := range []int{upstream[0].port, upstream[1].port, upstream[2].port, ourPort} {
		if err := ready(ctx, "http://"+local(port+2)+"/readyz"); err != nil {
			return err
		}
	}
	return nil
}

func local(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// install installs a provider's CRDs and webhooks as its release has them, and
// returns the folder with the webhooks' certificate.
func (m *management) install(ctx context.Context, p *programs, one provider) (string, error) {
	manifest, err := output(ctx, filepath.Join(p.assets, "kubectl"), "kustomize", filepath.Join(p.source, one.config))
	if err != nil {
		return "", err
	}
	crds := envtest.CRDInstallOptions{}
	hooks := envtest.WebhookInstallOptions{LocalServingHost: "127.0.0.1", LocalServingPort: one.port}
	objects, err := decode([]byte(manifest))
	if err != nil {
		return "", err
	}
	for _, object := range objects {
		switch object.GetKind() {
		case "CustomResourceDefinition":
			crd := as[apiextensionsv1.CustomResourceDefinition](object)
			crd.Spec.Conversion = nil // nobody here asks for another version than the stored one
			crds.CRDs = append(crds.CRDs, crd)
		case "MutatingWebhookConfiguration":
			hooks.MutatingWebhooks = append(hooks.MutatingWebhooks, as[admissionv1.MutatingWebhookConfiguration](object))
		case "ValidatingWebhookConfiguration":
			hooks.ValidatingWebhooks = append(hooks.ValidatingWebhooks, as[admissionv1.ValidatingWebhookConfiguration](object))
		}
	}
	if _, err := envtest.InstallCRDs(m.config, crds); err != nil {
		return "", err
	}
	err = hooks.Install(m.config)
	return hooks.LocalServingCertDir, err
}

// as gives an object its type; what does not fit is left out.
func as[T any](object *unstructured.Unstructured) *T {
	typed := new(T)
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed)
	return typed
}

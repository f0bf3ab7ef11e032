package manifests

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/capok/capok/internal/conversion"
	"github.com/capok/capok/internal/setup"
)

const issuers = "cert-manager.io" // its kinds are not in this API server

// serveConversion starts a manager that does nothing but convert, and returns where
// it does that. It ends with the tests.
func serveConversion(ctx context.Context) (*apiextensionsv1.WebhookClientConfig, error) {
	local := envtest.WebhookInstallOptions{}
	if err := local.PrepWithoutInstalling(); err != nil {
		return nil, err
	}
	scheme, err := setup.Scheme()
	if err != nil {
		return nil, err
	}
	server := webhook.NewServer(webhook.Options{Host: local.LocalServingHost, Port: local.LocalServingPort, CertDir: local.LocalServingCertDir})
	mgr, err := ctrl.NewManager(admin, ctrl.Options{
		Scheme: scheme, WebhookServer: server, HealthProbeBindAddress: "0", Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	if err := conversion.SetupWithManager(mgr); err != nil {
		return nil, err
	}
	go func() { _ = mgr.Start(ctx) }() // what it fails at, the tests see
	url := "https://" + net.JoinHostPort(local.LocalServingHost, strconv.Itoa(local.LocalServingPort)) + "/convert"
	return &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: local.LocalServingCAData}, nil
}

// convertAt tells the CRD where its objects are converted, as the Service and
// cert-manager do in a cluster. One with a single version needs no conversion.
func convertAt(crd *unstructured.Unstructured, config *apiextensionsv1.WebhookClientConfig) error {
	if _, found, _ := unstructured.NestedMap(crd.Object, "spec", "conversion"); !found {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(config)
	if err != nil {
		return err
	}
	return unstructured.SetNestedField(crd.Object, content, "spec", "conversion", "webhook", "clientConfig")
}

// TestWebhookIsReachable follows the way of the API server's question: from the CRD by
// the Service to the port of the manager.
func TestWebhookIsReachable(t *testing.T) {
	service := components[corev1.Service](t, "Service")[0]
	certificate := components[unstructured.Unstructured](t, "Certificate")[0]
	for _, crd := range components[apiextensionsv1.CustomResourceDefinition](t, "CustomResourceDefinition") {
		if len(crd.Spec.Versions) == 1 {
			continue
		}
		asked := crd.Spec.Conversion.Webhook.ClientConfig.Service
		if asked.Namespace != service.Namespace || asked.Name != service.Name || asked.Port != nil || service.Spec.Ports[0].Port != 443 {
			t.Errorf("%s asks %v, the Service is %s/%s", crd.Name, asked, service.Namespace, service.Name)
		}
		if got, want := crd.Annotations["cert-manager.io/inject-ca-from"], certificate.GetNamespace()+"/"+certificate.GetName(); got != want {
			t.Errorf("%s trusts the certificate %q, want %q", crd.Name, got, want)
		}
	}

	pod := components[appsv1.Deployment](t, "Deployment")[0].Spec.Template
	if !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(pod.Labels)) {
		t.Errorf("the Service selects %v, the Pod has %v", service.Spec.Selector, pod.Labels)
	}
	target := service.Spec.Ports[0].TargetPort.StrVal
	if !slices.ContainsFunc(pod.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool { return p.Name == target && p.ContainerPort == 9443 }) {
		t.Errorf("the Pod has no port %q at 9443, where the webhook listens by default", target)
	}
}

// TestWebhookIsCertified follows the certificate from its issuer to the Pod.
func TestWebhookIsCertified(t *testing.T) {
	service := components[corev1.Service](t, "Service")[0]
	certificate := components[unstructured.Unstructured](t, "Certificate")[0]
	issuer := components[unstructured.Unstructured](t, "Issuer")[0]
	pod := components[appsv1.Deployment](t, "Deployment")[0].Spec.Template
	secret, _, _ := unstructured.NestedString(certificate.Object, "spec", "secretName")
	if got := pod.Spec.Volumes[0].Secret.SecretName; got != secret {
		t.Errorf("the Pod mounts Secret %q, the certificate is in %q", got, secret)
	}
	if by, _, _ := unstructured.NestedString(certificate.Object, "spec", "issuerRef", "name"); by != issuer.GetName() {
		t.Errorf("the certificate is made by %q, the Issuer is %q", by, issuer.GetName())
	}
	names, _, _ := unstructured.NestedStringSlice(certificate.Object, "spec", "dnsNames")
	if want := fmt.Sprintf("%s.%s.svc", service.Name, service.Namespace); !slices.Contains(names, want) {
		t.Errorf("the certificate is for %v, the API server asks for %s", names, want)
	}
}

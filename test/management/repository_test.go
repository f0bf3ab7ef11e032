package management

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestReleaseNamesImagesThatAreImported(t *testing.T) {
	got := release(`spec:
  containers:
  - args: [--leader-elect]
    image: example.org/staging/cluster-api-controller:main
    imagePullPolicy: Always
description: |
  image: is the name of the image
`, "cluster-api-controller")
	for _, want := range []string{
		"    image: capok.local/cluster-api-controller:v1.14.2\n",
		"    imagePullPolicy: IfNotPresent\n",
		"  image: is the name of the image\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestConfigurationNamesEveryProvider(t *testing.T) {
	var config struct {
		Providers   []struct{ Name, Type, URL string }
		CertManager struct{ Version, URL string } `json:"cert-manager"`
	}
	text := repository{"/state/repository"}.configuration()
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var urls []string
	for _, one := range config.Providers {
		urls = append(urls, one.URL)
	}
	for _, want := range []string{
		"/state/repository/cluster-api/v1.14.2/core-components.yaml",
		"/state/repository/control-plane-kubeadm/v1.14.2/control-plane-components.yaml",
		"/state/repository/infrastructure-openstack/v0.1.0/infrastructure-components.yaml",
	} {
		if !strings.Contains(strings.Join(urls, "\n"), want) {
			t.Errorf("%s is missing in %q", want, urls)
		}
	}
	if config.CertManager.URL != "/state/repository/cert-manager/v1.21.2/cert-manager.yaml" {
		t.Errorf("cert-manager comes from %q", config.CertManager.URL)
	}
}

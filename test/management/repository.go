package management

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
)

// registry begins the names of the images that we make. Nothing is pulled
// from it: they are imported, and the manifests ask for no more.
const registry = "capok.local"

// ProviderVersion is the version under which our provider lies in the
// clusterctl repository.
const ProviderVersion = "v0.1.0"

// ownImage is our manager's image.
const ownImage = registry + "/capok-manager:" + ProviderVersion

// provider is one provider of Cluster API as clusterctl sees it.
type provider struct {
	name, kind string // as in clusterctl's configuration
	folder     string // in the repository
	file       string // the components
	config     string // kustomize folder in the module; "" for our own
	image      string // without registry and tag
	flag       string // of clusterctl init
}

var upstream = []provider{
	{"cluster-api", "CoreProvider", "cluster-api", "core-components.yaml", "core/config/default", "cluster-api-controller", "--core"},
	{"kubeadm", "BootstrapProvider", "bootstrap-kubeadm", "bootstrap-components.yaml", "bootstrap/kubeadm/config/default", "kubeadm-bootstrap-controller", "--bootstrap"},
	{"kubeadm", "ControlPlaneProvider", "control-plane-kubeadm", "control-plane-components.yaml", "controlplane/kubeadm/config/default", "kubeadm-control-plane-controller", "--control-plane"},
}

var own = provider{"openstack", "InfrastructureProvider", "infrastructure-openstack", "infrastructure-components.yaml", "", "", "--infrastructure"}

// repository is a folder that clusterctl takes providers and cert-manager
// from, as it would from their releases.
type repository struct{ dir string }

func (r repository) path(elem ...string) string {
	return filepath.Join(append([]string{r.dir}, elem...)...)
}

// config is the configuration file for clusterctl --config.
func (r repository) config() string { return r.path("clusterctl.yaml") }

// fill makes what is missing, and takes over our own release anew.
func (r repository) fill(ctx context.Context, p *progress.Printer) error {
	for _, provider := range upstream {
		if err := r.fillUpstream(ctx, p, provider); err != nil {
			return fmt.Errorf("components of %s: %w", provider.folder, err)
		}
	}
	if err := r.fillCertManager(ctx, p); err != nil {
		return fmt.Errorf("manifest of cert-manager: %w", err)
	}
	if err := r.fillOwn(ctx, p); err != nil {
		return err
	}
	return write(r.config(), []byte(r.configuration()))
}

func (r repository) fillUpstream(ctx context.Context, p *progress.Printer, one provider) error {
	target := r.path(one.folder, component.ClusterAPI)
	if exists(filepath.Join(target, one.file)) {
		return nil
	}
	module, err := moduleDir(ctx, "cluster-api", "sigs.k8s.io/cluster-api")
	if err != nil {
		return err
	}
	metadata, err := os.ReadFile(filepath.Join(module, "metadata.yaml"))
	if err != nil {
		return err
	}
	if err := write(filepath.Join(target, "metadata.yaml"), metadata); err != nil {
		return err
	}
	kubectl, err := component.Path(ctx, p, "kubectl")
	if err != nil {
		return err
	}
	built, err := output(ctx, kubectl, "kustomize", filepath.Join(module, one.config))
	if err != nil {
		return err
	}
	return write(filepath.Join(target, one.file), []byte(release(built, one.image)))
}

// release makes of a development manifest what a release would be: the
// manager's image under its own name, not pulled if it is there.
func release(manifest, image string) string {
	var out strings.Builder
	for line := range strings.Lines(manifest) {
		before, value, found := strings.Cut(line, "image: ")
		switch {
		case found && strings.TrimSpace(before) == "" && strings.Contains(value, "controller"):
			line = before + "image: " + registry + "/" + image + ":" + component.ClusterAPI + "\n"
		case strings.TrimSpace(line) == "imagePullPolicy: Always":
			line = strings.Replace(line, "Always", "IfNotPresent", 1)
		}
		out.WriteString(line)
	}
	return out.String()
}

// fillCertManager renders cert-manager's own chart.
func (r repository) fillCertManager(ctx context.Context, p *progress.Printer) error {
	target := r.path("cert-manager", component.CertManager, "cert-manager.yaml")
	if exists(target) {
		return nil
	}
	module, err := moduleDir(ctx, "cert-manager", "github.com/cert-manager/cert-manager")
	if err != nil {
		return err
	}
	chart, err := component.Path(ctx, p, "chart")
	if err != nil {
		return err
	}
	args := []string{filepath.Join(module, "deploy/charts/cert-manager"), component.CertManager, "cert-manager", "cert-manager",
		"crds.enabled=true", "startupapicheck.enabled=false", "fullnameOverride=cert-manager"}
	for _, part := range []string{"", "webhook.", "cainjector.", "acmesolver."} {
		image := strings.TrimSuffix(part, ".")
		if image == "" {
			image = "controller"
		}
		args = append(args, part+"image.repository="+registry+"/cert-manager-"+image, part+"image.tag="+component.CertManager)
	}
	manifest, err := output(ctx, chart, args...)
	if err != nil {
		return err
	}
	namespace := "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: cert-manager\n"
	return write(target, []byte(namespace+manifest+"\n"))
}

// fillOwn makes the release files of the checkout, as `make release` does.
func (r repository) fillOwn(ctx context.Context, p *progress.Printer) error {
	kubectl, err := component.Path(ctx, p, "kubectl")
	if err != nil {
		return err
	}
	return command(ctx, "env", "IMAGE="+ownImage, "KUBEBUILDER_ASSETS="+filepath.Dir(kubectl),
		place.Repo("hack", "release"), filepath.Dir(r.own()))
}

func (r repository) configuration() string {
	var out strings.Builder
	out.WriteString("providers:\n")
	for _, provider := range append(upstream, own) {
		version := component.ClusterAPI
		if provider == own {
			version = ProviderVersion
		}
		fmt.Fprintf(&out, "- {name: %s, type: %s, url: %q}\n", provider.name, provider.kind, r.path(provider.folder, version, provider.file))
	}
	fmt.Fprintf(&out, "cert-manager: {version: %s, url: %q}\n", component.CertManager,
		r.path("cert-manager", component.CertManager, "cert-manager.yaml"))
	return out.String()
}

// moduleDir is where the sources of a module lie that a component pins.
func moduleDir(ctx context.Context, component, module string) (string, error) {
	dir := place.Repo("hack", "components", component)
	if err := command(ctx, "go", "-C", dir, "mod", "download", module); err != nil {
		return "", err
	}
	return output(ctx, "go", "-C", dir, "list", "-m", "-f", "{{.Dir}}", module)
}

// write writes a file so that it is there in full or not at all, and only
// when it changes.
func write(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	partial := path + ".partial"
	if err := os.WriteFile(partial, content, 0o600); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

package component

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/capok/capok/test/lab/place"
)

// Versions of what is built. The go.mod files pin the same ones; a test
// compares them.
const (
	Kubernetes  = "v1.37.2"
	Etcd        = "v3.7.3"
	CoreDNS     = "v1.15.0"
	CNI         = "v1.10.0"
	Flannel     = "v0.28.10"
	ClusterAPI  = "v1.14.2"
	CertManager = "v1.21.2"
)

// recipe says how one binary is built.
type recipe struct {
	module  string // folder in hack/components
	pkg     string // import path of package main, or "." for our own one
	ldflags string
}

// source is the folder of the module.
func (r recipe) source() string {
	return place.Repo("hack", "components", r.module)
}

const strip = "-s -w"

var recipes = table()

func table() map[string]recipe {
	all := map[string]recipe{
		"etcd":         {"etcd", "go.etcd.io/etcd/server/v3", strip},
		"etcdctl":      {"etcd", "go.etcd.io/etcd/etcdctl/v3", strip},
		"coredns":      {"coredns", ".", strip + " -X github.com/coredns/coredns/coremain.GitCommit=" + CoreDNS},
		"pause":        {"pause", ".", strip},
		"flanneld":     {"flannel", ".", strip},
		"chart":        {"chart", ".", strip},
		"workload":     {"workload", ".", strip},
		"cert-manager": {"cert-manager", ".", strip + " -X github.com/cert-manager/cert-manager/pkg/util.AppVersion=" + CertManager},
	}
	// Without the stamps kubeadm and kubelet call themselves v0.0.0-master.
	kubernetes := strip + stamp("k8s.io/component-base/version", Kubernetes) + stamp("k8s.io/client-go/pkg/version", Kubernetes)
	for _, name := range []string{"kubelet", "kubeadm", "kubectl", "kube-proxy", "kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		all[name] = recipe{"kubernetes", "k8s.io/kubernetes/cmd/" + name, kubernetes}
	}
	for _, plugin := range []string{"main/bridge", "main/loopback", "main/ptp", "ipam/host-local", "meta/portmap", "meta/firewall", "meta/bandwidth", "meta/tuning"} {
		name := plugin[strings.Index(plugin, "/")+1:]
		all[name] = recipe{"cni", "github.com/containernetworking/plugins/plugins/" + plugin,
			strip + " -X github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=" + CNI}
	}
	clusterAPI := strip + stamp("sigs.k8s.io/cluster-api/version", ClusterAPI)
	for name, pkg := range map[string]string{
		"clusterctl":                         "cmd/clusterctl",
		"capi-core-manager":                  "core",
		"capi-kubeadm-bootstrap-manager":     "bootstrap/kubeadm",
		"capi-kubeadm-control-plane-manager": "controlplane/kubeadm",
	} {
		all[name] = recipe{"cluster-api", "sigs.k8s.io/cluster-api/" + pkg, clusterAPI}
	}
	return all
}

// stamp returns the linker flags that write a version like v1.37.2 into the
// version package pkg. A build out of modules knows neither commit nor date;
// fixed values keep it reproducible.
func stamp(pkg, version string) string {
	part := strings.Split(strings.TrimPrefix(version, "v"), ".")
	set := ""
	for _, value := range []string{
		"gitVersion=" + version, "gitMajor=" + part[0], "gitMinor=" + part[1], "gitTreeState=clean",
		"gitCommit=" + strings.Repeat("0", 40), "buildDate=2026-11-01T00:00:00Z",
	} {
		set += fmt.Sprintf(" -X %s.%s", pkg, value)
	}
	return set
}

// Names lists everything that Path can build, sorted.
func Names() []string {
	return slices.Sorted(maps.Keys(recipes))
}

// Plugins lists the CNI plugins among Names, sorted.
func Plugins() []string {
	var plugins []string
	for _, name := range Names() {
		if recipes[name].module == "cni" {
			plugins = append(plugins, name)
		}
	}
	return plugins
}

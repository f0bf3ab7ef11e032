package management

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/capok/capok/test/openstack/bridge"
)

var lab = bridge.Settings{Name: "capok-ex", Network: netip.MustParsePrefix("172.24.4.0/24")}

func TestUserData(t *testing.T) {
	data, err := userData(lab)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(data), "#cloud-config\n") {
		t.Fatalf("cloud-init would not take this for its configuration: %.40q", data)
	}
	var config cloudConfig
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, file := range config.Files {
		files[file.Path] = file.Content
	}
	var cluster struct{ ControlPlaneEndpoint, KubernetesVersion string }
	for document := range strings.SplitSeq(files["/etc/kubernetes/kubeadm.yaml"], "---\n") {
		if err := yaml.Unmarshal([]byte(document), &cluster); err != nil {
			t.Errorf("kubeadm's configuration is no YAML: %v\n%s", err, document)
		}
	}
	if want := "172.24.4.2:6443"; cluster.ControlPlaneEndpoint != want {
		t.Errorf("the API is at %q, want %q", cluster.ControlPlaneEndpoint, want)
	}
	if !json.Valid([]byte(files["/etc/cni/net.d/10-management.conflist"])) {
		t.Error("the CNI configuration is no JSON")
	}
	for _, command := range config.Commands {
		if files[command[0]] == "" {
			t.Errorf("%s is run, but not written", command[0])
		}
	}
}

// TestNameServersOutliveABoot: a link into /run is empty after one.
func TestNameServersOutliveABoot(t *testing.T) {
	c := container{dir: t.TempDir(), net: lab}
	file := c.path("root", "etc/resolv.conf")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../run/resolvconf/resolv.conf", file); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.resolve(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		t.Fatalf("%s is no file of its own: %v %v", file, info, err)
	}
	if text, _ := os.ReadFile(file); !strings.Contains(string(text), "nameserver ") {
		t.Errorf("no name server in %q", text)
	}
}

func TestNetworkData(t *testing.T) {
	var got struct {
		Networks []struct {
			Address string `json:"ip_address"`
			Netmask string `json:"netmask"`
		} `json:"networks"`
	}
	if err := json.Unmarshal(networkData(lab), &got); err != nil {
		t.Fatal(err)
	}
	if got.Networks[0].Address != "172.24.4.2" || got.Networks[0].Netmask != "255.255.255.0" {
		t.Errorf("the node would get %+v", got.Networks[0])
	}
}

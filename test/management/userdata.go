package management

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/openstack/bridge"
)

// Addresses inside the management cluster. They never leave the container, so
// they may be those of a workload cluster too.
const (
	pods     = "10.244.0.0/24"
	services = "10.96.0.0/16"
)

// mac is locally administered; only the bridge ever sees it.
const mac = "02:ca:b0:00:00:02"

//go:embed kubeadm.yaml.tmpl
var kubeadmTemplate string

//go:embed boot.sh
var bootScript string

// cloudConfig is the part of cloud-init's user data that we use. JSON is YAML.
type cloudConfig struct {
	Files    []cloudFile `json:"write_files"`
	Commands [][]string  `json:"runcmd"`
}

type cloudFile struct {
	Path        string `json:"path"`
	Permissions string `json:"permissions"`
	Content     string `json:"content"`
}

// seed writes a config drive's tree to where cloud-init looks first.
func (c container) seed() error {
	user, err := userData(c.net)
	if err != nil {
		return err
	}
	drive := c.path("root", "var/lib/cloud/seed/config_drive/openstack/latest")
	if err := os.MkdirAll(drive, 0o755); err != nil {
		return err
	}
	for file, content := range map[string][]byte{
		"user_data":         user,
		"meta_data.json":    metaData(),
		"network_data.json": networkData(c.net),
	} {
		if err := os.WriteFile(filepath.Join(drive, file), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// resolve tells the container its name servers, at each start: the machine may have
// others by then. The image's file is a link to one that a boot makes anew from what
// the network says of name servers, which is nothing here.
func (c container) resolve() error {
	file := c.path("root", "etc/resolv.conf")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(file, []byte(nameservers(c.net)), 0o644)
}

// userData makes the server a single-node cluster at its first boot.
func userData(s bridge.Settings) ([]byte, error) {
	parsed, err := template.New("kubeadm.yaml").Parse(kubeadmTemplate)
	if err != nil {
		return nil, err
	}
	var kubeadm bytes.Buffer
	if err := parsed.Execute(&kubeadm, map[string]string{
		"Name": name, "Address": s.Management().String(), "Version": component.Kubernetes, "Pods": pods, "Services": services,
	}); err != nil {
		return nil, err
	}
	const boot = "/usr/local/sbin/management-boot"
	config, err := json.MarshalIndent(cloudConfig{
		Files: []cloudFile{
			{"/etc/kubernetes/kubeadm.yaml", "0600", kubeadm.String()},
			{"/etc/cni/net.d/10-management.conflist", "0644", podNetwork()},
			{boot, "0755", bootScript},
		},
		Commands: [][]string{{boot}},
	}, "", " ")
	return append([]byte("#cloud-config\n"), config...), err
}

// podNetwork is the CNI configuration of a single node: one bridge, no overlay.
func podNetwork() string {
	return `{"cniVersion": "1.0.0", "name": "management", "plugins": [
 {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
  "ipam": {"type": "host-local", "ranges": [[{"subnet": "` + pods + `"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
 {"type": "portmap", "capabilities": {"portMappings": true}}]}
`
}

func metaData() []byte {
	// Cloud-init does its first-boot work once for each uuid.
	data, _ := json.Marshal(map[string]any{"uuid": "ca90c000-0000-4000-8000-000000000002", "hostname": name, "name": name})
	return data
}

func networkData(s bridge.Settings) []byte {
	data, _ := json.Marshal(map[string]any{
		"links": []map[string]any{{"id": "eth0", "type": "phy", "ethernet_mac_address": mac, "mtu": 1500}},
		"networks": []map[string]any{{
			"id": "management", "network_id": "management", "type": "ipv4", "link": "eth0",
			"ip_address": s.Management().String(), "netmask": net.IP(net.CIDRMask(s.Network.Bits(), 32)).String(),
			"routes": []map[string]string{{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": s.Host().String()}},
		}},
		"services": []any{},
	})
	return data
}

// nameservers returns a resolv.conf with the machine's own name servers, as
// far as the container can reach them. It is never empty: CoreDNS would not
// start.
func nameservers(s bridge.Settings) string {
	var found string
	for _, file := range []string{"/run/systemd/resolve/resolv.conf", "/etc/resolv.conf"} {
		config, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(config)) {
			field := strings.Fields(line)
			if len(field) == 2 && field[0] == "nameserver" && !strings.HasPrefix(field[1], "127.") && field[1] != "::1" {
				found += "nameserver " + field[1] + "\n"
			}
		}
		if found != "" {
			return found
		}
	}
	return "nameserver " + s.Host().String() + "\n"
}

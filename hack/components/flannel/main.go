// Flanneld is the pod network of the development clusters: flannel's own
// packages for nodes registered in Kubernetes and the vxlan backend.
//
// Flannel's own main package also links a backend that wants C and one whose
// SDK is not in the module proxy; neither is needed here. This one also writes
// the CNI configuration (bridge and host-local on the node's subnet), so that
// the node needs no CNI plugin of flannel's and the image needs no shell.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/flannel-io/flannel/pkg/backend"
	_ "github.com/flannel-io/flannel/pkg/backend/vxlan"
	"github.com/flannel-io/flannel/pkg/ip"
	"github.com/flannel-io/flannel/pkg/ipmatch"
	"github.com/flannel-io/flannel/pkg/lease"
	"github.com/flannel-io/flannel/pkg/subnet"
	"github.com/flannel-io/flannel/pkg/subnet/kube"
	"github.com/flannel-io/flannel/pkg/trafficmngr/iptables"
	"k8s.io/klog/v2"
)

// resyncSeconds is how often flannel looks whether its iptables rules are
// still there.
const resyncSeconds = 60

type options struct {
	network string // file with flannel's net-conf.json
	cni     string // file to write the CNI configuration to
	subnet  string // file with the node's subnet, read again after a restart
}

func main() {
	var o options
	flag.StringVar(&o.network, "net-conf", "/etc/kube-flannel/net-conf.json", "flannel's network configuration")
	flag.StringVar(&o.cni, "cni-conf", "/etc/cni/net.d/05-flannel.conflist", "CNI configuration to write")
	flag.StringVar(&o.subnet, "subnet-file", "/run/flannel/subnet.env", "where the node's subnet is kept")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		klog.Exitf("flanneld: %v", err)
	}
}

// run takes the node's subnet, joins the vxlan, sets the rules, tells CNI and
// then follows the other nodes until ctx ends.
func run(ctx context.Context, o options) error {
	var running sync.WaitGroup
	// With $NODE_NAME set this asks for nothing at once but waits: on a new
	// node the API server's Service address leads nowhere until kube-proxy runs.
	manager, err := kube.NewSubnetManager(ctx, "", "", "flannel.alpha.coreos.com", o.network, true)
	if err != nil {
		return fmt.Errorf("watch the nodes: %w", err)
	}
	config, err := manager.GetNetworkConfig(ctx)
	if err != nil {
		return fmt.Errorf("read %s: %w", o.network, err)
	}
	network, err := join(ctx, manager, config, &running)
	if err != nil {
		return err
	}
	if err := setRules(ctx, config, network.Lease()); err != nil {
		return fmt.Errorf("set iptables rules: %w", err)
	}
	own := network.Lease()
	if err := manager.HandleSubnetFile(o.subnet, config, true, own.Subnet, own.IPv6Subnet, network.MTU()); err != nil {
		return fmt.Errorf("write %s: %w", o.subnet, err)
	}
	if err := writeCNI(o.cni, own.Subnet, network.MTU()); err != nil {
		return fmt.Errorf("write %s: %w", o.cni, err)
	}
	klog.Infof("node has %s, MTU %d", own.Subnet, network.MTU())
	running.Go(func() { network.Run(ctx) })
	if err := manager.CompleteLease(ctx, own, &running); err != nil && ctx.Err() == nil {
		return fmt.Errorf("keep the subnet: %w", err)
	}
	running.Wait()
	return nil
}

// join makes the vxlan device on the interface of the default route.
func join(ctx context.Context, manager subnet.Manager, config *subnet.Config, running *sync.WaitGroup) (backend.Network, error) {
	family, err := ipmatch.GetIPFamily(config.EnableIPv4, config.EnableIPv6)
	if err != nil {
		return nil, err
	}
	outside, err := ipmatch.LookupExtIface("", "", "", family, ipmatch.PublicIPOpts{})
	if err != nil {
		return nil, fmt.Errorf("find the interface of the default route: %w", err)
	}
	kind, err := backend.NewManager(ctx, manager, outside).GetBackend(config.BackendType)
	if err != nil {
		return nil, err
	}
	network, err := kind.RegisterNetwork(ctx, running, config)
	if err != nil {
		return nil, fmt.Errorf("make the %s network: %w", config.BackendType, err)
	}
	return network, nil
}

func setRules(ctx context.Context, config *subnet.Config, own *lease.Lease) error {
	if config.EnableNFTables {
		return errors.New("EnableNFTables is not supported by this build")
	}
	rules := &iptables.IPTablesManager{}
	if err := rules.Init(ctx); err != nil {
		return err
	}
	var none ip.IP4Net
	var none6 ip.IP6Net
	err := rules.SetupAndEnsureMasqRules(ctx, config.Network, none, none, config.IPv6Network, none6, none6, own, resyncSeconds, false)
	if err != nil {
		return err
	}
	rules.SetupAndEnsureForwardRules(ctx, config.Network, config.IPv6Network, resyncSeconds)
	return nil
}

// writeCNI writes the file beside its place and renames it: a kubelet that
// reads half of it would report the node as not ready.
func writeCNI(path string, pods ip.IP4Net, mtu int) error {
	text := fmt.Sprintf(`{"cniVersion": "1.0.0", "name": "flannel", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true, "mtu": %d,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
`, mtu, pods.Network())
	partial := filepath.Join(filepath.Dir(path), ".flannel.partial")
	if err := os.WriteFile(partial, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

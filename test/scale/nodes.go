package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/openstacksim"
)

const (
	// workloadPort is where the program that serves the workload clusters is told
	// of nodes.
	workloadPort = 10040
	// serverLook is how often servers that have become ACTIVE are looked for. It
	// measures nothing: the simulator knows when they did.
	serverLook = 250 * time.Millisecond
	// joiners is how many nodes join at a time.
	joiners = 16
)

// node is what the workload program takes.
type node struct {
	Cluster, Host, Name, ProviderID, Version string
	Port                                     int32
	ControlPlane                             bool
	CA, EtcdCA                               pair
}

type pair struct{ Cert, Key []byte }

// nodes is cloud-init, kubeadm and kubelet of all servers.
type nodes struct {
	cloud *cloud
	fleet *fleet
	boot  time.Duration // from ACTIVE to being a node

	slots chan struct{} // one for each node that joins at the moment

	mu    sync.Mutex
	begun map[string]bool // IDs of servers
}

func newNodes(c *cloud, f *fleet, boot time.Duration) *nodes {
	return &nodes{cloud: c, fleet: f, boot: boot, slots: make(chan struct{}, joiners), begun: map[string]bool{}}
}

// run lets every server that is ACTIVE become a node, until the context ends.
func (n *nodes) run(ctx context.Context) {
	ticker := time.NewTicker(serverLook)
	defer ticker.Stop()
	for ctx.Err() == nil {
		for _, server := range n.cloud.Servers("") {
			if server.Status == "ACTIVE" && time.Since(server.Launched) >= n.boot && n.begin(server.ID) {
				go n.start(ctx, server)
			}
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// begin tells whether a server is new to us.
func (n *nodes) begin(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.begun[id]
	n.begun[id] = true
	return !known
}

// start lets one server join, and forgets it if it cannot: it is tried again.
func (n *nodes) start(ctx context.Context, server openstacksim.Server) {
	n.slots <- struct{}{}
	defer func() { <-n.slots }()
	if err := n.join(ctx, server); err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "server %s does not join yet: %v\n", server.Name, err)
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.begun, server.ID)
	}
}

// join makes a server a node of its cluster.
func (n *nodes) join(ctx context.Context, server openstacksim.Server) error {
	machine := &infrav1.OpenStackMachine{}
	if err := n.fleet.Get(ctx, client.ObjectKey{Namespace: namespace, Name: server.Name}, machine); err != nil {
		return err
	}
	cluster := &clusterv1.Cluster{}
	name := client.ObjectKey{Namespace: namespace, Name: machine.Labels[clusterv1.ClusterNameLabel]}
	if err := n.fleet.Get(ctx, name, cluster); err != nil {
		return err
	}
	_, controlPlane := machine.Labels[clusterv1.MachineControlPlaneLabel]
	it := node{
		Cluster: cluster.Name, Host: cluster.Spec.ControlPlaneEndpoint.Host, Port: cluster.Spec.ControlPlaneEndpoint.Port,
		Name: server.Name, ProviderID: "openstack:///" + server.ID, Version: component.Kubernetes, ControlPlane: controlPlane,
	}
	if controlPlane {
		var err error
		if it.CA, err = n.pair(ctx, cluster.Name+"-ca"); err != nil {
			return err
		}
		if it.EtcdCA, err = n.pair(ctx, cluster.Name+"-etcd"); err != nil {
			return err
		}
	}
	return tell(ctx, it)
}

// pair reads a CA that Cluster API made, as its user data brings it to a server.
func (n *nodes) pair(ctx context.Context, name string) (pair, error) {
	secret := &corev1.Secret{}
	err := n.fleet.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret)
	return pair{Cert: secret.Data["tls.crt"], Key: secret.Data["tls.key"]}, err
}

// tell tells the workload program of a node.
func tell(ctx context.Context, it node) error {
	body, err := json.Marshal(it)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+local(workloadPort)+"/nodes", bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s: %s", response.Status, text)
	}
	return nil
}

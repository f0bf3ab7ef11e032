package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/management"
	"github.com/capok/capok/test/node"
	"github.com/capok/capok/test/openstack"
	"github.com/capok/capok/test/openstack/bridge"
)

func init() {
	commands["up"] = command{"everything: ends with a workload cluster whose nodes are Ready", up}
	commands["clouds"] = command{"OpenStack and management cluster, ready for clusterctl generate cluster",
		func(ctx context.Context, p *progress.Printer, _ []string) error {
			_, err := ready(ctx, p)
			p.Summary()
			return err
		}}
}

func up(ctx context.Context, p *progress.Printer, _ []string) error {
	variables, err := ready(ctx, p)
	if err != nil {
		return err
	}
	w, err := newWorkload(ctx, p, variables)
	if err != nil {
		return err
	}
	if err := w.bringUp(ctx); err != nil {
		return err
	}
	if err := w.show(ctx); err != nil {
		return err
	}
	p.Summary()
	fmt.Println()
	memory(os.Stdout)
	fmt.Print(next())
	return nil
}

// ready brings up the clouds, and tells the user's shell and the cluster
// templates of them.
func ready(ctx context.Context, p *progress.Printer) ([]setting, error) {
	t, err := findTarget()
	if err != nil {
		return nil, err
	}
	if t.own {
		p.Sayf("clusters are made on cloud %s of %s, as OS_CLOUD says; for an OpenStack on this machine: unset OS_CLOUD", t.entry, t.file)
	}
	if err := os.MkdirAll(place.State(), 0o755); err != nil {
		return nil, err
	}
	if started, err := startedTarget(); err != nil || started != t && management.Running(ctx) {
		return nil, errors.Join(err, fmt.Errorf("clusters are made on cloud %s of %s: `lab wipe` them before you change to cloud %s of %s", started.entry, started.file, t.entry, t.file))
	}
	if err := t.remember(); err != nil {
		return nil, err
	}
	if err := clouds(ctx, p, t); err != nil {
		return nil, err
	}
	variables, err := templateVariables(ctx, t)
	if err != nil {
		return nil, err
	}
	return variables, writeEnvironment(ctx, p, t, variables)
}

// clouds brings up what a user of clusterctl finds: an OpenStack with a node
// image, and a management cluster. The two need each other only at the end.
func clouds(ctx context.Context, p *progress.Printer, t target) error {
	install := openstack.Install
	if t.own {
		install = management.Install
	}
	if err := install(ctx, p); err != nil {
		return err
	}
	// Both hang on the bridge: it is there before they race to make it.
	settings, err := bridge.FromEnvironment()
	if err != nil {
		return err
	}
	if err := bridge.Up(ctx, settings); err != nil {
		return err
	}
	built := make(chan struct{}) // the node image is
	var image string
	group, all := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if image, err = node.Image(all, p); err != nil {
			return err
		}
		close(built)
		return management.Up(all, p, t.own)
	})
	group.Go(func() error {
		if !t.own {
			if err := openstack.Up(all, p); err != nil {
				return err
			}
		}
		select {
		case <-built:
		case <-all.Done():
			return all.Err()
		}
		if t.own {
			return t.checkImage(all, image)
		}
		return openstack.EnsureImage(all, p, node.Name, image)
	})
	return group.Wait()
}

// bringUp does what a user does.
func (w *workload) bringUp(ctx context.Context) error {
	for _, phase := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"clusterctl generate cluster | kubectl apply", w.apply},
		{"until the cluster's API answers", w.reachable},
		{"pod network", w.network},
		{"until all nodes are Ready", w.ready},
		{"until Cluster API knows it", w.available},
	} {
		if err := w.p.Phase(ctx, "workload cluster: "+phase.name, phase.run); err != nil {
			return err
		}
	}
	return nil
}

// show prints what a user would look at.
func (w *workload) show(ctx context.Context) error {
	for _, args := range [][]string{
		{w.clusterctl, "describe", "cluster", clusterName},
		{w.kubectl, "--kubeconfig", kubeconfig(), "get", "nodes", "-o", "wide"},
	} {
		out, err := w.run(ctx, nil, args[0], args[1:]...)
		if err != nil {
			return err
		}
		fmt.Println("\n" + out)
	}
	return nil
}

// next says what to try now.
func next() string {
	return fmt.Sprintf(`
Next:
  source %s                                  # kubectl, clusterctl, openstack
  kubectl get cluster,machines,openstackmachines
  openstack server list
  kubectl scale machinedeployment %s-md-0 --replicas 3
  KUBECONFIG=%s kubectl get pods -A
  clusterctl generate cluster another --flavor without-lb --kubernetes-version v1.37.2 --worker-machine-count 1 | kubectl apply -f -
  make status; make down
`, environmentFile(), clusterName, kubeconfig())
}

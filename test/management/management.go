package management

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/node"
	"github.com/capok/capok/test/openstack/bridge"
)

// bootTimeout is how long kubeadm may take on a busy machine.
const bootTimeout = 15 * time.Minute

// Up starts the management cluster, or completes what an earlier Up left. It
// ends with all providers' managers available. Beyond says that the cloud is
// not on this machine: the cluster then gets a way out.
func Up(ctx context.Context, p *progress.Printer, beyond bool) error {
	if err := preflight(); err != nil {
		return err
	}
	c, err := newContainer(ctx, p)
	if err != nil {
		return err
	}
	var load []image
	group, both := errgroup.WithContext(ctx)
	group.Go(func() error {
		return p.Phase(both, "management cluster: container and kubeadm", func(ctx context.Context) error { return boot(ctx, p, c, beyond) })
	})
	group.Go(func() error {
		return p.Phase(both, "management cluster: managers and clusterctl repository", func(ctx context.Context) (err error) {
			if err = (repository{Repository()}).fill(ctx, p); err != nil {
				return err
			}
			load, err = images(ctx, p)
			return err
		})
	})
	if err := group.Wait(); err != nil {
		return err
	}
	var changed []image
	if err := p.Phase(ctx, "management cluster: images", func(ctx context.Context) (err error) {
		changed, err = c.load(ctx, p, load)
		return err
	}); err != nil {
		return err
	}
	return p.Phase(ctx, "management cluster: clusterctl init", func(ctx context.Context) error {
		if err := refresh(ctx, p, changed); err != nil {
			return err
		}
		return install(ctx, p)
	})
}

// Down stops the container and takes its mounts, cgroups and network away.
// Its files stay: the next Up goes on with the same cluster.
func Down(ctx context.Context, p *progress.Printer) error {
	s, err := bridge.FromEnvironment()
	if err != nil {
		return err
	}
	c := container{dir: place.State("management"), net: s}
	return p.Phase(ctx, "management cluster: down", func(ctx context.Context) error {
		err := errors.Join(c.stop(ctx), wayOut(ctx, s, c.path("ip_forward"), false))
		// While OpenStack listens on the bridge it stays, and goes with that.
		listeners, listErr := output(ctx, "ss", "-Hltn", "src", s.Host().String())
		if err = errors.Join(err, listErr); err != nil || listeners != "" {
			return err
		}
		_, err = bridge.Down(ctx, s)
		return err
	})
}

// Wipe is Down, and removes the cluster's files.
func Wipe(ctx context.Context, p *progress.Printer) error {
	if err := Down(ctx, p); err != nil {
		return err
	}
	return os.RemoveAll(place.State("management"))
}

// Running says whether the management cluster runs.
func Running(ctx context.Context) bool {
	return container{dir: place.State("management")}.running(ctx)
}

// Address is where the management cluster's API server listens.
func Address() (string, error) {
	s, err := bridge.FromEnvironment()
	if err != nil {
		return "", err
	}
	return s.Management().String(), nil
}

// programs that the container needs on the machine.
var programs = []string{"lxc-start", "ip", "iptables"}

func preflight() error {
	if os.Geteuid() != 0 {
		return errors.New("root is needed: the management cluster runs in a system container")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing: apt-get install --no-install-recommends lxc iproute2 iptables", program)
		}
	}
	return nil
}

// newContainer stands on the root file system that it was made on, even when
// there is a newer one: what lies above it belongs to it.
func newContainer(ctx context.Context, p *progress.Printer) (container, error) {
	s, err := bridge.FromEnvironment()
	if err != nil {
		return container{}, err
	}
	c := container{dir: place.State("management"), net: s}
	if base, err := os.Readlink(c.path("base")); err == nil && exists(base) {
		c.base = base
		return c, nil
	}
	if exists(c.path("base")) {
		return c, fmt.Errorf("the node image below the management cluster is gone; `lab wipe` makes a new cluster possible")
	}
	c.base, err = node.RootFS(ctx, p)
	if err != nil {
		return c, err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return c, err
	}
	return c, os.Symlink(c.base, c.path("base"))
}

// boot ends with a Ready node.
func boot(ctx context.Context, p *progress.Printer, c container, beyond bool) error {
	ctx, cancel := context.WithTimeout(ctx, bootTimeout)
	defer cancel()
	if err := bridge.Up(ctx, c.net); err != nil {
		return err
	}
	if err := wayOut(ctx, c.net, c.path("ip_forward"), beyond); err != nil {
		return err
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	if err := c.waitInitialized(ctx, p); err != nil {
		return err
	}
	admin, err := os.ReadFile(c.path("root", "etc/kubernetes/admin.conf"))
	if err != nil {
		return err
	}
	if err := write(Kubeconfig(), admin); err != nil {
		return err
	}
	return p.Wait(ctx, "the management cluster's node", time.Second, func(ctx context.Context) error {
		const ready = `jsonpath={.items[*].status.conditions[?(@.type=="Ready")]['status','message']}`
		said, err := kubectl(ctx, "get", "nodes", "-o", ready)
		if err == nil && !strings.HasPrefix(said, "True") {
			err = errors.New(said)
		}
		return err
	})
}

// waitInitialized waits for kubeadm; what it said last is what it waits for.
func (c container) waitInitialized(ctx context.Context, p *progress.Printer) error {
	log := c.path("root", "var/log/kubeadm.log")
	var result string
	err := p.Wait(ctx, "kubeadm init", time.Second, func(context.Context) error {
		ended, err := os.ReadFile(c.path("root", "var/log/kubeadm.ended"))
		if err == nil && len(ended) > 0 {
			result = strings.TrimSpace(string(ended))
			return nil
		}
		said, _ := os.ReadFile(log)
		if len(said) == 0 {
			return errors.New("the container boots")
		}
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		return errors.New(lines[len(lines)-1])
	})
	if err != nil || result == "0" {
		return err
	}
	said, _ := os.ReadFile(log)
	return fmt.Errorf("kubeadm failed; see %s, and `lab wipe` before the next try:\n%s", log, last(string(said), 1000))
}

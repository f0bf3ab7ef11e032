package openstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/openstack/bridge"
)

// grace is how long processes may take to end by themselves.
const grace = 8 * time.Second

// Up starts the cloud, or what of it does not run, and makes what its users
// find in it. On a running cloud it changes nothing. Install comes first.
func Up(ctx context.Context, p *progress.Printer) error {
	if missing, err := missingPackages(ctx); err != nil || len(missing) > 0 {
		return errors.Join(err, fmt.Errorf("Debian packages are missing (%s): run `go run ./test/lab openstack install`", strings.Join(missing, " ")))
	}
	c, unlock, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer unlock()
	for _, phase := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"bridge and configuration", c.prepare},
		{"database, message queue and cache", c.startInfrastructure},
		{"database schema", c.makeSchema},
		{"Keystone, with the other APIs starting beside it", c.startAPIs},
		{"users, projects and catalog", c.seedIdentity},
		{"agents and computes", c.startWorkers},
		{"flavors, external network and zones", c.seedResources},
	} {
		if err := p.Phase(ctx, "OpenStack: "+phase.name, phase.run); err != nil {
			return err
		}
	}
	return c.writeClouds()
}

func (c *cloud) prepare(ctx context.Context) error {
	if err := c.checkNetwork(); err != nil {
		return err
	}
	if err := bridge.Up(ctx, c.Settings); err != nil {
		return err
	}
	c.forgetDead(ctx)
	return errors.Join(c.configure(), c.keystoneKeys())
}

// apis can all start before there is a user in Keystone.
func (c *cloud) apis() []server {
	return append(c.cinder(), c.keystone(), c.placement(), c.neutronServer(), c.novaAPI(), c.glance(), c.octavia(), c.heat())
}

func (c *cloud) startAPIs(ctx context.Context) error {
	if err := c.start(c.keystone()); err != nil {
		return err
	}
	if err := c.brokerAnswers(ctx); err != nil {
		return err
	}
	if err := c.start(c.apis()...); err != nil {
		return err
	}
	if err := c.bootstrapKeystone(ctx); err != nil {
		return err
	}
	return c.answer(ctx, c.keystone())
}

// startWorkers starts what asks others at its start, each after those that it
// asks: agents and computes that get no answer try again only a minute later.
func (c *cloud) startWorkers(ctx context.Context) error {
	if err := c.answer(ctx, c.placement(), c.neutronServer()); err != nil {
		return err
	}
	if err := c.consumed(ctx, neutronQueues...); err != nil {
		return err
	}
	if err := c.start(append(c.neutronAgents(), c.novaControl()...)...); err != nil {
		return err
	}
	if err := c.consumed(ctx, "conductor"); err != nil {
		return err
	}
	if err := c.start(append(c.novaComputes(), c.octaviaAgent())...); err != nil {
		return err
	}
	return c.answer(ctx, c.apis()...)
}

// forgetDead lets Up start again what has died; wait reports only what dies
// from now on.
func (c *cloud) forgetDead(ctx context.Context) {
	for _, name := range c.processes.Known() {
		if !c.processes.Alive(name) {
			c.progress.Sayf("%s has died since it was started: starting it again (its log: %s)", name, c.processes.Log(name))
			_ = c.processes.Stop(ctx, 0, name)
		}
	}
}

// checkNetwork refuses to change the range of a cloud that exists: Neutron and
// the catalog have written it down.
func (c *cloud) checkNetwork() error {
	file, want := c.Path("network"), c.Network.String()
	have, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return write(file, []byte(want), 0o644)
	}
	if err == nil && string(have) != want {
		err = fmt.Errorf("the cloud was made with CAPOK_NETWORK=%s, now it is %s: wipe it first", have, want)
	}
	return err
}

// Down stops the cloud with all its servers and load balancers, and takes its
// network apart. What is in its databases stays, and comes back with Up.
func Down(ctx context.Context, p *progress.Printer) error {
	c, unlock, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer unlock()
	return p.Phase(ctx, "OpenStack: stop", c.down)
}

func (c *cloud) down(ctx context.Context) error {
	infrastructure := []string{"memcached", "mariadb", "rabbitmq"}
	services := slices.DeleteFunc(c.processes.Known(), func(name string) bool { return slices.Contains(infrastructure, name) })
	err := c.processes.Stop(ctx, grace, services...)
	err = errors.Join(err, c.stopServers(ctx))
	err = errors.Join(err, c.stopNamespaces(ctx))
	err = errors.Join(err, c.processes.Stop(ctx, grace, infrastructure...))
	c.stopEpmd(ctx)
	err = errors.Join(err, c.removeRules(ctx), c.removeLinks(ctx), c.removeGroups())
	plugged, bridgeErr := bridge.Down(ctx, c.Settings)
	if len(plugged) > 0 {
		c.progress.Sayf("bridge %s stays: %s is still plugged into it", c.Name, strings.Join(plugged, ", "))
	}
	return errors.Join(err, bridgeErr)
}

// Wipe is Down, and the cloud's state is removed. What was built or downloaded
// stays in the cache.
func Wipe(ctx context.Context, p *progress.Printer) error {
	c, unlock, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer unlock()
	return p.Phase(ctx, "OpenStack: wipe", func(ctx context.Context) error {
		if err := c.down(ctx); err != nil {
			return err
		}
		return os.RemoveAll(c.Path())
	})
}

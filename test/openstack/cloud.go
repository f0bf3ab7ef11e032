package openstack

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/capok/capok/test/lab/lock"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/process"
	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/openstack/bridge"
)

//go:embed shared mariadb rabbitmq keystone placement glance nova neutron octavia cinder heat
var configuration embed.FS

//go:embed all:plugins
var plugins embed.FS

// maxState keeps the Unix sockets below the kernel's 107 characters.
const maxState = 50

// cloud is the development cloud of this machine: where it is and how its parts
// reach each other. The configuration templates are rendered with it.
type cloud struct {
	bridge.Settings
	Ports    ports
	Password string // of all service users; made once, kept in the state folder

	processes process.Set
	progress  *progress.Printer

	// what a template in shared is about; see For and In
	Section, Service string
}

// ports are those on the loopback address. The APIs' need no setting: they are
// on the bridge's address, which is ours.
type ports struct {
	AMQP, Erlang, Epmd, Memcached int
}

// settings reads the environment. It changes nothing on the machine.
func settings(p *progress.Printer) (*cloud, error) {
	external, err := bridge.FromEnvironment()
	if err != nil {
		return nil, err
	}
	ports, err := parsePorts(os.Getenv("CAPOK_PORTS"))
	if err != nil {
		return nil, err
	}
	c := &cloud{Settings: external, Ports: ports, progress: p}
	if dir := c.Path(); len(dir) > maxState {
		return nil, fmt.Errorf("the state folder %s has a name of %d characters: set CAPOK_STATE to a shorter one (%d at most, with /openstack)", dir, len(dir), maxState)
	}
	c.processes = process.Set{Pids: c.Path("pid"), Logs: c.Path("log")}
	return c, nil
}

// parsePorts reads CAPOK_PORTS, the first of four loopback ports in a row.
func parsePorts(first string) (ports, error) {
	if first == "" {
		first = "25673"
	}
	n, err := strconv.Atoi(first)
	if err != nil || n < 1024 || n > 65531 {
		return ports{}, fmt.Errorf("CAPOK_PORTS=%s: say the first of four free ports, 1024 to 65531", first)
	}
	return ports{AMQP: n, Erlang: n + 1, Epmd: n + 2, Memcached: n + 3}, nil
}

// open reads the settings and takes the lock that keeps two commands from
// working on the cloud at the same time.
func open(ctx context.Context, p *progress.Printer) (c *cloud, unlock func(), err error) {
	if os.Geteuid() != 0 {
		return nil, nil, errors.New("root is needed: the cloud makes network namespaces, mounts and containers")
	}
	if c, err = settings(p); err != nil {
		return nil, nil, err
	}
	unlock, err = lock.Take(ctx, p, place.State("openstack.lock"))
	return c, unlock, err
}

// Path is a place in the cloud's state folder.
func (c cloud) Path(elem ...string) string {
	return place.State(append([]string{"openstack"}, elem...)...)
}

// URL is where the API with this port is reached.
func (c cloud) URL(port int) string { return fmt.Sprintf("http://%s:%d", c.Host(), port) }

// Broker is RabbitMQ's address, as oslo.messaging wants it.
func (c cloud) Broker() string {
	return fmt.Sprintf("rabbit://guest:guest@127.0.0.1:%d/", c.Ports.AMQP)
}

// Memcached is memcached's address.
func (c cloud) Memcached() string { return fmt.Sprintf("127.0.0.1:%d", c.Ports.Memcached) }

// Database is one database's address, as SQLAlchemy wants it.
func (c cloud) Database(name string) string {
	return fmt.Sprintf("mysql+pymysql://root@localhost/%s?unix_socket=%s&charset=utf8mb4", name, c.Path("run", "mysqld.sock"))
}

// For is the cloud seen by one service, for the templates in shared.
func (c cloud) For(service string) cloud { return c.In("", service) }

// In is the same for one section of the service's configuration file.
func (c cloud) In(section, service string) cloud {
	c.Section, c.Service = section, service
	return c
}

// conf is the path of a rendered configuration file.
func (c *cloud) conf(service, file string) string { return c.Path("etc", service, file) }

// configure writes the state folder: folders, plugins and configuration. A file
// that is as it should be is not touched.
func (c *cloud) configure() error {
	for _, dir := range []string{"run", "etc", "lock", "tmp", "bin", "pid", "log", "loadbalancers", "nova-node/instances", "nova-fake/instances"} {
		mode := os.FileMode(0o755)
		if dir == "run" || dir == "etc" {
			mode = 0o700 // sockets and passwords
		}
		if err := os.MkdirAll(c.Path(dir), mode); err != nil {
			return err
		}
	}
	if err := c.loadPassword(); err != nil {
		return err
	}
	return errors.Join(c.copyPlugins(), c.render())
}

func (c *cloud) copyPlugins() error {
	return fs.WalkDir(plugins, "plugins", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, ".pyc") {
			return err
		}
		content, err := plugins.ReadFile(name)
		if err != nil {
			return err
		}
		if dir, file := filepath.Split(name); dir == "plugins/bin/" {
			return write(c.Path("bin", file), content, 0o755)
		}
		return write(c.Path(name), content, 0o644)
	})
}

func (c *cloud) render() error {
	shared := template.Must(template.ParseFS(configuration, "shared/*.tmpl"))
	return fs.WalkDir(configuration, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(name, "shared/") || strings.HasSuffix(name, ".gz") {
			return err
		}
		text, err := configuration.ReadFile(name)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		t, err := template.Must(shared.Clone()).New(name).Parse(string(text))
		if err == nil {
			err = t.Execute(&out, *c)
		}
		if err != nil {
			return fmt.Errorf("configuration %s: %w", name, err)
		}
		return write(c.Path("etc", name), out.Bytes(), 0o600)
	})
}

// loadPassword makes the cloud's password once.
func (c *cloud) loadPassword() error {
	file := c.Path("etc", "password")
	content, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		content = []byte(rand.Text())
		err = write(file, content, 0o600)
	}
	c.Password = string(content)
	return err
}

// write replaces a file at once, unless it has this content already.
func write(path string, content []byte, mode os.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, content, mode); err != nil {
		return err
	}
	return os.Rename(next, path)
}

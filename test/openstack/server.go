package openstack

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"time"

	"github.com/capok/capok/test/lab/process"
)

// patience is how long a server may take to its first answer. Three dozen
// Python programs start at once on two cores.
const patience = 5 * time.Minute

// niceness keeps the servers answering while the machine builds something.
const niceness = -10

// server is one background process of the cloud.
type server struct {
	process.Command
	port int // on the bridge's address that answers once it is ready; 0: none
}

// python is a server that a Python module's main function runs.
func (c *cloud) python(name, module string, port int, args ...string) server {
	return server{port: port, Command: process.Command{
		Name: name,
		Args: append([]string{c.Path("bin", "run"), name, module}, args...),
	}}
}

// uwsgi is a server that runs a WSGI application.
func (c *cloud) uwsgi(name, application string, port int, env []string, args ...string) server {
	return server{port: port, Command: process.Command{
		Name: name,
		Env:  env,
		Args: append([]string{"uwsgi_python3", "--http-socket", fmt.Sprintf("%s:%d", c.Host(), port),
			"--wsgi-file", application, "--master", "--processes", "1", "--threads", "8",
			"--enable-threads", "--lazy-apps", "--buffer-size", "65535", "--die-on-term", "--need-app",
			"--add-header", "Connection: close", "--disable-logging", "--log-5xx", "--procname-prefix", name + " "}, args...),
	}}
}

// environment is what all servers and tools of the cloud have in common.
func (c *cloud) environment() []string {
	return []string{
		"PATH=" + c.Path("bin") + ":/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
		"PYTHONPATH=" + c.Path("plugins"),
		"PYTHONWARNINGS=ignore",
		"LC_ALL=C.UTF-8",
		"http_proxy=", "https_proxy=", "HTTP_PROXY=", "HTTPS_PROXY=", "all_proxy=", "ALL_PROXY=",
	}
}

// start starts servers that do not run yet.
func (c *cloud) start(servers ...server) error {
	for _, s := range servers {
		s.Env = append(c.environment(), s.Env...)
		s.Nice = niceness
		if err := c.processes.Start(s.Command); err != nil {
			return err
		}
	}
	return nil
}

// answer waits until each server listens on its port.
func (c *cloud) answer(ctx context.Context, servers ...server) error {
	for _, s := range servers {
		if s.port == 0 {
			continue
		}
		address := fmt.Sprintf("%s:%d", c.Host(), s.port)
		if err := c.wait(ctx, s.Name, func(ctx context.Context) error { return dial(ctx, address) }); err != nil {
			return err
		}
	}
	return nil
}

func dial(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}

// wait polls until check says that it is so. It ends early when any process of
// the cloud has died: then waiting has no sense.
func (c *cloud) wait(ctx context.Context, what string, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var dead error
	err := c.progress.Wait(ctx, what, 200*time.Millisecond, func(ctx context.Context) error {
		if err := check(ctx); err == nil {
			return nil
		} else if dead = c.dead(); dead == nil {
			return err
		}
		return nil
	})
	if dead != nil {
		return fmt.Errorf("wait for %s: %w", what, dead)
	}
	if err != nil {
		return fmt.Errorf("%w; the logs are in %s", err, c.processes.Logs)
	}
	return nil
}

// dead reports a process that was started and does not run any more.
func (c *cloud) dead() error {
	for _, name := range c.processes.Known() {
		if err := c.processes.Died(name); err != nil {
			return err
		}
	}
	return nil
}

// tool runs a program to its end; its error holds what the program said.
func (c *cloud) tool(ctx context.Context, args ...string) (string, error) {
	return c.toolWith(ctx, nil, args...)
}

// toolWith is tool with more variables, for secrets above all: arguments are
// seen by everybody.
func (c *cloud) toolWith(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(append(cmd.Environ(), c.environment()...), env...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("%s: %w: %s", strings.Join(args[:min(len(args), 4)], " "), err, text[max(0, len(text)-2000):])
	}
	return text, nil
}

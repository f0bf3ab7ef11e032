package openstack

import (
	"context"
	"fmt"
	"os"

	"github.com/capok/capok/test/lab/process"
)

// rabbitmq is the broker of the services' remote calls, on loopback, with an
// Erlang port mapper of its own.
func (c *cloud) rabbitmq() server {
	home := c.Path("rabbitmq")
	return server{Command: process.Command{
		Name: "rabbitmq",
		Args: []string{"/usr/lib/rabbitmq/bin/rabbitmq-server"},
		Env: []string{
			"HOME=" + home,
			"RABBITMQ_NODENAME=capok@localhost",
			"RABBITMQ_MNESIA_BASE=" + home,
			"RABBITMQ_LOG_BASE=" + c.processes.Logs,
			"RABBITMQ_CONFIG_FILE=" + c.conf("rabbitmq", "rabbitmq.conf"),
			"RABBITMQ_ENABLED_PLUGINS_FILE=" + c.conf("rabbitmq", "enabled_plugins"),
			"RABBITMQ_CONF_ENV_FILE=/dev/null",
			fmt.Sprintf("RABBITMQ_DIST_PORT=%d", c.Ports.Erlang),
			"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}",
			fmt.Sprintf("ERL_EPMD_PORT=%d", c.Ports.Epmd),
			"ERL_EPMD_ADDRESS=127.0.0.1",
		},
	}}
}

// memcached keeps tokens that were checked.
func (c *cloud) memcached() server {
	return server{Command: process.Command{Name: "memcached", Args: []string{
		"memcached", "-u", "root", "-l", "127.0.0.1", "-p", fmt.Sprint(c.Ports.Memcached), "-U", "0", "-m", "64", "-t", "1"}}}
}

// startInfrastructure starts what the services stand on.
func (c *cloud) startInfrastructure(ctx context.Context) error {
	if err := c.initDatabase(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Path("rabbitmq"), 0o700); err != nil {
		return err
	}
	if err := c.start(c.mariadb(), c.memcached(), c.rabbitmq()); err != nil {
		return err
	}
	return c.wait(ctx, "mariadb", func(ctx context.Context) error { return c.sql(ctx, "", "SELECT 1") })
}

// brokerAnswers waits for RabbitMQ, which starts slowly.
func (c *cloud) brokerAnswers(ctx context.Context) error {
	return c.wait(ctx, "rabbitmq", func(ctx context.Context) error {
		return dial(ctx, fmt.Sprintf("127.0.0.1:%d", c.Ports.AMQP))
	})
}

// consumed waits until each queue has a consumer: then the server behind it
// really listens. An agent that calls earlier loses its call, waits a minute
// for the answer, and longer after that.
func (c *cloud) consumed(ctx context.Context, queues ...string) error {
	return c.wait(ctx, fmt.Sprint("message queues ", queues), func(ctx context.Context) error {
		_, err := c.tool(ctx, append([]string{"/usr/bin/python3", "-m", "capok.queues",
			fmt.Sprintf("amqp://guest:guest@127.0.0.1:%d//", c.Ports.AMQP)}, queues...)...)
		return err
	})
}

// stopEpmd ends Erlang's port mapper, which makes itself a daemon.
func (c *cloud) stopEpmd(ctx context.Context) {
	// it refuses, with an error, while RabbitMQ is registered with it
	_, _ = c.toolWith(ctx, []string{fmt.Sprintf("ERL_EPMD_PORT=%d", c.Ports.Epmd)}, "epmd", "-kill")
}

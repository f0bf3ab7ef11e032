package openstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/process"
	"github.com/capok/capok/test/lab/progress"
)

// packages is all that an untouched Debian 12 needs. nova-compute and
// cinder-volume are missing on purpose: their programs are in python3-nova and
// python3-cinder, the packages themselves only draw in libvirt, qemu and lvm2.
var packages = strings.Fields(`
	mariadb-server-core mariadb-client rabbitmq-server memcached
	keystone placement-api glance-api nova-api nova-conductor nova-scheduler
	neutron-server neutron-dhcp-agent neutron-l3-agent neutron-metadata-agent
	neutron-linuxbridge-agent octavia-api cinder-api cinder-scheduler heat-api
	heat-engine python3-openstackclient python3-octaviaclient python3-heatclient
	uwsgi-core uwsgi-plugin-python3 haproxy dnsmasq-base ipset ebtables iptables
	conntrack iproute2 iputils-arping iputils-ping qemu-utils genisoimage
	procps lxc python3-fixtures`)

// policy is where Debian's packages ask whether they may start a service.
const policy = "/usr/sbin/policy-rc.d"

// Install installs the Debian packages that are missing. It needs root. The
// packages' services are not started: Up starts its own.
func Install(ctx context.Context, p *progress.Printer) error {
	missing, err := missingPackages(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("root is needed to install %s", strings.Join(missing, " "))
	}
	return p.Phase(ctx, fmt.Sprintf("OpenStack: install %d Debian packages and what they need", len(missing)),
		func(ctx context.Context) error { return install(ctx, p, missing) })
}

func install(ctx context.Context, p *progress.Printer, missing []string) error {
	shim, err := os.MkdirTemp("", "capok-install-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(shim) }()
	// Compiling all of Python's files takes half of the time; what is really
	// imported is compiled at its first start anyway.
	if err := os.WriteFile(filepath.Join(shim, "py3compile"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		return err
	}
	allow, err := forbidStarts()
	if err != nil {
		return err
	}
	defer allow()

	log := place.Cache("openstack", "apt.log")
	if err := apt(ctx, p, log, "update", "-q"); err != nil {
		return err
	}
	return apt(ctx, p, log, append([]string{"install", "-y", "-q", "--no-install-recommends",
		// apt sets a PATH of its own for dpkg
		"-o", "DPkg::Path=" + shim + ":/usr/sbin:/usr/bin:/sbin:/bin",
		"-o", "Dpkg::Options::=--force-confold",
		"-o", "Dpkg::Options::=--force-unsafe-io",
		"-o", "Dpkg::Options::=--path-exclude=/usr/share/doc/*",
		"-o", "Dpkg::Options::=--path-exclude=/usr/share/man/*",
		"-o", "Dpkg::Options::=--path-exclude=/usr/share/locale/*"}, missing...)...)
}

// forbidStarts keeps packages from starting their services for as long as the
// installation lasts. A policy that the machine has already is left alone.
func forbidStarts() (allow func(), err error) {
	if _, err := os.Stat(policy); err == nil {
		return func() {}, nil
	}
	if err := os.WriteFile(policy, []byte("#!/bin/sh\nexit 101\n"), 0o755); err != nil {
		return nil, err
	}
	return func() { _ = os.Remove(policy) }, nil
}

// apt runs apt-get with its output in a log, and reports the log's last line
// while it runs.
func apt(ctx context.Context, p *progress.Printer, log string, args ...string) error {
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	// dpkg must not be killed half-way: it is let end when ctx does.
	cmd := exec.Command("apt-get", append([]string{"-o", "DPkg::Lock::Timeout=600"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("apt-get (is this a Debian?): %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	err = p.Wait(context.WithoutCancel(ctx), "apt-get "+args[0], time.Second, func(context.Context) error {
		select {
		case err := <-done:
			done <- err
			return nil
		default:
			line := process.Tail(log, 1)
			return errors.New(line[strings.LastIndexByte(line, '\r')+1:])
		}
	})
	if err = errors.Join(err, <-done); err != nil {
		return fmt.Errorf("apt-get %s: %w; its log is %s and ends with:\n%s", args[0], err, log, process.Tail(log, 15))
	}
	return ctx.Err()
}

// missingPackages asks dpkg which of the packages are not installed.
func missingPackages(ctx context.Context) ([]string, error) {
	// dpkg-query fails when it does not know one of them: its answer counts.
	out, err := exec.CommandContext(ctx, "dpkg-query", append([]string{"-W", "-f", "${db:Status-Status} ${Package}\n"}, packages...)...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("ask dpkg for packages (Debian 12 is needed): %w", err)
	}
	installed := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "installed "); ok {
			installed[name] = true
		}
	}
	var missing []string
	for _, name := range packages {
		if !installed[name] {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

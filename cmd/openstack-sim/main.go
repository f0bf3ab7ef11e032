// Command openstack-sim serves a simulated OpenStack on this machine, for
// development and for a first look without a cloud. What it simulates is in
// test/openstacksim; its state ends with the process.
//
//	openstack-sim --clouds-yaml clouds.yaml
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/capok/capok/test/openstacksim"
)

// cloudName is what the cloud is called in the clouds.yaml.
const cloudName = "capok-sim"

const helpWidth = 80 // columns

// unknownPoll is how often requests that are not simulated are looked for.
const unknownPoll = time.Second

// flags are the flags of the program.
type flags struct {
	listen     string
	cloudsYAML string
	pageSize   int
	instant    bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "openstack-sim:", err)
		os.Exit(1)
	}
}

// run serves the cloud until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	f, err := parse(args, out)
	if err != nil || f == nil {
		return err
	}
	sim := setup(f)
	url, stop, err := sim.Serve(ctx, f.listen)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(out, "A simulated OpenStack serves %s/identity/v3 until Ctrl-C.\n", url)
	if err := giveCredentials(out, f, sim.CloudsYAML(cloudName)); err != nil {
		return err
	}
	reportUnknown(ctx, out, sim)
	return nil
}

// parse reads the flags; none if only help was asked for.
func parse(args []string, out io.Writer) (*flags, error) {
	f := &flags{}
	set := pflag.NewFlagSet("openstack-sim", pflag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.listen, "listen", "127.0.0.1:5050", "address to serve at; port 0 takes a free one. Nothing is secret here: "+
		"an address other than loopback's gives the cloud to the network")
	set.StringVar(&f.cloudsYAML, "clouds-yaml", "", "file to write the credentials to, for OS_CLIENT_CONFIG_FILE")
	set.IntVar(&f.pageSize, "page-size", 1000, "resources in a page of a list; a small number shows clients that read one page only")
	set.BoolVar(&f.instant, "instant", false, "servers, load balancers and volumes are ready at once instead of after some seconds")
	set.Usage = func() { fmt.Fprint(out, help, set.FlagUsagesWrapped(helpWidth)) }
	err := set.Parse(args)
	switch {
	case err == pflag.ErrHelp: //nolint:errorlint // pflag returns it as it is
		return nil, nil
	case err != nil:
		return nil, err
	case set.NArg() > 0:
		return nil, fmt.Errorf("there are only flags, and %q is none; see --help", set.Arg(0))
	case f.pageSize < 1:
		return nil, fmt.Errorf("--page-size must be at least 1")
	}
	return f, nil
}

// setup makes the cloud that the flags ask for, on the time of the wall clock.
func setup(f *flags) *openstacksim.Cloud {
	options := []openstacksim.Option{
		openstacksim.WithClock(openstacksim.NewRunningClock()),
		openstacksim.WithPageSize(f.pageSize),
	}
	if f.instant {
		options = append(options, openstacksim.WithDelays(openstacksim.Delays{}))
	}
	return openstacksim.New(options...)
}

// giveCredentials writes the clouds.yaml and says how to use it, or shows it. It
// replaces only a file that openstack-sim has written.
func giveCredentials(out io.Writer, f *flags, clouds []byte) error {
	if f.cloudsYAML == "" {
		fmt.Fprintf(out, "Its clouds.yaml (--clouds-yaml PATH writes it):\n\n%s\n", clouds)
		return nil
	}
	path, err := filepath.Abs(f.cloudsYAML)
	if err != nil {
		return err
	}
	switch old, err := os.ReadFile(path); { //nolint:gosec // the user says where
	case err == nil && !bytes.HasPrefix(old, []byte("clouds:\n  "+cloudName+":\n")):
		return fmt.Errorf("%s is there and was not written by openstack-sim: name another file", path)
	case err == nil:
		if err := os.Remove(path); err != nil { //nolint:gosec // the user says where; the old mode goes with it
			return err
		}
	}
	if err := os.WriteFile(path, clouds, 0o600); err != nil { //nolint:gosec // the user says where
		return fmt.Errorf("write the credentials: %w", err)
	}
	fmt.Fprintf(out, "Next:\n\n  export OS_CLIENT_CONFIG_FILE=%s OS_CLOUD=%s\n  openstack server list\n\n", path, cloudName)
	return nil
}

// reportUnknown tells of requests that the cloud cannot answer, until the end.
func reportUnknown(ctx context.Context, out io.Writer, sim *openstacksim.Cloud) {
	ticker := time.NewTicker(unknownPoll)
	defer ticker.Stop()
	told := 0
	for {
		unknown := sim.Unknown()
		for _, what := range unknown[told:] {
			fmt.Fprintln(out, "not simulated:", what)
		}
		told = len(unknown)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

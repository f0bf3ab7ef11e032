package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// flags are the flags of the program.
type flags struct {
	output   string
	projects int
	building int
	boot     time.Duration
	timeout  time.Duration
	sizes    []size
}

// size is how many clusters there are, and how many machines each has.
type size struct{ clusters, machines int }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.clusters, s.machines) }

// controlPlane is how many of a cluster's machines belong to its control plane.
func (s size) controlPlane() int {
	if s.machines > 3 {
		return 3
	}
	return 1
}

// building is how many machines are built at a time if nobody says: workers are less
// work for Cluster API than clusters are.
func (s size) building() int {
	if s.machines > 1 {
		return 80
	}
	return 15
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctrl.SetLogger(logr.Discard())
	f, err := parse()
	if err != nil {
		return err
	}
	programs, err := build(ctx)
	if err != nil {
		return err
	}
	if !isolated() {
		return isolate(ctx)
	}
	if err := makeLocal(ctx); err != nil {
		return err
	}
	var results []result
	for _, s := range f.sizes {
		r, err := measure(ctx, f, programs, s)
		results = append(results, r)
		fmt.Println(table(results))
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return publish(f.output, results)
}

func parse() (*flags, error) {
	f := &flags{}
	flag.StringVar(&f.output, "output", "", "file whose table is replaced by the results")
	flag.IntVar(&f.projects, "clusters-per-project", 10, "how many clusters share a project of OpenStack and its credentials")
	flag.IntVar(&f.building, "building", 0, "how many machines are being built at a time; more than the processors can bear measures queues (default 15, or 80 where clusters have several)")
	flag.DurationVar(&f.boot, "boot", 5*time.Second, "how long a server takes from ACTIVE to being a node")
	flag.DurationVar(&f.timeout, "timeout", 2*time.Hour, "how long a size may take")
	flag.Parse()
	for _, arg := range flag.Args() {
		var s size
		if n, err := fmt.Sscanf(arg, "%dx%d", &s.clusters, &s.machines); n != 2 || err != nil || s.clusters < 1 || s.machines < 1 {
			return nil, fmt.Errorf("%q is no size such as 100x13: clusters x machines of each", arg)
		}
		f.sizes = append(f.sizes, s)
	}
	if len(f.sizes) == 0 || f.projects < 1 {
		return nil, fmt.Errorf("name sizes, such as 10x1 100x13")
	}
	return f, nil
}

// Command lab builds, starts and stops the development environment: a real
// OpenStack, a management cluster and a workload cluster on one machine.
//
//	go run ./test/lab up        everything, ends with a Ready workload cluster
//	go run ./test/lab clouds    the same without the workload cluster
//	go run ./test/lab status    what runs, where, and how to talk to it
//	go run ./test/lab down      stops what up started
//	go run ./test/lab wipe      down, and forgets all state (built things stay)
//
// Each file beside this one adds the commands of one part; the work itself is
// in the packages test/openstack, test/node, test/management and their kin.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/capok/capok/test/lab/progress"
)

// command is one word that a person types after lab.
type command struct {
	summary string
	run     func(ctx context.Context, p *progress.Printer, args []string) error
}

// commands is filled by the init functions of the files beside this one.
var commands = map[string]command{}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("say what to do:\n%s", usage())
	}
	chosen, known := commands[args[0]]
	if !known {
		return fmt.Errorf("no command %q; there are:\n%s", args[0], usage())
	}
	return chosen.run(ctx, progress.New(), args[1:])
}

func usage() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		fmt.Fprintf(&out, "  %-12s %s\n", name, commands[name].summary)
	}
	return out.String()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/management"
	"github.com/capok/capok/test/openstack"
)

func init() {
	commands["down"] = command{"stops everything that up started; what was built stays", down}
	commands["wipe"] = command{"down, and forgets all state", wipe}
	commands["status"] = command{"what runs, where, and how to talk to it", status}
}

func down(ctx context.Context, p *progress.Printer, _ []string) error {
	t, err := startedTarget()
	if err == nil && t.own {
		err = deleteClusters(ctx, p)
	}
	if err != nil {
		return err
	}
	err = management.Down(ctx, p)
	if !t.own {
		err = errors.Join(err, openstack.Down(ctx, p))
	}
	return err
}

func wipe(ctx context.Context, p *progress.Printer, args []string) error {
	if err := down(ctx, p, args); err != nil {
		return err
	}
	return errors.Join(management.Wipe(ctx, p), openstack.Wipe(ctx, p), os.RemoveAll(environmentFile()), os.RemoveAll(kubeconfig()), os.RemoveAll(ownFile()))
}

// deleteClusters deletes all clusters through the API, so that an own cloud
// holds nothing of them when nobody is left to delete it.
func deleteClusters(ctx context.Context, p *progress.Printer) error {
	if !management.Running(ctx) {
		return nil
	}
	w, err := newWorkload(ctx, p, nil)
	if err != nil {
		return err
	}
	return p.Phase(ctx, "delete the workload clusters", func(ctx context.Context) error {
		if _, err := w.run(ctx, nil, w.kubectl, "delete", "clusters", "-A", "--all", "--wait=false"); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 20*time.Minute)
		defer cancel()
		return p.Wait(ctx, "the clusters to be deleted", 2*time.Second, func(ctx context.Context) error {
			left, err := w.run(ctx, nil, w.kubectl, "get", "clusters", "-A", "-o", "name")
			if err != nil || left == "" {
				return err
			}
			return errors.Join(fmt.Errorf("left: %s", strings.ReplaceAll(left, "\n", ", ")), w.reasons(ctx))
		})
	})
}

func status(ctx context.Context, p *progress.Printer, _ []string) error {
	t, err := startedTarget()
	if err != nil {
		return err
	}
	if t.own {
		fmt.Printf("OpenStack: cloud %s of %s\n", t.entry, t.file)
	} else {
		err = openstack.Status(ctx, p, os.Stdout)
	}
	address, addressErr := management.Address()
	state, running := "down; make up starts it", management.Running(ctx)
	if running {
		state = "up, https://" + address + ":6443"
	}
	fmt.Printf("\nmanagement cluster: %s\n", state)
	memory(os.Stdout)
	if _, missing := os.Stat(environmentFile()); missing == nil && running {
		fmt.Print(next())
	}
	fmt.Printf("\nstate: %s\nbuilt things: %s\n", place.State(), place.Cache())
	return errors.Join(err, addressErr)
}

// writePrivate writes a file that only its owner may read.
func writePrivate(path, content string) error {
	return os.WriteFile(path, []byte(content), 0o600)
}

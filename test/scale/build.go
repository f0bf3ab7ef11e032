package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
)

// programs are the paths of what is run, by name, and the sources of Cluster API,
// which hold its manifests.
type programs struct {
	path   map[string]string
	assets string // etcd, kube-apiserver, kubectl
	source string
}

const (
	ourManager = "manager"
	workloads  = "workload"
)

// build compiles what is not in the cache.
func build(ctx context.Context) (*programs, error) {
	p := &programs{path: map[string]string{ourManager: place.State("scale", ourManager)}}
	var err error
	if p.assets, err = component.Envtest(ctx); err != nil {
		return nil, err
	}
	names := []string{workloads}
	for _, provider := range upstream {
		names = append(names, provider.program)
	}
	for _, name := range names {
		if p.path[name], err = component.Path(ctx, progress.New(), name); err != nil {
			return nil, err
		}
	}
	if _, err := output(ctx, "go", "-C", place.Repo(), "build", "-o", p.path[ourManager], "./cmd/manager"); err != nil {
		return nil, err
	}
	p.source, err = output(ctx, "go", "-C", place.Repo(), "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api")
	return p, err
}

// output runs a program and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	var errors strings.Builder
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, errors.String())
	}
	return strings.TrimSpace(string(out)), nil
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/management"
	"github.com/capok/capok/test/node"
)

const (
	clusterName  = "capok-demo"
	workers      = 2
	nodesTimeout = 20 * time.Minute
	look         = 3 * time.Second // each look is two or three programs
)

// workload is the cluster that `lab up` ends with, driven as a user does: by
// clusterctl and kubectl.
type workload struct {
	p                   *progress.Printer
	kubectl, clusterctl string
	env                 []string
	applied             time.Time // zero if it was there already
}

func newWorkload(ctx context.Context, p *progress.Printer, variables []setting) (*workload, error) {
	w := &workload{p: p, env: management.Environment()}
	for _, one := range variables {
		w.env = append(w.env, one.name+"="+one.value)
	}
	var err error
	if w.kubectl, err = component.Path(ctx, p, "kubectl"); err != nil {
		return nil, err
	}
	w.clusterctl, err = component.Path(ctx, p, "clusterctl")
	return w, err
}

// kubeconfig is the workload cluster's.
func kubeconfig() string { return place.State(clusterName + ".kubeconfig") }

// apply is `clusterctl generate cluster | kubectl apply`.
func (w *workload) apply(ctx context.Context) error {
	before, err := w.run(ctx, nil, w.kubectl, "get", "cluster", clusterName, "--ignore-not-found", "-o", "name")
	if err != nil {
		return err
	}
	manifest, err := w.run(ctx, nil, w.clusterctl, "generate", "cluster", clusterName, "--config", management.Config(),
		"--infrastructure", "openstack", "--kubernetes-version", component.Kubernetes,
		"--control-plane-machine-count", "1", "--worker-machine-count", fmt.Sprint(workers))
	if err != nil {
		return err
	}
	if before == "" {
		w.applied = time.Now()
	}
	// A webhook may need a moment after clusterctl init.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return w.p.Wait(ctx, "kubectl apply", look, func(ctx context.Context) error {
		_, err := w.run(ctx, strings.NewReader(manifest), w.kubectl, "apply", "-f", "-")
		return err
	})
}

// reachable waits until the workload cluster's API answers.
func (w *workload) reachable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, nodesTimeout)
	defer cancel()
	known := false // its kubeconfig is
	return w.p.Wait(ctx, "the API of "+clusterName, look, func(ctx context.Context) error {
		if !known {
			config, err := w.run(ctx, nil, w.clusterctl, "get", "kubeconfig", clusterName)
			if err != nil {
				return w.reasons(ctx)
			}
			if err := writePrivate(kubeconfig(), config); err != nil {
				return err
			}
			known = true
		}
		if _, err := w.inside(ctx, nil, "get", "--raw", "/readyz"); err != nil {
			return fmt.Errorf("no answer yet; %w", w.reasons(ctx))
		}
		return nil
	})
}

// network gives the workload cluster its pod network.
func (w *workload) network(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return w.p.Wait(ctx, "the pod network's manifest", look, func(ctx context.Context) error {
		_, err := w.inside(ctx, strings.NewReader(node.PodNetwork(node.DefaultPods)), "apply", "-f", "-")
		return err
	})
}

// ready waits until all nodes are, and says how long it took since apply.
func (w *workload) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, nodesTimeout)
	defer cancel()
	controlPlane := false
	return w.p.Wait(ctx, "the nodes of "+clusterName, look, func(ctx context.Context) error {
		const each = `jsonpath={range .items[*]}{.metadata.name} {.metadata.labels} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}`
		out, err := w.inside(ctx, nil, "get", "nodes", "-o", each)
		if err != nil {
			return err
		}
		ready := 0
		for line := range strings.Lines(out) {
			if !strings.HasSuffix(strings.TrimSpace(line), " True") {
				continue
			}
			ready++
			if strings.Contains(line, "node-role.kubernetes.io/control-plane") && !controlPlane {
				controlPlane = true
				w.since("control plane Ready")
			}
		}
		if ready < 1+workers {
			return fmt.Errorf("%d of %d Ready; %w", ready, 1+workers, w.reasons(ctx))
		}
		w.since(fmt.Sprintf("all %d nodes Ready", ready))
		return nil
	})
}

// available waits for what Cluster API says of the cluster: it sees the nodes a
// moment later than we do, and what `clusterctl describe` shows should be true.
func (w *workload) available(ctx context.Context) error {
	_, err := w.run(ctx, nil, w.kubectl, "wait", "cluster/"+clusterName, "--for=condition=Available", "--timeout=3m")
	return err
}

func (w *workload) since(what string) {
	if !w.applied.IsZero() {
		w.p.Sayf("%s %.0f s after kubectl apply", what, time.Since(w.applied).Seconds())
	}
}

// inside runs kubectl on the workload cluster.
func (w *workload) inside(ctx context.Context, in *strings.Reader, args ...string) (string, error) {
	return w.run(ctx, in, w.kubectl, append([]string{"--kubeconfig", kubeconfig(), "--request-timeout", "5s"}, args...)...)
}

func (w *workload) run(ctx context.Context, in *strings.Reader, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = w.env
	if in != nil {
		cmd.Stdin = in
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

package management

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
)

// Kubeconfig is the management cluster's, for its administrator.
func Kubeconfig() string { return place.State("management", "kubeconfig") }

// Repository is the folder that clusterctl takes the providers from.
func Repository() string { return place.State("management", "repository") }

// Config is the file for clusterctl --config that names the repository.
func Config() string { return repository{Repository()}.config() }

// Environment is what clusterctl is run with: it may not look for a newer
// version of itself, and the ClusterClass feature is on.
func Environment() []string { return append(os.Environ(), settings()...) }

func settings() []string {
	return []string{"CLUSTERCTL_DISABLE_VERSIONCHECK=true", "CLUSTER_TOPOLOGY=true", "KUBECONFIG=" + Kubeconfig()}
}

// install installs what clusterctl does not find installed.
func install(ctx context.Context, p *progress.Printer) error {
	clusterctl, err := component.Path(ctx, p, "clusterctl")
	if err != nil {
		return err
	}
	installed, err := installedProviders(ctx)
	if err != nil {
		return err
	}
	args := []string{"init", "--config", Config()}
	for _, provider := range append(upstream, own) {
		if !strings.Contains(installed, "/"+provider.folder+"\n") {
			args = append(args, provider.flag, provider.name)
		}
	}
	if !exists(repository{Repository()}.applied()) {
		if err := completeCertManager(ctx); err != nil {
			return err
		}
	}
	if len(args) > 3 {
		args = append(args, "--wait-providers", "--wait-provider-timeout", "600")
		if err := withWebhookCA(ctx, p, func(ctx context.Context) error { return told(ctx, p, clusterctl, args...) }); err != nil {
			return err
		}
	}
	if err := available(ctx, p); err != nil {
		return err
	}
	return repository{Repository()}.recordApplied()
}

// installedProviders lists the providers that clusterctl recorded, one a
// line; none before its first init.
func installedProviders(ctx context.Context) (string, error) {
	crd, err := kubectl(ctx, "get", "crd", "providers.clusterctl.cluster.x-k8s.io", "--ignore-not-found", "-o", "name")
	if err != nil || crd == "" {
		return "", err
	}
	names, err := kubectl(ctx, "get", "providers.clusterctl.cluster.x-k8s.io", "-A", "-o", "name")
	return names + "\n", err
}

// available waits until every Deployment is.
func available(ctx context.Context, p *progress.Printer) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	return p.Wait(ctx, "the management cluster's Deployments", time.Second, func(ctx context.Context) error {
		const short = `{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Available")].status}{"\n"}{end}`
		out, err := kubectl(ctx, "get", "deployments", "-A", "-o", "jsonpath="+short)
		if err != nil {
			return err
		}
		var waiting []string
		for line := range strings.Lines(out) {
			if field := strings.Fields(line); len(field) > 0 && (len(field) < 2 || field[1] != "True") {
				waiting = append(waiting, field[0])
			}
		}
		if len(waiting) > 0 {
			return fmt.Errorf("not available yet: %s", strings.Join(waiting, ", "))
		}
		return nil
	})
}

// kubectl talks to the management cluster.
func kubectl(ctx context.Context, args ...string) (string, error) {
	program, err := component.Path(ctx, nil, "kubectl")
	if err != nil {
		return "", err
	}
	return output(ctx, program, append([]string{"--kubeconfig", Kubeconfig(), "--request-timeout", "20s"}, args...)...)
}

// told runs a program whose lines are progress.
func told(ctx context.Context, p *progress.Printer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = Environment()
	cmd.Stdout, cmd.Stderr = saying{p}, saying{p}
	if err := cmd.Run(); err != nil {
		return errors.Join(fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err), ctx.Err())
	}
	return nil
}

// saying turns what is written into progress lines.
type saying struct{ p *progress.Printer }

func (s saying) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			s.p.Sayf("  %s", line)
		}
	}
	return len(text), nil
}

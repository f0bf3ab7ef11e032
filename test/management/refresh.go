package management

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/progress"
)

// Redeploy brings the manager of the checkout into the running management
// cluster: what a developer does after each change.
func Redeploy(ctx context.Context, p *progress.Printer) error {
	c, err := newContainer(ctx, p)
	if err != nil {
		return err
	}
	if !c.running(ctx) {
		return fmt.Errorf("the management cluster does not run; `lab up` starts it")
	}
	if err := (repository{Repository()}).fillOwn(ctx, p); err != nil {
		return err
	}
	manager, err := buildManager(ctx)
	if err != nil {
		return err
	}
	changed, err := c.load(ctx, p, []image{manager})
	if err != nil {
		return err
	}
	return refresh(ctx, p, changed)
}

// refresh brings what is installed already up to date: the components of our
// release, and whatever runs an image whose content changed. Before the first
// clusterctl init it finds nothing to do.
func refresh(ctx context.Context, p *progress.Printer, changed []image) error {
	if err := reapply(ctx, p); err != nil {
		return err
	}
	const running = `jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name} {.spec.template.spec.containers[*].image}{"\n"}{end}`
	deployments, err := kubectl(ctx, "get", "deployments", "-A", "-o", running)
	if err != nil {
		return err
	}
	for line := range strings.Lines(deployments) {
		field := strings.Fields(line)
		if len(field) < 3 || !slices.ContainsFunc(changed, func(one image) bool { return one.name == field[2] }) {
			continue
		}
		p.Sayf("  restart %s: its image changed", field[1])
		if _, err := kubectl(ctx, "-n", field[0], "rollout", "restart", "deployment", field[1]); err != nil {
			return err
		}
	}
	return nil
}

// reapply does what clusterctl has no command for: installing changed
// components under the same version.
func reapply(ctx context.Context, p *progress.Printer) error {
	r := repository{Repository()}
	applied, err := os.ReadFile(r.applied())
	if os.IsNotExist(err) {
		return nil // clusterctl init comes yet
	} else if err != nil {
		return err
	}
	digest, err := digestOf(r.own())
	if err != nil || string(applied) == digest {
		return err
	}
	p.Sayf("  the components of %s changed: applying them", own.name)
	clusterctl, err := component.Path(ctx, p, "clusterctl")
	if err != nil {
		return err
	}
	manifest, err := output(ctx, "env", append(settings(), clusterctl, "generate", "provider", "--config", Config(), own.flag, own.name+":"+ProviderVersion)...)
	if err != nil {
		return err
	}
	program, err := component.Path(ctx, p, "kubectl")
	if err != nil {
		return err
	}
	if _, err := pipe(ctx, strings.NewReader(manifest), program, "--kubeconfig", Kubeconfig(), "apply", "--server-side", "--force-conflicts", "-f", "-"); err != nil {
		return err
	}
	return r.recordApplied()
}

// applied holds the digest of the components that run.
func (r repository) applied() string { return r.path("applied") }

// own is the manifest of our provider's components.
func (r repository) own() string { return r.path(own.folder, ProviderVersion, own.file) }

func (r repository) recordApplied() error {
	digest, err := digestOf(r.own())
	if err != nil {
		return err
	}
	return write(r.applied(), []byte(digest))
}

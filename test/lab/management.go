package main

import (
	"context"
	"fmt"

	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/management"
)

func init() {
	commands["image"] = command{"NAME FILE: the manager's container image, as an OCI archive", imageCommand}
	commands["management"] = command{"up | redeploy | down | wipe: the management cluster alone", managementCommand}
}

func imageCommand(ctx context.Context, _ *progress.Printer, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("say `image NAME FILE`")
	}
	if err := management.WriteImage(ctx, args[0], args[1]); err != nil {
		return err
	}
	fmt.Printf("%s is in %s; next, with your own name for it:\n  skopeo copy oci-archive:%s docker://%s\n  make release IMAGE=%s\n", args[0], args[1], args[1], args[0], args[0])
	return nil
}

func managementCommand(ctx context.Context, p *progress.Printer, args []string) error {
	if len(args) != 1 {
		args = []string{""}
	}
	switch args[0] {
	case "up":
		if err := management.Up(ctx, p, false); err != nil {
			return err
		}
		p.Summary()
		fmt.Printf("\nexport KUBECONFIG=%s\nkubectl get pods -A\n", management.Kubeconfig())
		return nil
	case "redeploy":
		return management.Redeploy(ctx, p)
	case "down":
		return management.Down(ctx, p)
	case "wipe":
		return management.Wipe(ctx, p)
	default:
		return fmt.Errorf("say `management up`, `redeploy`, `down` or `wipe`, not %q", args[0])
	}
}

package main

import (
	"context"
	"fmt"

	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/management"
)

func init() {
	commands["management"] = command{"up | redeploy | down | wipe: the management cluster alone", managementCommand}
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

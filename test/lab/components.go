package main

import (
	"context"
	"fmt"
	"os"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/progress"
)

func init() {
	commands["components"] = command{"build [name...] | dir: Kubernetes binaries, or the folder for KUBEBUILDER_ASSETS", components}
}

func components(ctx context.Context, p *progress.Printer, args []string) error {
	if len(args) == 0 {
		args = []string{""}
	}
	switch args[0] {
	case "build":
		names := args[1:]
		if len(names) == 0 {
			names = component.Names()
		}
		for _, name := range names {
			path, err := component.Path(ctx, p, name)
			if err != nil {
				return err
			}
			fmt.Fprintln(os.Stdout, path)
		}
		return nil
	case "dir":
		folder, err := component.Envtest(ctx)
		if err == nil {
			fmt.Fprintln(os.Stdout, folder)
		}
		return err
	default:
		return fmt.Errorf("say `components build [name...]` or `components dir`, not %q", args[0])
	}
}

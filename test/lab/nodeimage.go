package main

import (
	"context"
	"fmt"
	"os"

	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/node"
)

func init() {
	commands["node-image"] = command{"builds the node image if it is missing, and prints its path", nodeImage}
}

func nodeImage(ctx context.Context, p *progress.Printer, _ []string) error {
	path, err := node.Image(ctx, p)
	if err == nil {
		fmt.Fprintln(os.Stdout, path)
	}
	return err
}

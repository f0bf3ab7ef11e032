package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/node"
	"github.com/capok/capok/test/openstack"
)

func init() {
	commands["openstack"] = command{"install | up | image | status | down | wipe: the real OpenStack alone", openstackCommand}
}

func openstackCommand(ctx context.Context, p *progress.Printer, args []string) error {
	switch verb := strings.Join(args, " "); verb {
	case "install":
		return openstack.Install(ctx, p)
	case "up":
		if err := openstack.Up(ctx, p); err != nil {
			return err
		}
		p.Summary()
		fmt.Printf("\nexport OS_CLIENT_CONFIG_FILE=%s OS_CLOUD=capok\nopenstack network list\n", openstack.CloudsFile())
		return nil
	case "image":
		path, err := node.Image(ctx, p)
		if err != nil {
			return err
		}
		return openstack.EnsureImage(ctx, p, node.Name, path)
	case "status":
		return openstack.Status(ctx, p, os.Stdout)
	case "down":
		return openstack.Down(ctx, p)
	case "wipe":
		return openstack.Wipe(ctx, p)
	default:
		return fmt.Errorf("say `openstack install`, `up`, `image`, `status`, `down` or `wipe`, not %q", verb)
	}
}

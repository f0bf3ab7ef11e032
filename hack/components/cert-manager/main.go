// Cert-manager is one program with cert-manager's own controllers, webhook
// and cainjector, each chosen by the first argument. It knows self-signed and
// CA issuers only, which is all that Cluster API asks for: cert-manager's own
// main packages, in modules of their own, are not in the module proxy.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	logf "github.com/cert-manager/cert-manager/pkg/logs"
)

var parts = map[string]func(context.Context, []string) error{
	"controller": runController,
	"webhook":    runWebhook,
	"cainjector": runInjector,
}

func main() {
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: cert-manager controller|webhook|cainjector [flags]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log := klog.Background()
	ctrl.SetLogger(log)
	ctx = logf.NewContext(logr.NewContext(ctx, log), log)
	if err := parts[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// flagSet ignores the many flags of cert-manager's manifests that choose
// what this program does not have.
func flagSet(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ExitOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	return flags
}

// Command manager runs Capok's controllers in the management cluster: it makes
// OpenStack look as OpenStackClusters and OpenStackMachines say.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	_ "golang.org/x/crypto/x509roots/fallback" // its image has no certificates, and OpenStack may have one of a public CA
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/capok/capok/controllers/cluster"
	"github.com/capok/capok/controllers/machine"
	"github.com/capok/capok/internal/conversion"
	"github.com/capok/capok/internal/identity"
	"github.com/capok/capok/internal/setup"
)

// passTimeout ends a look at an OpenStack that answers without end.
const passTimeout = 5 * time.Minute

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run() error {
	options := setup.Flags(pflag.CommandLine)
	pflag.Parse()
	if err := options.Logging(); err != nil {
		return err
	}
	managerOptions, err := options.Manager()
	if err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the management cluster (in the cluster, or by KUBECONFIG): %w", err)
	}
	config.QPS, config.Burst, config.UserAgent = options.QPS, options.Burst, "capok-manager"
	mgr, err := ctrl.NewManager(config, managerOptions)
	if err != nil {
		return err
	}
	ctx := ctrl.LoggerInto(ctrl.SetupSignalHandler(), klog.Background())
	if err := add(mgr, options); err != nil {
		return err
	}
	setup.Metrics(metrics.Registry)
	klog.Info("Starting manager")
	return mgr.Start(ctx)
}

// add puts the controllers and the probes into the manager.
func add(mgr ctrl.Manager, options *setup.Options) error {
	identities := identity.NewProvider(mgr.GetClient(), clock.RealClock{}, options.OpenStack)
	clusters := &cluster.Reconciler{
		Client: mgr.GetClient(), Identities: identities, Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("openstackcluster-controller"), WatchFilter: options.WatchFilter,
	}
	if err := clusters.SetupWithManager(mgr, controller.Options{MaxConcurrentReconciles: options.ClusterConcurrency, ReconciliationTimeout: passTimeout}); err != nil {
		return fmt.Errorf("set up the OpenStackCluster controller: %w", err)
	}
	machines := &machine.Reconciler{
		Client: mgr.GetClient(), Identities: identities, Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("openstackmachine-controller"), WatchFilter: options.WatchFilter,
	}
	if err := machines.SetupWithManager(mgr, controller.Options{MaxConcurrentReconciles: options.MachineConcurrency, ReconciliationTimeout: passTimeout}); err != nil {
		return fmt.Errorf("set up the OpenStackMachine controller: %w", err)
	}
	if err := mgr.Add(identities); err != nil {
		return err
	}
	if options.Webhook() {
		if err := addWebhook(mgr); err != nil {
			return err
		}
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("ping", healthz.Ping)
}

// addWebhook lets the manager answer the API server, which then finds it ready
// only when it can.
func addWebhook(mgr ctrl.Manager) error {
	if err := conversion.SetupWithManager(mgr); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("webhook", mgr.GetWebhookServer().StartedChecker())
}

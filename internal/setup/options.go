// Package setup holds what the manager's start needs: flags, scheme, cache,
// and what wakes a controller. Read Options first.
package setup

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/component-base/logs"
	logsv1 "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/cluster-api/util/flags"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/capok/capok/cloud"
)

// Options are the manager's flags. Names and defaults are those that users of
// Cluster API's providers know.
type Options struct {
	Namespace          string
	WatchFilter        string
	SyncPeriod         time.Duration
	ClusterConcurrency int
	MachineConcurrency int
	QPS                float32
	Burst              int
	OpenStack          cloud.Limits

	leaderElection bool
	leaseDuration  time.Duration
	renewDeadline  time.Duration
	retryPeriod    time.Duration
	healthAddress  string
	webhookPort    int
	webhookCerts   string
	diagnostics    flags.ManagerOptions
	logs           *logs.Options
}

// Flags declares the flags and returns where their values go.
func Flags(fs *pflag.FlagSet) *Options {
	o := &Options{logs: logs.NewOptions()}
	fs.StringVar(&o.Namespace, "namespace", "", "Namespace to watch; empty means all namespaces.")
	fs.StringVar(&o.WatchFilter, "watch-filter", "", "Reconcile only objects whose label cluster.x-k8s.io/watch-filter has this value; empty means all objects.")
	fs.DurationVar(&o.SyncPeriod, "sync-period", 10*time.Hour, "How often every object is reconciled even if nothing changed; each is looked at about every ten minutes anyhow.")
	fs.IntVar(&o.ClusterConcurrency, "openstackcluster-concurrency", 10, "How many OpenStackClusters are reconciled at a time.")
	fs.IntVar(&o.MachineConcurrency, "openstackmachine-concurrency", 10, "How many OpenStackMachines are reconciled at a time.")
	fs.Float32Var(&o.QPS, "kube-api-qps", 100, "Requests a second to the management cluster's API, on average.")
	fs.IntVar(&o.Burst, "kube-api-burst", 200, "Requests to the management cluster's API in a burst.")
	fs.Float32Var(&o.OpenStack.QPS, "openstack-qps", 30, "Requests a second to each project of an OpenStack, on average; 0 means no limit.")
	fs.IntVar(&o.OpenStack.Burst, "openstack-burst", 60, "Requests to each project of an OpenStack in a burst; at least 10.")
	fs.BoolVar(&o.leaderElection, "leader-elect", false, "Let only one of several managers work at a time.")
	fs.DurationVar(&o.leaseDuration, "leader-elect-lease-duration", 15*time.Second, "How long the others wait before they take over.")
	fs.DurationVar(&o.renewDeadline, "leader-elect-renew-deadline", 10*time.Second, "How long the leader tries to renew its lease before it stops.")
	fs.DurationVar(&o.retryPeriod, "leader-elect-retry-period", 2*time.Second, "How long to wait between tries to get the lease.")
	fs.StringVar(&o.healthAddress, "health-addr", ":9440", "Address of the probes /healthz and /readyz.")
	fs.IntVar(&o.webhookPort, "webhook-port", 9443, "Port on which the API server asks for conversion between versions; 0 means not at all.")
	fs.StringVar(&o.webhookCerts, "webhook-cert-dir", filepath.Join(os.TempDir(), "k8s-webhook-server", "serving-certs"), "Folder with tls.crt and tls.key of the webhook; renewed ones are taken without a restart.")
	flags.AddManagerOptions(fs, &o.diagnostics)
	logsv1.AddFlags(o.logs, fs)
	return o
}

// Logging applies the logging flags.
func (o *Options) Logging() error {
	if err := logsv1.ValidateAndApply(o.logs, nil); err != nil {
		return err
	}
	ctrl.SetLogger(klog.Background())
	return nil
}

// Webhook reports whether the manager is to answer the API server.
func (o *Options) Webhook() bool { return o.webhookPort != 0 }

// Manager is what the flags mean for controller-runtime.
func (o *Options) Manager() (ctrl.Options, error) {
	if o.OpenStack.QPS < 0 || o.OpenStack.Burst < 10 {
		return ctrl.Options{}, errors.New("--openstack-qps must be 0 or more, --openstack-burst 10 or more")
	}
	scheme, err := Scheme()
	if err != nil {
		return ctrl.Options{}, err
	}
	tlsOptions, diagnostics, err := flags.GetManagerOptions(o.diagnostics)
	if err != nil {
		return ctrl.Options{}, err
	}
	options := ctrl.Options{
		Scheme:                        scheme,
		LeaderElection:                o.leaderElection,
		LeaderElectionID:              "controller-leader-election-capok",
		LeaderElectionResourceLock:    resourcelock.LeasesResourceLock,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &o.leaseDuration,
		RenewDeadline:                 &o.renewDeadline,
		RetryPeriod:                   &o.retryPeriod,
		HealthProbeBindAddress:        o.healthAddress,
		Metrics:                       *diagnostics,
		WebhookServer:                 webhook.NewServer(webhook.Options{Port: o.webhookPort, CertDir: o.webhookCerts, TLSOpts: tlsOptions}),
		Cache:                         cache.Options{SyncPeriod: &o.SyncPeriod},
		// Secrets are read when they are needed, not kept: the manager's memory
		// holds no credentials but those in use.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	}
	if o.Namespace != "" {
		options.Cache.DefaultNamespaces = map[string]cache.Config{o.Namespace: {}}
	}
	return options, nil
}

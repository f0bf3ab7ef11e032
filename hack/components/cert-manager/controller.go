package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"

	"github.com/cert-manager/cert-manager/pkg/controller"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

const workers = 5

func runController(ctx context.Context, args []string) error {
	flags := flagSet("controller")
	flags.String("v", "2", "ignored")
	kubeconfig := flags.String("kubeconfig", "", "by default the pod's service account")
	namespace := flags.String("cluster-resource-namespace", "kube-system", "where ClusterIssuers keep their secrets")
	health := flags.String("healthz-address", ":9403", "address of /livez")
	if err := flags.Parse(args); err != nil {
		return err
	}
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:         *kubeconfig,
		KubernetesAPIQPS:   20,
		KubernetesAPIBurst: 50,
		IssuerOptions:      controller.IssuerOptions{ClusterResourceNamespace: *namespace},
		CertificateOptions: controller.CertificateOptions{
			CopiedAnnotationPrefixes:                 []string{"*", "-kubectl.kubernetes.io/"},
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serveHealth(*health) })
	if err := startControllers(ctx, group, factory); err != nil {
		return err
	}
	return group.Wait()
}

func startControllers(ctx context.Context, group *errgroup.Group, factory *controller.ContextFactory) error {
	base, err := factory.Build()
	if err != nil {
		return err
	}
	for name, build := range controller.Known() {
		if strings.Contains(name, "acme") || strings.Contains(name, "vault") || strings.Contains(name, "venafi") {
			continue
		}
		one, err := build(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		klog.InfoS("Starting", "controller", name)
		group.Go(func() error { return one.Run(workers, ctx) })
	}
	base.KubeSharedInformerFactory.Start(ctx.Done())
	base.SharedInformerFactory.Start(ctx.Done())
	base.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	return nil
}

func serveHealth(address string) error {
	mux := http.NewServeMux()
	alive := func(answer http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(answer, "ok") }
	mux.HandleFunc("/livez", alive)
	mux.HandleFunc("/healthz", alive)
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	return server.ListenAndServe()
}

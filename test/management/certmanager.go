package management

import (
	"context"
	"path/filepath"
	"time"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/progress"
)

// completeCertManager completes what an init that was cut short began:
// clusterctl takes a cert-manager of which anything is there for complete.
func completeCertManager(ctx context.Context) error {
	begun, err := kubectl(ctx, "get", "namespace", "cert-manager", "--ignore-not-found", "-o", "name")
	if err != nil || begun == "" {
		return err
	}
	manifest := filepath.Join(Repository(), "cert-manager", component.CertManager, "cert-manager.yaml")
	_, err = kubectl(ctx, "apply", "--server-side", "--force-conflicts", "-f", manifest)
	return err
}

// withWebhookCA sees to it, while run runs, that cert-manager's webhook gets
// its CA. The cainjector reads the Secret from another cache than the one that
// wakes it: when it is woken too early it finds no Secret, and does not look
// again. A touched Secret wakes it again.
func withWebhookCA(ctx context.Context, p *progress.Printer, run func(context.Context) error) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for watching.Err() == nil && !webhookTrusted(watching) {
			select {
			case <-watching.Done():
			case <-time.After(5 * time.Second):
				touchWebhookCA(watching, p)
			}
		}
	}()
	return run(ctx)
}

// webhookTrusted tells whether the API server was told whom to trust as
// cert-manager's webhook. No answer, or no cert-manager yet: no.
func webhookTrusted(ctx context.Context) bool {
	const bundle = "jsonpath={.webhooks[*].clientConfig.caBundle}"
	for _, kind := range []string{"validatingwebhookconfiguration", "mutatingwebhookconfiguration"} {
		if ca, err := kubectl(ctx, "get", kind, "cert-manager-webhook", "--ignore-not-found", "-o", bundle); err != nil || ca == "" {
			return false
		}
	}
	return true
}

// touchWebhookCA changes the Secret of the webhook's CA, if it is there and
// nobody took note of it. Whatever goes wrong, the next round tries again.
func touchWebhookCA(ctx context.Context, p *progress.Printer) {
	const secret = "cert-manager-webhook-ca"
	found, err := kubectl(ctx, "--namespace", "cert-manager", "get", "secret", secret, "--ignore-not-found", "-o", "name")
	if err != nil || found == "" || webhookTrusted(ctx) {
		return
	}
	p.Sayf("  cert-manager's webhook has no CA yet: waking the cainjector")
	_, _ = kubectl(ctx, "--namespace", "cert-manager", "annotate", "--overwrite", "secret", secret, "capok.io/touched="+time.Now().UTC().Format(time.RFC3339))
}

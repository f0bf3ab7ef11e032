package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"testing"
)

// TestPublicCAs: in its image, which holds nothing but itself, the manager trusts the
// CAs that everybody trusts. The process reads its roots only once: it is another one.
func TestPublicCAs(t *testing.T) {
	const inImage = "CAPOK_TEST_IN_IMAGE"
	if os.Getenv(inImage) == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		again.Env = append(os.Environ(), inImage+"=1", "SSL_CERT_FILE=/nowhere", "SSL_CERT_DIR=/nowhere")
		if out, err := again.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	roots, err := x509.SystemCertPool()
	if err != nil || roots.Equal(x509.NewCertPool()) {
		t.Errorf("no CAs: %v", err)
	}
}

//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/capok/capok/test/lab/place"
)

// How long the cloud may take, and how often we look.
const (
	clusterTimeout = 15 * time.Minute
	scaleTimeout   = 8 * time.Minute
	deleteTimeout  = 8 * time.Minute
	look           = 2 * time.Second
	quietTime      = time.Minute
)

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "a user's clusters")
}

var _ = BeforeSuite(func() {
	Expect(environment()).To(BeAnExistingFile(), "run `make up` first: it brings up the clouds that this suite works on")
})

// environment is what `make up` wrote for the user's shell.
func environment() string { return place.State("env") }

// shell runs a line as the user would type it after `source`.
func shell(ctx context.Context, line string) (string, error) {
	return shellWith(ctx, "", line)
}

func shellWith(ctx context.Context, stdin, line string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -euo pipefail; source "+environment()+"; "+line)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = os.Environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", line, err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// must is shell for what has to work at once.
func must(ctx context.Context, line string) string {
	GinkgoHelper()
	out, err := shell(ctx, line)
	Expect(err).NotTo(HaveOccurred())
	return out
}

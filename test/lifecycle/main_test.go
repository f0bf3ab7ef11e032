package lifecycle

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/capok/capok/internal/setup"
)

var (
	// server is the real API server that all stories share.
	server *api
	scheme *runtime.Scheme
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run starts etcd and kube-apiserver once for all stories.
func run(m *testing.M) int {
	ctx := context.Background()
	debug.SetGCPercent(400) // thousands of short lives: memory is cheaper than time
	ctrl.SetLogger(klog.Background())
	var err error
	if scheme, err = setup.Scheme(); err != nil {
		return broken("know our kinds", err)
	}
	environment, err := newEnvironment(ctx)
	if err != nil {
		return broken("build kube-apiserver and etcd", err)
	}
	config, err := environment.Start()
	if err != nil {
		return broken("start kube-apiserver and etcd", err)
	}
	defer func() { _ = environment.Stop() }()
	if server, err = connect(ctx, config, scheme); err != nil {
		return broken("connect", err)
	}
	return m.Run()
}

func broken(what string, err error) int {
	fmt.Fprintf(os.Stderr, "test/lifecycle cannot start: %s: %v\n", what, err)
	return 1
}

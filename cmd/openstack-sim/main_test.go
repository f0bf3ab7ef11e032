package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/capok/capok/test/openstacksim"
)

// output is a buffer that may be read while the program runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func TestServesUntilItIsStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	ctx, stop := context.WithCancel(t.Context())
	out, done := &output{}, make(chan error)
	go func() { done <- run(ctx, []string{"--listen", "127.0.0.1:0", "--clouds-yaml", path}, out) }()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(out.String(), "openstack server list") {
		select {
		case err := <-done:
			t.Fatalf("ended: %v: %s", err, out)
		case <-deadline:
			t.Fatalf("no greeting: %s", out)
		case <-time.After(time.Millisecond):
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("clouds.yaml: %v %v, want mode 0600", info, err)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("the end: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(foreign, []byte("clouds: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why, says string
		args      []string
	}{
		{"a word that is no flag", "there are only flags", []string{"serve"}},
		{"pages of nothing", "at least 1", []string{"--page-size", "0"}},
		{"credentials of a real cloud stay", "name another file", []string{"--listen", "127.0.0.1:0", "--clouds-yaml", foreign}},
		{"no such address", "listen", []string{"--listen", "127.0.0.1:-1"}},
	} {
		if err := run(t.Context(), tc.args, &output{}); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.why, err, tc.says)
		}
	}
}

func TestHelp(t *testing.T) {
	out := &output{}
	if err := run(t.Context(), []string{"--help"}, out); err != nil {
		t.Fatal(err)
	}
	// What it says of the seed is so.
	sim := openstacksim.New()
	words := []string{"--clouds-yaml", "--listen", "--page-size", "--instant", "OS_CLOUD=" + cloudName, openstacksim.Project, openstacksim.User}
	for _, f := range sim.Flavors("") {
		words = append(words, f.Name)
	}
	for _, i := range sim.Images("") {
		words = append(words, i.Name)
	}
	for _, n := range sim.Networks("") {
		words = append(words, n.Name)
	}
	for _, word := range words {
		if !strings.Contains(out.String(), word) {
			t.Errorf("help does not have %q:\n%s", word, out)
		}
	}
}

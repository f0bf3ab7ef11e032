package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPodNetworkAsksForTheImageAndTheRange(t *testing.T) {
	manifest := PodNetwork("10.9.0.0/16")
	if !strings.Contains(manifest, "image: "+Flannel+"\n") {
		t.Errorf("flannel.yaml does not ask for %s", Flannel)
	}
	if !strings.Contains(manifest, `"Network": "10.9.0.0/16"`) || strings.Contains(manifest, `"Network": "`+DefaultPods) {
		t.Error("the range of pods was not set")
	}
}

func TestKeyFollowsFilesAndTheirModes(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "setup")
	step := func(what string, change func() error) string {
		t.Helper()
		if err := change(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		key, err := hashFiles(folder)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	write := func(name, text string) func() error {
		return func() error { return os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644) }
	}
	first := step("write", write("setup", "a"))
	if step("document", write("README.md", "new")) != first || step("test", write("a_test.go", "new")) != first {
		t.Error("what is not in the image changes its key")
	}
	changed := step("change", write("setup", "b"))
	if changed == first {
		t.Error("another content gives the same key")
	}
	if step("mode", func() error { return os.Chmod(path, 0o755) }) == changed {
		t.Error("another mode gives the same key")
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{"localhost:5000/a/coredns:v1": "coredns", "pause:3": "pause", Flannel: "flannel"} {
		if got := shortName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

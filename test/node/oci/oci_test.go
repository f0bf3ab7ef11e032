package oci

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, archive io.Reader) map[string]string {
	t.Helper()
	files := map[string]string{}
	for reader := tar.NewReader(archive); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(content)
	}
}

func writeHello(t *testing.T) (Image, []byte) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "hello")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	image := Image{Name: "localhost:5000/hello:v1", Entrypoint: []string{"/bin/hello"}, User: "65532:65532",
		Files: map[string]string{"/bin/hello": program, "/bin/other": program, "/etc/hello": program}}
	var archive bytes.Buffer
	if err := Write(&archive, image); err != nil {
		t.Fatal(err)
	}
	return image, archive.Bytes()
}

func TestWriteMakesAnArchiveWhoseDigestsHold(t *testing.T) {
	image, archive := writeHello(t)
	files := read(t, bytes.NewReader(archive))
	blob := func(d descriptor) string {
		t.Helper()
		content := files["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(content))); got != d.Digest || int64(len(content)) != d.Size {
			t.Fatalf("blob %s has digest %s and %d bytes", d.Digest, got, len(content))
		}
		return content
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal([]byte(files["index.json"]), &index); err != nil {
		t.Fatal(err)
	}
	if got := index.Manifests[0].Annotations["io.containerd.image.name"]; got != image.Name {
		t.Errorf("image is called %q", got)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	if err := json.Unmarshal([]byte(blob(index.Manifests[0])), &manifest); err != nil {
		t.Fatal(err)
	}
	if config := blob(manifest.Config); !strings.Contains(config, `"User":"65532:65532"`) || !strings.Contains(config, manifest.Layers[0].Digest) {
		t.Errorf("config is %s", config)
	}
	layer := read(t, strings.NewReader(blob(manifest.Layers[0])))
	if layer["bin/hello"] != "#!/bin/sh\n" || !strings.Contains(layer["etc/passwd"], "65532") {
		t.Errorf("layer holds %v", layer)
	}
}

func TestWriteIsReproducible(t *testing.T) {
	_, first := writeHello(t)
	_, second := writeHello(t)
	if !bytes.Equal(first, second) {
		t.Error("the same image gave different bytes")
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, image := range map[string]Image{
		"no tag":       {Name: "localhost:5000/hello"},
		"missing file": {Name: "hello:v1", Files: map[string]string{"/file": "/no/such/file"}},
	} {
		if err := Write(io.Discard, image); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLibrariesComeAlong(t *testing.T) {
	var archive bytes.Buffer
	if err := Write(&archive, Image{Name: "sh:v1", Files: map[string]string{"/bin/sh": "/bin/sh"}}); err != nil {
		t.Fatal(err)
	}
	for name, content := range read(t, &archive) {
		if strings.HasPrefix(name, "blobs/") && strings.Contains(content, "bin/sh") && strings.Contains(content, "libc.so.6") && strings.Contains(content, "ld-linux") {
			return
		}
	}
	t.Error("no layer with the shell, libc and the linker")
}

func TestFilesBelowRootFollowItsLinks(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "real"), []byte("from root"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/real", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := Write(&archive, Image{Name: "a:v1", Root: root, Files: map[string]string{"/file": root + "/link"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(archive.String(), "from root") {
		t.Error("the link was not followed inside the root")
	}
}

func TestResolveStaysInsideRoot(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"usr/lib", "etc"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "usr/lib/a.so.1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for target, link := range map[string]string{"usr/lib": "lib", "/etc/a": "usr/lib/a.so", "../lib/a.so.1": "etc/a", "circle": "circle"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := resolve(root, "/lib/a.so")
	if want := filepath.Join(root, "usr/lib/a.so.1"); err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if _, err := resolve(root, "/circle"); err == nil {
		t.Error("a circle of links has no end")
	}
}

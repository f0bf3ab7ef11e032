package oci

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Image says what an image holds.
type Image struct {
	// Reference is the full name with a tag, like localhost/flannel:v1.
	Reference string
	// Entrypoint is the command, with arguments if it has any.
	Entrypoint []string
	// User is UID:GID, empty for root. Pods that say runAsNonRoot without
	// runAsUser need a number here.
	User string
	// Root is the root file system that Files come from, empty for the
	// machine's own.
	Root string
	// Files are put into the image with their mode, folders as needed.
	Files []File
}

// File is a file of Image.Root and its absolute path in the image.
type File struct{ From, To string }

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    map[string]string `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

const (
	mediaManifest = "application/vnd.oci.image.manifest.v1+json"
	mediaConfig   = "application/vnd.oci.image.config.v1+json"
	mediaLayer    = "application/vnd.oci.image.layer.v1.tar"
)

var platform = map[string]string{"architecture": "amd64", "os": "linux"}

// Write makes the archive at path, or leaves nothing there.
func Write(path string, image Image) error {
	_, tag, named := strings.Cut(image.Reference[strings.LastIndex(image.Reference, "/")+1:], ":")
	if !named {
		return fmt.Errorf("image %q has no tag", image.Reference)
	}
	layer, err := os.CreateTemp(filepath.Dir(path), ".layer-")
	if err != nil {
		return err
	}
	defer os.Remove(layer.Name())
	defer layer.Close()
	sum := sha256.New()
	if err := writeLayer(io.MultiWriter(layer, sum), image); err != nil {
		return fmt.Errorf("image %s: %w", image.Reference, err)
	}
	size, err := layer.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return writeArchive(path, image, tag, blob{
		descriptor{MediaType: mediaLayer, Digest: "sha256:" + hex.EncodeToString(sum.Sum(nil)), Size: size},
		io.NewSectionReader(layer, 0, size),
	})
}

// blob is a content-addressed part of the archive.
type blob struct {
	descriptor
	content io.Reader
}

func jsonBlob(mediaType string, value any) blob {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // maps and strings only
	}
	return blob{
		descriptor{MediaType: mediaType, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(text)), Size: int64(len(text))},
		strings.NewReader(string(text)),
	}
}

func writeArchive(path string, image Image, tag string, layer blob) (err error) {
	config := jsonBlob(mediaConfig, map[string]any{
		"architecture": platform["architecture"], "os": platform["os"],
		"config": map[string]any{
			"Entrypoint": image.Entrypoint, "User": image.User, "WorkingDir": "/",
			"Env": []string{"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{layer.Digest}},
		"history": []any{map[string]string{"created_by": "capok"}},
	})
	manifest := jsonBlob(mediaManifest, map[string]any{
		"schemaVersion": 2, "mediaType": mediaManifest,
		"config": config.descriptor, "layers": []descriptor{layer.descriptor},
	})
	entry := manifest.descriptor
	entry.Platform = platform
	entry.Annotations = map[string]string{"io.containerd.image.name": image.Reference, "org.opencontainers.image.ref.name": tag}
	index := jsonBlob("", map[string]any{"schemaVersion": 2, "manifests": []descriptor{entry}})

	partial := path + ".partial"
	file, err := os.Create(partial)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreMissing(os.Remove(partial))) }()
	archive := tar.NewWriter(file)
	layout := `{"imageLayoutVersion":"1.0.0"}`
	add := func(name string, size int64, content io.Reader) {
		err = errors.Join(err, addFile(archive, tar.Header{Name: name, Size: size, Mode: 0o644}, content))
	}
	add("oci-layout", int64(len(layout)), strings.NewReader(layout))
	for _, part := range []blob{layer, config, manifest} {
		add("blobs/sha256/"+strings.TrimPrefix(part.Digest, "sha256:"), part.Size, part.content)
	}
	add("index.json", index.Size, index.content)
	if err := errors.Join(err, archive.Close(), file.Close()); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

func addFile(archive *tar.Writer, header tar.Header, content io.Reader) error {
	if err := archive.WriteHeader(&header); err != nil {
		return err
	}
	_, err := io.Copy(archive, content)
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

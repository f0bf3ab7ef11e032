package oci

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Image says what an image holds.
type Image struct {
	// Name is the full reference with a tag, like localhost/flannel:v1.
	Name string
	// Entrypoint is the command, with arguments if it has any.
	Entrypoint []string
	// User is UID:GID, empty for root. Pods that say runAsNonRoot without
	// runAsUser need a number here.
	User string
	// Files maps absolute paths in the image to files of this machine. Modes
	// are kept, folders made as needed.
	Files map[string]string
	// Root is a root file system. For files below it, links and libraries
	// are looked up in it; for others, in the machine's own. May be empty.
	Root string
}

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

// Write writes the archive to out. It reads the files twice: the layer's
// digest comes before the layer.
func Write(out io.Writer, image Image) error {
	_, tag, named := strings.Cut(image.Name[strings.LastIndex(image.Name, "/")+1:], ":")
	if !named {
		return fmt.Errorf("image %q has no tag", image.Name)
	}
	sum, size := sha256.New(), counter(0)
	if err := writeLayer(io.MultiWriter(sum, &size), image); err != nil {
		return fmt.Errorf("image %s: %w", image.Name, err)
	}
	layer := descriptor{MediaType: mediaLayer, Digest: fmt.Sprintf("sha256:%x", sum.Sum(nil)), Size: int64(size)}
	archive := tar.NewWriter(out)
	if err := archive.WriteHeader(&tar.Header{Name: layer.blob(), Size: layer.Size, Mode: 0o644}); err != nil {
		return err
	}
	if err := writeLayer(archive, image); err != nil {
		return fmt.Errorf("image %s: %w", image.Name, err)
	}
	for _, part := range describe(image, tag, layer) {
		if err := addFile(archive, tar.Header{Name: part.name, Size: int64(len(part.text)), Mode: 0o644}, bytes.NewReader(part.text)); err != nil {
			return err
		}
	}
	return archive.Close()
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

// part is a small file of the archive.
type part struct {
	name string
	text []byte
}

// blob is where the archive keeps what d describes.
func (d descriptor) blob() string {
	return "blobs/sha256/" + strings.TrimPrefix(d.Digest, "sha256:")
}

// describe makes all files of the archive but the layer.
func describe(image Image, tag string, layer descriptor) []part {
	config, configText := encode(mediaConfig, map[string]any{
		"architecture": platform["architecture"], "os": platform["os"],
		"config": map[string]any{
			"Entrypoint": image.Entrypoint, "User": image.User, "WorkingDir": "/",
			"Env": []string{"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{layer.Digest}},
		"history": []any{map[string]string{"created_by": "capok"}},
	})
	manifest, manifestText := encode(mediaManifest, map[string]any{
		"schemaVersion": 2, "mediaType": mediaManifest,
		"config": config, "layers": []descriptor{layer},
	})
	entry := manifest
	entry.Platform = platform
	entry.Annotations = map[string]string{"io.containerd.image.name": image.Name, "org.opencontainers.image.ref.name": tag}
	_, index := encode("", map[string]any{"schemaVersion": 2, "manifests": []descriptor{entry}})
	return []part{
		{config.blob(), configText},
		{manifest.blob(), manifestText},
		{"index.json", index},
		{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)},
	}
}

func encode(mediaType string, value map[string]any) (descriptor, []byte) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings, numbers, maps and lists only
	}
	return descriptor{MediaType: mediaType, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(text)), Size: int64(len(text))}, text
}

func addFile(archive *tar.Writer, header tar.Header, content io.Reader) error {
	if err := archive.WriteHeader(&header); err != nil {
		return err
	}
	_, err := io.Copy(archive, content)
	return err
}

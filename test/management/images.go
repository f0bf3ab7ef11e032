package management

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/node/oci"
)

// image is a container image made of one static binary.
type image struct {
	name       string
	binary     string // path on this machine
	entrypoint []string
}

// user owns no file. A number, because a pod that must not run as root is
// only believed when the image names one.
const user = "65532:65532"

// images are all that the management cluster needs beyond the node image's.
func images(ctx context.Context, p *progress.Printer) ([]image, error) {
	var all []image
	add := func(name, binary string, entrypoint ...string) error {
		path, err := component.Path(ctx, p, binary)
		all = append(all, image{registry + "/" + name, path, entrypoint})
		return err
	}
	certManager := func(part string) error {
		return add("cert-manager-"+part+":"+component.CertManager, "cert-manager", "/cert-manager", part)
	}
	err := errors.Join(
		certManager("controller"), certManager("webhook"), certManager("cainjector"),
		add(upstream[0].image+":"+component.ClusterAPI, "capi-core-manager", "/manager"),
		add(upstream[1].image+":"+component.ClusterAPI, "capi-kubeadm-bootstrap-manager", "/manager"),
		add(upstream[2].image+":"+component.ClusterAPI, "capi-kubeadm-control-plane-manager", "/manager"),
	)
	if err != nil {
		return nil, err
	}
	manager, err := buildManager(ctx)
	return append(all, manager), err
}

// buildManager compiles our provider.
func buildManager(ctx context.Context) (image, error) {
	binary := place.State("management", "bin", "manager")
	err := command(ctx, "env", "CGO_ENABLED=0", "go", "build", "-C", place.Repo(), "-trimpath", "-ldflags", "-s -w", "-o", binary, "./cmd/manager")
	return image{ownImage, binary, []string{"/manager"}}, err
}

// WriteImage builds the manager and writes its image as an OCI archive.
func WriteImage(ctx context.Context, name, file string) (err error) {
	manager, err := buildManager(ctx)
	if err != nil {
		return err
	}
	manager.name = name
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	archive, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	return manager.write(archive)
}

// write writes the image as an OCI archive.
func (i image) write(to io.Writer) error {
	return oci.Write(to, oci.Image{
		Name: i.name, Entrypoint: i.entrypoint, User: user,
		Files: map[string]string{"/" + filepath.Base(i.entrypoint[0]): i.binary},
	})
}

// load imports the images that are not there yet in this very content, and
// returns them.
func (c container) load(ctx context.Context, p *progress.Printer, wanted []image) ([]image, error) {
	loaded, record := map[string]string{}, c.path("images.json")
	if said, err := os.ReadFile(record); err == nil {
		if err := json.Unmarshal(said, &loaded); err != nil {
			return nil, fmt.Errorf("%s: %w", record, err)
		}
	}
	var changed []image
	for _, one := range wanted {
		digest, err := digestOf(one.binary)
		if err != nil {
			return nil, err
		}
		if loaded[one.name] == digest {
			continue
		}
		p.Sayf("  image %s", one.name)
		if err := c.importImage(ctx, one); err != nil {
			return nil, fmt.Errorf("import image %s: %w", one.name, err)
		}
		changed = append(changed, one)
		loaded[one.name] = digest
		said, err := json.MarshalIndent(loaded, "", " ")
		if err != nil {
			return nil, err
		}
		if err := write(record, said); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// importImage writes the archive straight into containerd.
func (c container) importImage(ctx context.Context, one image) error {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(one.write(writer)) }()
	_, err := c.run(ctx, reader, "ctr", "--namespace", "k8s.io", "images", "import", "-")
	return errors.Join(err, reader.Close())
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

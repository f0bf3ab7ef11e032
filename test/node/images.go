package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/node/oci"
)

// Flannel is the name of the pod network's image; flannel.yaml asks for it.
const Flannel = "localhost/flannel:" + component.Flannel

const certificates = "/etc/ssl/certs/ca-certificates.crt"

// containerImages returns the images of the node: those that kubeadm names,
// and the pod network's.
func (b build) containerImages(ctx context.Context) ([]oci.Image, error) {
	kubeadm, err := component.Path(ctx, b.p, "kubeadm")
	if err != nil {
		return nil, err
	}
	list, err := command(ctx, kubeadm, "config", "images", "list", "--kubernetes-version", component.Kubernetes).Output()
	if err != nil {
		return nil, fmt.Errorf("ask kubeadm for its images: %w", err)
	}
	var images []oci.Image
	for _, name := range append(strings.Fields(string(list)), Flannel) {
		image, err := b.containerImage(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
		images = append(images, image)
	}
	return images, nil
}

// containerImage decides about the contents of an image by its short name.
// The manifests that kubeadm writes name the programs' places.
func (b build) containerImage(ctx context.Context, name string) (oci.Image, error) {
	program, programs := "", []string(nil)
	files := map[string]string{}
	switch short := shortName(name); short {
	case "kube-apiserver", "kube-controller-manager", "kube-scheduler":
		program = "/usr/local/bin/" + short
		files[certificates] = b.path(certificates)
	case "kube-proxy":
		program = "/usr/local/bin/kube-proxy"
		b.addFirewall(files)
	case "etcd":
		program, programs = "/usr/local/bin/etcd", []string{"/usr/local/bin/etcdctl"}
	case "coredns":
		program = "/coredns"
		files[certificates] = b.path(certificates)
	case "pause":
		program = "/pause"
	case "flannel":
		program = "/usr/local/bin/flanneld"
		b.addFirewall(files)
	default:
		return oci.Image{}, errors.New("kubeadm asks for an image that test/node/images.go does not know")
	}
	for _, one := range append(programs, program) {
		path, err := component.Path(ctx, b.p, filepath.Base(one))
		if err != nil {
			return oci.Image{}, err
		}
		files[one] = path
	}
	return oci.Image{Name: name, Entrypoint: []string{program}, Root: b.root, Files: files}, nil
}

// shortName is the last word of an image's name, without tag.
func shortName(name string) string {
	short, _, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	return short
}

// addFirewall adds what kube-proxy and flannel call: nft, conntrack and the
// nft flavour of iptables with its extensions.
func (b build) addFirewall(files map[string]string) {
	for _, name := range []string{"nft", "conntrack"} {
		files["/usr/sbin/"+name] = b.path("usr/sbin", name)
	}
	for _, name := range []string{"iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore"} {
		files["/usr/sbin/"+name] = b.path("usr/sbin/xtables-nft-multi")
	}
	extensions, _ := filepath.Glob(b.path("usr/lib/x86_64-linux-gnu/xtables/*.so"))
	for _, path := range extensions {
		files[strings.TrimPrefix(path, b.root)] = path
	}
}

// importImages imports the images into the root, and names the pause image
// in containerd's configuration.
func (b build) importImages(ctx context.Context) error {
	images, err := b.containerImages(ctx)
	if err != nil {
		return err
	}
	store, err := b.openStore(ctx)
	if err != nil {
		return err
	}
	for _, image := range images {
		b.p.Sayf("  %s", image.Name)
		if err := store.add(ctx, image); err != nil {
			return errors.Join(fmt.Errorf("import %s: %w", image.Name, err), store.close())
		}
		if shortName(image.Name) == "pause" {
			err = errors.Join(err, b.setPause(image.Name))
		}
	}
	err = errors.Join(err, store.dropLayers(ctx, b.path("var/lib/containerd")))
	return errors.Join(err, store.close())
}

func (b build) setPause(name string) error {
	config := b.path("etc/containerd/config.toml.in")
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	return os.WriteFile(config, bytes.ReplaceAll(text, []byte("@PAUSE@"), []byte(name)), 0o644)
}

package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
)

// onNode are the components that lie in the image's file system, and
// inImages those that lie in container images.
var (
	onNode   = append([]string{"kubelet", "kubeadm", "kubectl"}, component.Plugins()...)
	inImages = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd", "etcdctl", "coredns", "pause", "flanneld"}
)

// cacheKey hashes what decides about the image: our own files and the places
// of the components, which carry their hashes. Debian's packages are those of
// the day of the build.
func cacheKey(ctx context.Context) (string, error) {
	sum := sha256.New()
	for _, name := range append(inImages, onNode...) {
		path, err := component.Location(ctx, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, filepath.Base(filepath.Dir(path)), name)
	}
	files, err := hashFiles(place.Repo("test", "node"))
	if err != nil {
		return "", err
	}
	fmt.Fprintln(sum, files)
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// hashFiles hashes names, modes and contents below folder, but neither tests
// nor what is only read by people or applied to a cluster.
func hashFiles(folder string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".yaml") {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		fmt.Fprintf(sum, "%s %o %x\n", name, info.Mode(), sha256.Sum256(content))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

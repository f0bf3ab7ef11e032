package oci

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// accounts let a program find the name and home of root and of an ordinary
// user, as the usual small base images do.
var accounts = []struct{ name, text string }{
	{"etc/passwd", "root:x:0:0:root:/:/\nnonroot:x:65532:65532::/:/\n"},
	{"etc/group", "root:x:0:\nnonroot:x:65532:\n"},
	{"etc/nsswitch.conf", "hosts: files dns\n"},
}

// layer writes the one layer of an image.
type layer struct {
	archive *tar.Writer
	root    string
	done    map[string]bool // paths without the leading slash
}

func writeLayer(out io.Writer, image Image) error {
	l := &layer{archive: tar.NewWriter(out), root: image.Root, done: map[string]bool{}}
	for _, folder := range []string{"dev", "etc", "proc", "run", "sys", "tmp", "var"} {
		if err := l.folder(folder); err != nil {
			return err
		}
	}
	for _, account := range accounts {
		header := tar.Header{Name: account.name, Size: int64(len(account.text)), Mode: 0o644}
		if err := addFile(l.archive, header, strings.NewReader(account.text)); err != nil {
			return err
		}
	}
	for _, to := range slices.Sorted(maps.Keys(image.Files)) {
		if err := l.file(image.Files[to], to); err != nil {
			return fmt.Errorf("add %s: %w", image.Files[to], err)
		}
	}
	return l.archive.Close()
}

// folder adds a folder and those above it.
func (l *layer) folder(name string) error {
	if name == "." || l.done[name] {
		return nil
	}
	if err := l.folder(path.Dir(name)); err != nil {
		return err
	}
	l.done[name] = true
	mode := int64(0o755)
	if name == "tmp" {
		mode = 0o1777
	}
	return l.archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode})
}

// file adds a file, and the libraries it needs at their own places.
func (l *layer) file(from, to string) error {
	name := strings.TrimPrefix(to, "/")
	if l.done[name] {
		return nil
	}
	if err := l.folder(path.Dir(name)); err != nil {
		return err
	}
	l.done[name] = true
	root := ""
	if below, found := strings.CutPrefix(from, l.root+"/"); found && l.root != "" {
		root, from = l.root, "/"+below
	}
	libraries, err := l.copy(root, from, name)
	for _, library := range libraries {
		err = errors.Join(err, l.file(root+library, library))
	}
	return err
}

// copy writes one file under the name and returns the libraries it needs.
func (l *layer) copy(root, from, name string) ([]string, error) {
	source, err := resolve(root, from)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(source)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	mode := int64(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if err := addFile(l.archive, tar.Header{Name: name, Size: info.Size(), Mode: mode}, file); err != nil {
		return nil, err
	}
	return needed(file, root)
}

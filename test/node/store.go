package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/capok/capok/test/node/oci"
)

// store is the root's containerd, running on this machine with its data in
// the root. Only the image service runs. It lives in a mount namespace of its
// own, so that its mounts go away with it however it ends.
type store struct {
	ctr    string
	folder string // socket, state and log
	daemon *exec.Cmd
	ended  chan struct{}
}

const storeConfig = `version = 2
root = %q
state = %q
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = %q
[ttrpc]
  address = %q
`

func (b build) openStore(ctx context.Context) (*store, error) {
	folder := filepath.Join(b.folder, "store")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	s := &store{ctr: b.path("usr/bin/ctr"), folder: folder, ended: make(chan struct{})}
	config := fmt.Sprintf(storeConfig, b.path("var/lib/containerd"), s.path("state"), s.path("socket"), s.path("ttrpc"))
	if err := os.WriteFile(s.path("config.toml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	log, err := os.Create(s.path("log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.daemon = command(ctx, "unshare", "--mount", b.path("usr/bin/containerd"), "--config", s.path("config.toml"))
	s.daemon.Stdout, s.daemon.Stderr = log, log
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // see run
		defer runtime.UnlockOSThread()
		err := s.daemon.Start()
		started <- err
		if err == nil {
			_ = s.daemon.Wait() // it is told to end: how it does says nothing
			close(s.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = b.p.Wait(ready, "containerd", commandPoll, func(ctx context.Context) error {
		return command(ctx, s.ctr, "--address", s.path("socket"), "version").Run()
	})
	if err != nil {
		said, _ := os.ReadFile(s.path("log"))
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, lastLines(string(said))), s.close())
	}
	return s, nil
}

func (s *store) path(name string) string { return filepath.Join(s.folder, name) }

// add imports an image as the kubelet's container runtime wants to find it.
func (s *store) add(ctx context.Context, image oci.Image) error {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(oci.Write(writer, image)) }()
	err := s.call(ctx, reader, "images", "import", "--snapshotter", "overlayfs", "-")
	if err = errors.Join(err, reader.Close()); err != nil {
		return err
	}
	return s.call(ctx, nil, "images", "label", image.Name, "io.cri-containerd.image=managed")
}

// largestDescription is well above any manifest or configuration, and below
// any layer, in bytes.
const largestDescription = 64 << 10

// dropLayers removes the archives of the layers: they are unpacked, and
// containers start from what is unpacked. It halves the image.
func (s *store) dropLayers(ctx context.Context, data string) error {
	blobs, err := filepath.Glob(filepath.Join(data, "io.containerd.content.v1.content/blobs/sha256/*"))
	for _, blob := range blobs {
		info, statErr := os.Stat(blob)
		if statErr != nil {
			return statErr
		}
		if info.Size() <= largestDescription {
			continue
		}
		err = errors.Join(err, s.call(ctx, nil, "content", "rm", "sha256:"+filepath.Base(blob)))
		// containerd removes the file later, perhaps not before it is ended
		if gone := os.Remove(blob); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

func (s *store) call(ctx context.Context, in io.Reader, args ...string) error {
	var output bytes.Buffer
	cmd := command(ctx, append([]string{s.ctr, "--address", s.path("socket"), "--namespace", "k8s.io"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, lastLines(output.String()))
	}
	return nil
}

// close ends containerd and waits until its data bases are written.
func (s *store) close() error {
	if err := s.daemon.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.ended
	return os.RemoveAll(s.folder)
}

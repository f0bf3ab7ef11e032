// Package lock keeps two processes from building the same thing at once.
//
// It locks a file for as long as the process lives, by flock: the kernel
// releases the lock when the process dies, so it never goes stale. It is for
// processes of one machine, not for goroutines of one process.
package lock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/capok/capok/test/lab/progress"
)

const poll = 500 * time.Millisecond

// Take takes the lock file at path, which it makes if needed, and returns the
// function that releases it. While another process has the lock it waits,
// and says so.
func Take(ctx context.Context, p *progress.Printer, path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = p.Wait(ctx, "the lock "+path, poll, func(context.Context) error {
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			return errors.New("another process builds")
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

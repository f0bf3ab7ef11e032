package component

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/capok/capok/test/lab/progress"
)

const lockPoll = 500 * time.Millisecond

// lock takes the lock file at path and returns the function that releases
// it. The kernel releases it when the process dies, so it never goes stale.
// One lock serves all components: two compilers at once only slow each other.
func lock(ctx context.Context, p *progress.Printer, path string) (func(), error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = p.Wait(ctx, "the lock "+path, lockPoll, func(context.Context) error {
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			return errors.New("another process builds a component")
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take the lock: %w", err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

package lock

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/capok/capok/test/lab/progress"
)

func TestTakeExcludesAndReleases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "lock")
	release, err := Take(t.Context(), progress.New(), path)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := Take(short, progress.New(), path); err == nil {
		t.Error("the lock was taken twice")
	}
	release()
	release, err = Take(t.Context(), progress.New(), path)
	if err != nil {
		t.Fatalf("a released lock cannot be taken: %v", err)
	}
	release()
}

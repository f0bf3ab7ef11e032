package bridge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/capok/capok/test/lab/place"
)

// inotify is a limit of the whole machine that all system containers share:
// systemd, containerd and the kubelet of a node take about 15 instances, and
// containerd starts without its CRI when there is none left.
var inotify = limit{
	file:  "/proc/sys/fs/inotify/max_user_instances",
	saved: func() string { return place.State("inotify-limit") },
	least: 8192,
}

// limit is a number that is raised while the bridge is there.
type limit struct {
	file  string        // of the kernel
	saved func() string // where the machine's own value is kept meanwhile
	least int
}

// raise sets the limit to the least that we need, and keeps what it was.
func (l limit) raise() error {
	before, err := number(l.file)
	if err != nil || before >= l.least {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.saved()), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(l.saved(), []byte(strconv.Itoa(before)), 0o600); err != nil {
		return err
	}
	return os.WriteFile(l.file, []byte(strconv.Itoa(l.least)), 0o600)
}

// restore gives the machine its own value back.
func (l limit) restore() error {
	before, err := number(l.saved())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.file, []byte(strconv.Itoa(before)), 0o600); err != nil {
		return err
	}
	return os.Remove(l.saved())
}

func number(file string) (int, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(content)))
}

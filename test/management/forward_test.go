package management

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestWayOutLeavesNothing(t *testing.T) {
	if _, err := exec.LookPath("iptables"); err != nil || os.Geteuid() != 0 {
		t.Skip("needs root and iptables")
	}
	// A network of its own. The thread is not unlocked: it ends with the test.
	runtime.LockOSThread()
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		t.Skipf("no network namespace here: %v", err)
	}
	if err := os.WriteFile(forwardFile, []byte("0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	remember := filepath.Join(t.TempDir(), "ip_forward")
	for _, wanted := range []bool{true, true, false, false} { // each is asked for twice
		if err := wayOut(t.Context(), lab, remember, wanted); err != nil {
			t.Fatal(err)
		}
		rules, err := output(t.Context(), "iptables", "-t", "nat", "-S", "POSTROUTING")
		if err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(forwardFile)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		if wanted {
			count = 1
		}
		if got := strings.Count(rules, "MASQUERADE"); got != count {
			t.Errorf("wanted %v: %d rules\n%s", wanted, got, rules)
		}
		if forwards := strings.TrimSpace(string(now)) == "1"; forwards != wanted {
			t.Errorf("wanted %v, the machine forwards: %v", wanted, forwards)
		}
	}
}

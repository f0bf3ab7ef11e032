package process

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestLifeOfAProcess(t *testing.T) {
	set := Set{Pids: t.TempDir(), Logs: t.TempDir()}
	sleep := Command{Name: "sleep", Args: []string{"sh", "-c", "echo $WORD; sleep 1000 & sleep 1000"}, Env: []string{"WORD=hello"}}

	if err := set.Start(sleep); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = set.Stop(context.Background(), 0, "sleep") })
	for Tail(set.Log("sleep"), 1) != "hello" {
		if err := set.Died("sleep"); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	first := set.Pid("sleep")
	if err := set.Start(sleep); err != nil || set.Pid("sleep") != first {
		t.Fatalf("a second start gave pid %d, want %d (error %v)", set.Pid("sleep"), first, err)
	}
	if err := set.Stop(context.Background(), 5*time.Second, "sleep"); err != nil {
		t.Fatal(err)
	}
	if set.Alive("sleep") || exists(first) {
		t.Fatal("the process group survived Stop")
	}
	if err := set.Died("sleep"); err == nil || !strings.Contains(err.Error(), "hello") {
		t.Fatalf("Died does not show the log: %v", err)
	}
}

func TestAReusedPidIsNotTheProcess(t *testing.T) {
	set := Set{Pids: t.TempDir(), Logs: t.TempDir()}
	if err := os.WriteFile(set.pidFile("other"), []byte("1 12345\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if set.Alive("other") || set.group("other") != 0 {
		t.Fatal("a pid file of an earlier process was taken for process 1")
	}
}

func TestAProcessThatCannotStart(t *testing.T) {
	set := Set{Pids: t.TempDir(), Logs: t.TempDir()}
	if err := set.Start(Command{Name: "none", Args: []string{"/nonexistent/program"}}); err == nil {
		t.Fatal("no error for a missing program")
	}
}

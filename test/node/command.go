package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/capok/capok/test/lab/progress"
)

const commandPoll = 100 * time.Millisecond

// command is a program that dies with this process.
func command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nice", append([]string{"-n", "5"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// run runs a program to its end and says from time to time that it still
// runs. The error ends with the last lines that the program wrote.
func run(ctx context.Context, p *progress.Printer, args ...string) error {
	var output bytes.Buffer
	cmd := command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &output, &output
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the signal comes when the starting thread ends
		defer runtime.UnlockOSThread()
		done <- cmd.Run()
	}()
	var failed error
	name := filepath.Base(args[0])
	err := p.Wait(ctx, name, commandPoll, func(context.Context) error {
		select {
		case failed = <-done:
			return nil
		default:
			return errors.New("it runs")
		}
	})
	if err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("%s: %w\n%s", name, failed, lastLines(output.String()))
	}
	return nil
}

func lastLines(text string) string {
	const count = 15
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

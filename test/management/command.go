package management

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// command runs a program and, when it fails, says what it wrote.
func command(ctx context.Context, name string, args ...string) error {
	_, err := output(ctx, name, args...)
	return err
}

// output runs a program and returns what it wrote to its standard output,
// trimmed.
func output(ctx context.Context, name string, args ...string) (string, error) {
	return pipe(ctx, nil, name, args...)
}

// pipe runs a program on the given input, which may be nil.
func pipe(ctx context.Context, in io.Reader, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &errs
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(errs.String() + out.String())
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, last(said, 500))
	}
	return strings.TrimSpace(out.String()), nil
}

// last returns at most n bytes of the end of s.
func last(s string, n int) string {
	if len(s) > n {
		return "..." + s[len(s)-n:]
	}
	return s
}

// detached runs a program that leaves a daemon behind; what it writes goes to
// the log, which the error repeats.
func detached(ctx context.Context, log *os.File, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", name, err, last(strings.TrimSpace(string(said)), 500))
	}
	return nil
}

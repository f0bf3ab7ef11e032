package component

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/capok/capok/test/lab/lock"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
)

// buildPoll is how often a waiting process looks whether a build is over.
const buildPoll = 200 * time.Millisecond

// Path returns the absolute path of the named binary and builds it first if
// the cache does not hold it. Names lists the names. With a nil p it prints
// its progress like progress.New does.
//
// Several processes may call it at once: one of them builds at a time. A
// binary appears under its name only when it is complete.
func Path(ctx context.Context, p *progress.Printer, name string) (string, error) {
	path, err := Location(ctx, name)
	if err != nil || exists(path) {
		return path, err
	}
	if p == nil {
		p = progress.New()
	}
	release, err := lock.Take(ctx, p, place.Cache("components", "lock"))
	if err != nil {
		return "", err
	}
	defer release()
	if exists(path) { // another process built it while we waited
		return path, nil
	}
	return path, build(ctx, p, recipes[name], path)
}

// Location returns where Path has or puts the named binary. It changes when
// anything does that the binary is made of.
func Location(ctx context.Context, name string) (string, error) {
	how, known := recipes[name]
	if !known {
		return "", fmt.Errorf("no component is called %q; there are: %s", name, strings.Join(Names(), " "))
	}
	version, err := goVersion(ctx, how.source())
	if err != nil {
		return "", err
	}
	key, err := cacheKey(how.source(), how, version)
	if err != nil {
		return "", fmt.Errorf("read the module of %s: %w", name, err)
	}
	return place.Cache("components", how.module+"-"+key, name), nil
}

// build compiles into a file beside path and renames it. The caller holds the
// lock, so a file left by a killed build is simply written again.
func build(ctx context.Context, p *progress.Printer, how recipe, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	name, partial := filepath.Base(path), path+".partial"
	args := append([]string{"-n", "10", "go", "build"}, buildFlags(how)...)
	command := exec.CommandContext(ctx, "nice", append(args, "-o", partial, how.pkg)...)
	command.Dir = how.source()
	command.Env = append(os.Environ(), buildEnv...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output

	p.Sayf("building %s (module hack/components/%s)", name, how.module)
	began, done := time.Now(), make(chan error, 1)
	go func() { done <- command.Run() }()
	var failed error
	err := p.Wait(ctx, "the build of "+name, buildPoll, func(context.Context) error {
		select {
		case failed = <-done:
			return nil
		default:
			return errors.New("go build is running")
		}
	})
	if err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("build %s: %w\n%s", name, failed, lastLines(output.String(), 20))
	}
	p.Sayf("built %s in %.0fs", name, time.Since(began).Seconds())
	return os.Rename(partial, path)
}

func goVersion(ctx context.Context, folder string) (string, error) {
	command := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	command.Dir = folder
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("ask go for its version (is Go installed and in PATH?): %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func lastLines(text string, count int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

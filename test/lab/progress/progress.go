// Package progress tells a person what a long command is doing.
//
// Every line carries the seconds since the start. A wait repeats itself with
// what it waits for, since when, and the last reason why it is not over.
package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// reportEvery is how often a wait says that it still waits.
const reportEvery = 15 * time.Second

// Printer writes progress lines. The zero value is not usable; see New.
type Printer struct {
	out   io.Writer
	begin time.Time

	mu     sync.Mutex
	phases []phase
}

type phase struct {
	name string
	took time.Duration
}

// New returns a printer that writes to standard error.
func New() *Printer {
	return &Printer{out: os.Stderr, begin: time.Now()}
}

// Sayf prints one line.
func (p *Printer) Sayf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "[%6.1fs] %s\n", time.Since(p.begin).Seconds(), fmt.Sprintf(format, args...))
}

// Phase runs one named part of the work and remembers how long it took.
func (p *Printer) Phase(ctx context.Context, name string, run func(context.Context) error) error {
	p.Sayf("%s", name)
	began := time.Now()
	err := run(ctx)
	p.mu.Lock()
	p.phases = append(p.phases, phase{name, time.Since(began)})
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Wait calls check every so often until it returns nil, and says what it
// waits for and why. It returns the last reason when ctx ends.
func (p *Printer) Wait(ctx context.Context, what string, every time.Duration, check func(context.Context) error) error {
	began, said := time.Now(), time.Now()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		if time.Since(said) >= reportEvery {
			said = time.Now()
			p.Sayf("waiting for %s since %.0fs: %v", what, time.Since(began).Seconds(), err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not come within %.0fs: %w", what, time.Since(began).Seconds(), err)
		case <-time.After(every):
		}
	}
}

// Summary prints how long each phase took.
func (p *Printer) Summary() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "\n%-52s %8s\n", "PHASE", "SECONDS")
	for _, done := range p.phases {
		fmt.Fprintf(p.out, "%-52s %8.1f\n", done.name, done.took.Seconds())
	}
	fmt.Fprintf(p.out, "%-52s %8.1f\n", "all", time.Since(p.begin).Seconds())
}

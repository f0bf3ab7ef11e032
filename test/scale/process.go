package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// stopGrace is how long a process may take to end.
const stopGrace = 10 * time.Second

// processes are those that were started for one size. They end with the context.
type processes struct {
	logs    string // folder
	env     []string
	started []*exec.Cmd
}

// start runs a program until the context ends; its log is NAME.log.
func (p *processes) start(ctx context.Context, name, path string, args ...string) error {
	log, err := os.Create(filepath.Join(p.logs, name+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.CommandContext(ctx, path, args...)
	command.Env = append(os.Environ(), p.env...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopGrace
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	p.started = append(p.started, command)
	return nil
}

// wait returns when all processes have ended.
func (p *processes) wait() {
	for _, command := range p.started {
		_ = command.Wait() // they were told to
	}
}

// ready waits until a URL answers without an error.
func ready(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, errors.New("it does not get ready"))
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
			if response.StatusCode < http.StatusInternalServerError {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", url, context.Cause(ctx))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

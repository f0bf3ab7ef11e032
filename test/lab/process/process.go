// Package process starts and stops background processes that outlive the
// command that starts them.
//
// Each process has a name, a pid file and a log. It writes its pid file itself
// before it becomes the program, so that a command killed at any instant loses
// none; the file also holds the process's start time, so that a reused pid is
// never taken for it. It is not a supervisor: what dies stays dead and is
// reported. Read Set.Start first.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Set is the processes of one environment.
type Set struct {
	Pids string // folder of the pid files
	Logs string // folder of the logs
}

// Command says what a process is.
type Command struct {
	Name string   // unique in its Set; names the pid file and the log
	Args []string // program and arguments
	Env  []string // NAME=value, added to this process's environment
	Dir  string   // working folder; the root folder if empty

	// Nice says how much of the processors the process and its children get
	// beside other sessions, as nice(1) does: a build beside it must not
	// starve a server. (Nice values themselves count within a session only;
	// see sched(7), autogroup.)
	Nice int
}

// poll is how often Stop looks whether a process is gone.
const poll = 50 * time.Millisecond

// launch writes pid and start time (field 22 of proc(5)'s stat), then becomes
// the program.
const launch = `f=$1; nice=$2; shift 2
echo "$nice" 2>/dev/null > /proc/self/autogroup
read -r stat < /proc/$$/stat || exit 1
start=$(set -- $stat; shift 21; echo "$1")
echo "$$ $start" > "$f" && exec "$@"`

// Start starts a process in a session of its own, unless it runs already.
func (s Set) Start(c Command) error {
	if s.Alive(c.Name) {
		return nil
	}
	if err := errors.Join(os.MkdirAll(s.Pids, 0o755), os.MkdirAll(s.Logs, 0o755)); err != nil {
		return err
	}
	if _, err := exec.LookPath(c.Args[0]); err != nil {
		return fmt.Errorf("start %s: %w", c.Name, err)
	}
	log, err := os.OpenFile(s.Log(c.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := os.Remove(s.pidFile(c.Name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", launch, "sh", s.pidFile(c.Name), strconv.Itoa(c.Nice)}, c.Args...)...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Dir = "/" + strings.TrimPrefix(c.Dir, "/")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", c.Name, err)
	}
	exited := make(chan struct{})
	go func() { _ = cmd.Wait(); close(exited) }() // no zombie as long as we live
	return s.started(c.Name, exited)
}

// started waits for the pid file, which takes a few milliseconds.
func (s Set) started(name string, exited <-chan struct{}) error {
	for !s.Alive(name) {
		select {
		case <-exited:
			return s.Died(name)
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// Pid is the process's number, and its process group's; 0 if it does not run.
func (s Set) Pid(name string) int {
	content, err := os.ReadFile(s.pidFile(name))
	if err != nil {
		return 0
	}
	var pid int
	var start string
	if _, err := fmt.Sscan(string(content), &pid, &start); err != nil || start != startTime(pid) {
		return 0
	}
	return pid
}

// Alive says whether the process runs.
func (s Set) Alive(name string) bool { return s.Pid(name) != 0 }

// Known lists the names of all processes that were started and not stopped.
func (s Set) Known() []string {
	files, _ := filepath.Glob(filepath.Join(s.Pids, "*.pid"))
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".pid"))
	}
	return names
}

// Log is the path of the process's log.
func (s Set) Log(name string) string { return filepath.Join(s.Logs, name+".log") }

// Died returns nil while the process runs, else an error that shows the end of
// its log.
func (s Set) Died(name string) error {
	if s.Alive(name) {
		return nil
	}
	return fmt.Errorf("%s does not run any more; its log is %s and ends with:\n%s", name, s.Log(name), Tail(s.Log(name), 15))
}

// Stop ends processes together: TERM to each one's process group, and KILL to
// those that still live after the grace or when ctx ends.
func (s Set) Stop(ctx context.Context, grace time.Duration, names ...string) error {
	groups := map[string]int{}
	for _, name := range names {
		if pid := s.group(name); pid != 0 {
			groups[name] = pid
			_ = syscall.Kill(-pid, syscall.SIGTERM)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for ctx.Err() == nil && slices.ContainsFunc(names, func(n string) bool { return exists(groups[n]) }) {
		select {
		case <-ctx.Done():
		case <-time.After(poll):
		}
	}
	var errs []error
	for _, name := range names {
		if pid := groups[name]; exists(pid) {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
		if err := os.Remove(s.pidFile(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// group is the process group to stop: also one whose leader has died, as long
// as its number was not given to somebody else.
func (s Set) group(name string) int {
	if pid := s.Pid(name); pid != 0 {
		return pid
	}
	content, _ := os.ReadFile(s.pidFile(name))
	var pid int
	if _, err := fmt.Sscan(string(content), &pid); err != nil || startTime(pid) != "" {
		return 0
	}
	return pid
}

func (s Set) pidFile(name string) string { return filepath.Join(s.Pids, name+".pid") }

func exists(group int) bool { return group != 0 && syscall.Kill(-group, 0) == nil }

// startTime is the process's start in clock ticks since boot; empty if there is
// no such process or it is a zombie.
func startTime(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// the name in field 2 may hold spaces and brackets
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}

// Tail is the end of a text file, or why it cannot be read.
func Tail(path string, lines int) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// marker is in the environment of the program that runs in the namespace.
const marker = "CAPOK_SCALE_ISOLATED"

func isolated() bool { return os.Getenv(marker) != "" }

// isolate runs this program again in a network namespace of its own.
func isolate(ctx context.Context) error {
	again := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...)
	again.Args[0] = os.Args[0]
	again.Env = append(os.Environ(), marker+"=1")
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Getuid() != 0 { // who is not root may have one as root of a user namespace
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	again.Cancel = func() error { return again.Process.Signal(syscall.SIGTERM) }
	return again.Run()
}

// makeLocal makes the loopback answer at every address of the simulated external
// network.
func makeLocal(ctx context.Context) error {
	for _, line := range []string{"link set lo up", "route add local " + externalCIDR + " dev lo"} {
		out, err := exec.CommandContext(ctx, "ip", strings.Fields(line)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w\n%s", line, err, out)
		}
	}
	return nil
}

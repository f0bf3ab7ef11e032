package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of CPU times in proc(5)'s stat; it is 1/100 s on all
// machines that Linux calls amd64 or arm64.
const clockTick = 10 * time.Millisecond

// usage is what a process has used.
type usage struct {
	cpu       time.Duration
	rss, peak int // MiB
}

// usages are those of this program and of all that it started, by program.
func usages() map[string]usage {
	all := map[string]usage{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		content, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(content), ") ")
		field := strings.Fields(rest) // field[0] is the third of stat, the state
		folder := filepath.Dir(path)
		if len(field) < 13 || field[1] != strconv.Itoa(os.Getpid()) && filepath.Base(folder) != strconv.Itoa(os.Getpid()) {
			continue
		}
		program, err := os.Readlink(filepath.Join(folder, "exe"))
		if err != nil {
			continue
		}
		u := usage{cpu: time.Duration(number(field[11])+number(field[12])) * clockTick}
		u.rss, u.peak = memory(folder)
		all[filepath.Base(program)] = u
	}
	return all
}

// memory reads the resident memory of a process, now and at most.
func memory(folder string) (rss, peak int) {
	content, _ := os.ReadFile(filepath.Join(folder, "status"))
	for line := range strings.Lines(string(content)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 {
			rss = kib / 1024
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			peak = kib / 1024
		}
	}
	return rss, peak
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

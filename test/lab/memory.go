package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memory prints what each system container takes: the management cluster, and
// every server that OpenStack runs as one.
func memory(out io.Writer) {
	groups, _ := filepath.Glob("/sys/fs/cgroup/memory/lxc.payload.*") // cgroup v1
	field, cache := "total_rss", "total_cache"
	if len(groups) == 0 {
		groups, _ = filepath.Glob("/sys/fs/cgroup/lxc.payload.*")
		field, cache = "anon", "file"
	}
	for _, group := range groups {
		stat, _ := os.ReadFile(filepath.Join(group, "memory.stat"))
		name := strings.TrimPrefix(filepath.Base(group), "lxc.payload.")
		fmt.Fprintf(out, "%-44s %5d MiB and %5d MiB of file cache\n", name, mebibytes(string(stat), field), mebibytes(string(stat), cache))
	}
}

// mebibytes finds a field of a memory.stat file.
func mebibytes(stat, field string) int {
	for line := range strings.Lines(stat) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == field {
			bytes, _ := strconv.Atoi(value)
			return bytes >> 20
		}
	}
	return 0
}

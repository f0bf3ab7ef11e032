package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// The table stands between these lines of the output file.
const (
	tableBegins = "<!-- results: begin -->\n"
	tableEnds   = "<!-- results: end -->\n"
)

var services = []string{"keystone", "nova", "neutron", "octavia", "glance", "cinder"}

// others are what competes with our manager for the processors.
var others = []string{"capi-core-manager", "capi-kubeadm-control-plane-manager", "capi-kubeadm-bootstrap-manager", "kube-apiserver", "etcd", workloads, "scale"}

// table shows results side by side.
func table(results []result) string {
	var out strings.Builder
	row := func(name string, cell func(result) string) {
		fmt.Fprintf(&out, "| %s |", name)
		for _, r := range results {
			fmt.Fprintf(&out, " %s |", cell(r))
		}
		out.WriteString("\n")
	}
	row("clusters × machines", func(r result) string { return fmt.Sprintf("%d × %d", r.clusters, r.machines) })
	fmt.Fprintf(&out, "|%s\n", strings.Repeat(" --- |", len(results)+1))
	row("Machines that have a Node", func(r result) string { return fmt.Sprint(r.done) })
	row("all machines provisioned after", func(r result) string { return seconds(r.provisioned) })
	row("all Machines have a Node after", func(r result) string { return seconds(r.joined) })
	for _, p := range []int{50, 99, 100} {
		row(fmt.Sprintf("ACTIVE → provisioned, p%d", p), func(r result) string { return seconds(percentile(r.lags, p)) })
	}
	for _, service := range services {
		row(service+": requests a machine, a second (most in 10 s)", func(r result) string { return r.rates(service) })
	}
	ourRows(row)
	for _, name := range others {
		row(name+": CPU, memory at most", func(r result) string {
			return fmt.Sprintf("%.0f s, %d MiB", r.used[name].cpu.Seconds(), r.used[name].peak)
		})
	}
	return out.String()
}

// ourRows are about our manager.
func ourRows(row func(string, func(result) string)) {
	row("**manager: CPU**", func(r result) string { return seconds(r.used[ourManager].cpu) })
	row("**manager: CPU a machine**", func(r result) string {
		return fmt.Sprintf("%d ms", r.used[ourManager].cpu.Milliseconds()/int64(max(r.done, 1)))
	})
	row("**manager: memory at the end, at most**", func(r result) string {
		return fmt.Sprintf("%d, %d MiB", r.used[ourManager].rss, r.used[ourManager].peak)
	})
}

func (r result) rates(service string) string {
	n := float64(r.requests[service])
	return fmt.Sprintf("%.1f, %.1f/s (%.0f/s)", n/float64(max(r.done, 1)), n/max(r.joined.Seconds(), 1), float64(r.peak[service])/look.Seconds())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// percentile of sorted times, by the nearest rank.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}

// publish puts the table into a file; without one it was only printed.
func publish(path string, results []result) error {
	if path == "" {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(content), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		return fmt.Errorf("%s has no lines %q and %q", path, strings.TrimSpace(tableBegins), strings.TrimSpace(tableEnds))
	}
	text := slices.Concat([]byte(before), []byte(tableBegins), []byte(table(results)), []byte(tableEnds), []byte(after))
	return os.WriteFile(path, text, 0o644)
}

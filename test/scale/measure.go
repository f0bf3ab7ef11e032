package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/capok/capok/test/lab/place"
)

// look is how often progress is told, and the span of the peak rate.
const look = 10 * time.Second

// result is what a size came to.
type result struct {
	size
	done        int             // Machines that have a Node
	provisioned time.Duration   // until the last OpenStackMachine was
	joined      time.Duration   // until the last Machine had its Node
	lags        []time.Duration // from ACTIVE to provisioned, sorted
	requests    map[string]int  // to OpenStack, by service
	peak        map[string]int  // most requests in any span of look
	used        map[string]usage
}

// measure brings up clusters of one size and takes everything down again.
func measure(ctx context.Context, f *flags, p *programs, s size) (result, error) {
	limited, cancel := context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("not all machines have a Node after %s", f.timeout))
	defer cancel()
	run := &processes{logs: place.State("scale", s.String())}
	if err := errors.Join(os.RemoveAll(run.logs), os.MkdirAll(run.logs, 0o755)); err != nil {
		return result{}, err
	}
	c, err := startCloud(limited, s.clusters, f.projects)
	if err != nil {
		return result{}, err
	}
	defer c.stop()
	if err := run.start(limited, workloads, p.path[workloads], local(workloadPort)); err != nil {
		return result{}, err
	}
	m, err := startManagement(limited, p, run)
	if m != nil {
		defer func() { _ = m.Stop() }()
	}
	defer func() { cancel(); run.wait() }() // before the API server
	if err != nil {
		return result{}, err
	}
	watched, err := watchFleet(limited, m.config)
	if err != nil {
		return result{}, err
	}
	go newNodes(c, watched, f.boot).run(limited)
	r, err := bringUp(limited, watched, c, f, s)
	return r, errors.Join(err, c.list(filepath.Join(run.logs, "requests")))
}

// bringUp creates the clusters and waits until every Machine has its Node.
func bringUp(ctx context.Context, watched *fleet, c *cloud, f *flags, s size) (result, error) {
	r := result{size: s, requests: map[string]int{}, peak: map[string]int{}}
	before, began := usages(), time.Now()
	created := make(chan error, 1)
	go func() { created <- createClusters(ctx, watched, c, s, cmp.Or(f.building, s.building())) }()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	want, all := s.clusters*s.machines, false
	for !all {
		select {
		case err := <-created:
			if err != nil {
				return r, err
			}
			fmt.Fprintf(os.Stderr, "%6.0fs %s: all clusters are created\n", time.Since(began).Seconds(), s)
			continue
		case <-ctx.Done():
			r.conclude(began, watched, c)
			return r, context.Cause(ctx)
		case <-ticker.C:
		}
		r.count(c.requests())
		r.used = since(before, usages())
		provisioned, joined := watched.counts()
		all = joined >= want
		fmt.Fprintf(os.Stderr, "%6.0fs %s: %d of %d machines provisioned, %d have a Node\n", time.Since(began).Seconds(), s, provisioned, want, joined)
	}
	r.conclude(began, watched, c)
	return r, nil
}

// count notes the requests so far.
func (r *result) count(requests map[string]int) {
	for service, n := range requests {
		r.peak[service] = max(r.peak[service], n-r.requests[service])
	}
	r.requests = requests
}

// conclude computes the result, of all machines or of those that came so far.
func (r *result) conclude(began time.Time, watched *fleet, c *cloud) {
	watched.mu.Lock()
	defer watched.mu.Unlock()
	r.done = len(watched.joined)
	r.provisioned, r.joined = last(watched.provisioned).Sub(began), last(watched.joined).Sub(began)
	for _, server := range c.Servers("") {
		if at, known := watched.provisioned[server.Name]; known {
			r.lags = append(r.lags, at.Sub(server.Launched))
		}
	}
	slices.Sort(r.lags)
}

// since subtracts what was used before.
func since(before, now map[string]usage) map[string]usage {
	used := map[string]usage{}
	for name, u := range now {
		u.cpu -= before[name].cpu
		used[name] = u
	}
	return used
}

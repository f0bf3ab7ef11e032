package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/setup"
)

// fleet watches all machines and notes when what happened to them.
type fleet struct {
	client.Client // to read what is cached, and all else at the API server

	mu          sync.Mutex
	provisioned map[string]time.Time // OpenStackMachines, by name
	joined      map[string]time.Time // Machines that have a Node
}

// watchFleet begins to watch.
func watchFleet(ctx context.Context, config *rest.Config) (*fleet, error) {
	scheme, err := setup.Scheme()
	if err != nil {
		return nil, err
	}
	watched, err := cache.New(config, cache.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	f := &fleet{provisioned: map[string]time.Time{}, joined: map[string]time.Time{}}
	f.Client, err = client.New(config, client.Options{Scheme: scheme, Cache: &client.CacheOptions{Reader: watched}})
	if err != nil {
		return nil, err
	}
	for _, kind := range []client.Object{&infrav1.OpenStackMachine{}, &clusterv1.Machine{}, &clusterv1.Cluster{}} {
		informer, err := watched.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, err
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(_, now any) { f.note(now) }}); err != nil {
			return nil, err
		}
	}
	go func() { _ = watched.Start(ctx) }()
	if !watched.WaitForCacheSync(ctx) {
		return nil, fmt.Errorf("watch machines: %w", context.Cause(ctx))
	}
	return f, nil
}

// note notes the time when something is so for the first time.
func (f *fleet) note(object any) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m := object.(type) {
	case *infrav1.OpenStackMachine:
		if done := m.Status.Initialization.Provisioned; done != nil && *done {
			first(f.provisioned, m.Name, now)
		}
	case *clusterv1.Machine:
		if m.Status.NodeRef.IsDefined() {
			first(f.joined, m.Name, now)
		}
	}
}

func first(times map[string]time.Time, name string, now time.Time) {
	if _, known := times[name]; !known {
		times[name] = now
	}
}

// counts are how many machines were provisioned and how many have a Node.
func (f *fleet) counts() (provisioned, joined int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.provisioned), len(f.joined)
}

// waitBelow waits until of the machines that were asked for fewer than so many have
// no Node.
func (f *fleet) waitBelow(ctx context.Context, asked, limit int) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		if _, joined := f.counts(); asked-joined < limit {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// last is the latest of the times.
func last(times map[string]time.Time) (latest time.Time) {
	for _, at := range times {
		if at.After(latest) {
			latest = at
		}
	}
	return latest
}

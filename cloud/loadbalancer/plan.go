package loadbalancer

import (
	"net/netip"
	"slices"

	"github.com/capok/capok/cloud"
)

// Plan is what has to be done so that what is there becomes what is wanted.
// Nil means that nothing is there: it is then made whole, by one request.
// Listeners are told apart by their ports; provider, address and protocol of
// what is there are never changed.
func Plan(want cloud.BalancerSpec, have *Observed) []Op {
	if have == nil {
		return []Op{CreateWhole{want}}
	}
	var ops []Op
	for _, l := range want.Listeners {
		seen, found := have.listener(l.Port)
		if !found {
			ops = append(ops, AddListener{have.ID, l})
			continue
		}
		ops = append(ops, planListener(l, seen, have)...)
	}
	return append(ops, planDrops(want, have)...) // last, so that nothing is unserved in between
}

func planListener(want cloud.ListenerSpec, seen cloud.Listener, have *Observed) []Op {
	var ops []Op
	if !sameCIDRs(want.AllowedCIDRs, seen.AllowedCIDRs) {
		ops = append(ops, SetAllowedCIDRs{seen.ID, want.Port, want.AllowedCIDRs})
	}
	pool, found := have.pool(seen.PoolID)
	if !found {
		return append(ops, AddPool{seen.ID, want.Port, want.Pool})
	}
	monitor, found := have.monitor(pool.MonitorID)
	switch {
	case want.Pool.Monitor == nil:
	case !found:
		ops = append(ops, AddMonitor{pool.ID, want.Port, *want.Pool.Monitor})
	case !sameTimes(*want.Pool.Monitor, monitor.MonitorSpec):
		ops = append(ops, SetMonitor{monitor.ID, want.Port, *want.Pool.Monitor})
	}
	return ops
}

// planDrops removes listeners that are not wanted, and pools that no listener
// leads to: what a dropped listener, now or in a pass that was cut, left.
func planDrops(want cloud.BalancerSpec, have *Observed) []Op {
	var ops []Op
	used := map[string]bool{}
	for _, l := range have.Listeners {
		if slices.ContainsFunc(want.Listeners, func(w cloud.ListenerSpec) bool { return w.Port == l.Port }) {
			used[l.PoolID] = true
			continue
		}
		ops = append(ops, DropListener{l.ID, l.Port})
	}
	for _, p := range have.Pools {
		if !used[p.ID] {
			ops = append(ops, DropPool{p.ID, p.Name})
		}
	}
	return ops
}

func (o *Observed) listener(port int) (cloud.Listener, bool) {
	return find(o.Listeners, func(l cloud.Listener) bool { return l.Port == port })
}

func (o *Observed) pool(id string) (cloud.Pool, bool) {
	return find(o.Pools, func(p cloud.Pool) bool { return p.ID == id })
}

func (o *Observed) monitor(id string) (cloud.Monitor, bool) {
	return find(o.Monitors, func(m cloud.Monitor) bool { return m.ID == id })
}

func find[T any](all []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	var none T
	return none, false
}

func sameTimes(a, b cloud.MonitorSpec) bool {
	return a.Delay == b.Delay && a.Timeout == b.Timeout && a.Retries == b.Retries && a.RetryDown == b.RetryDown
}

// sameCIDRs compares as sets; Octavia keeps ranges as they were written.
func sameCIDRs(a, b []string) bool {
	return slices.Equal(canonical(a), canonical(b))
}

func canonical(cidrs []string) []string {
	var all []string
	for _, cidr := range cidrs {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			cidr = prefix.Masked().String()
		}
		all = append(all, cidr)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

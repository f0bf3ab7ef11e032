package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/snapshot"
	"github.com/capok/capok/internal/step"
)

// kind is what has to be known of a kind of resource in order to keep one and
// to delete all.
type kind[T any] struct {
	list   snapshot.Kind
	noun   string // for messages
	event  string // for events: Network becomes NetworkDeleted
	id     func(T) string
	delete func(context.Context, string) error
}

func networks(n *cloud.Networking) kind[cloud.Network] {
	return kind[cloud.Network]{snapshot.Networks, "network", "Network", func(v cloud.Network) string { return v.ID }, n.DeleteNetwork}
}

func subnets(n *cloud.Networking) kind[cloud.Subnet] {
	return kind[cloud.Subnet]{snapshot.Subnets, "subnet", "Subnet", func(v cloud.Subnet) string { return v.ID }, n.DeleteSubnet}
}

func routers(n *cloud.Networking) kind[cloud.Router] {
	return kind[cloud.Router]{snapshot.Routers, "router", "Router", func(v cloud.Router) string { return v.ID }, n.DeleteRouter}
}

func securityGroups(n *cloud.Networking) kind[cloud.SecurityGroup] {
	return kind[cloud.SecurityGroup]{snapshot.SecurityGroups, "security group", "SecurityGroup", func(v cloud.SecurityGroup) string { return v.ID }, n.DeleteSecurityGroup}
}

func floatingIPs(n *cloud.Networking) kind[cloud.FloatingIP] {
	return kind[cloud.FloatingIP]{snapshot.FloatingIPs, "floating IP", "FloatingIP", func(v cloud.FloatingIP) string { return v.ID }, n.DeleteFloatingIP}
}

func balancers(l *cloud.LoadBalancing) kind[cloud.Balancer] {
	return kind[cloud.Balancer]{snapshot.Balancers, "load balancer", "LoadBalancer", func(v cloud.Balancer) string { return v.ID }, l.DeleteBalancer}
}

// keepOne picks the resource to use of those that are for the same purpose.
// Two can be there after a create call whose answer was lost and a list that
// did not show it yet: the one that the status reports is kept, because others
// may use it by now, else the one with the smallest ID, so that every pass
// chooses the same. The others are deleted.
func keepOne[T any](ctx context.Context, p *pass, k kind[T], found []T, preferred string) (T, bool, error) {
	if len(found) == 0 {
		var none T
		return none, false, nil
	}
	found = slices.SortedFunc(slices.Values(found), func(a, b T) int {
		if (k.id(a) == preferred) != (k.id(b) == preferred) {
			return map[bool]int{true: -1, false: 1}[k.id(a) == preferred]
		}
		return cmp.Compare(k.id(a), k.id(b))
	})
	for _, spare := range found[1:] {
		p.wrote(k.list)
		if err := k.delete(ctx, k.id(spare)); err != nil {
			return found[0], true, fmt.Errorf("delete %s %s, which %s makes superfluous: %w", k.noun, k.id(spare), k.id(found[0]), err)
		}
		p.journal.Warnf("Spare"+k.event+"Deleted", "deleted %s %s: %s is for the same", k.noun, k.id(spare), k.id(found[0]))
	}
	return found[0], true, nil
}

// removeAll deletes what was found. It is done when nothing was: a deletion is
// proved by the next look.
func removeAll[T any](ctx context.Context, p *pass, k kind[T], found []T) step.Result {
	if len(found) == 0 {
		return step.Done()
	}
	for _, v := range found {
		p.wrote(k.list)
		if err := k.delete(ctx, k.id(v)); err != nil {
			return step.Fail(fmt.Errorf("delete %s %s: %w", k.noun, k.id(v), err))
		}
		p.journal.Notef(k.event+"Deleted", "deleted %s %s", k.noun, k.id(v))
	}
	return step.Wait(infrav1.Deleting, fmt.Sprintf("%s %s is being deleted", k.noun, k.id(found[0])), deletePoll)
}

// tag puts the user's tags on a resource. Tags that others put there stay.
func (p *pass) tag(ctx context.Context, n *cloud.Networking, collection, id string, have []string) error {
	want := uniq(p.infra.Spec.Tags, have)
	if len(p.infra.Spec.Tags) == 0 || slices.Equal(want, uniq(have)) {
		return nil
	}
	if err := n.SetTags(ctx, collection, id, want); err != nil {
		return fmt.Errorf("tag %s %s: %w", collection, id, err)
	}
	return nil
}

func uniq(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

package lifecycle

import (
	"context"
	"errors"

	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/controllers/cluster"
	"github.com/capok/capok/controllers/machine"
	"github.com/capok/capok/internal/identity"
)

// process is our manager from its start to its end: all that it has in memory.
type process struct {
	ctx      context.Context
	kill     context.CancelFunc
	clusters *cluster.Reconciler
	machines *machine.Reconciler
}

var errKilled = errors.New("this process was killed")

// start begins a process that knows nothing of the one before.
func (w *world) start() {
	p := &process{}
	p.ctx, p.kill = context.WithCancel(w.Context())
	connection := w.connection(p)
	identities := identity.NewProvider(connection, w.cloud.Clock, cloud.Limits{})
	recorder := &events.FakeRecorder{} // tells nobody
	p.clusters = &cluster.Reconciler{Client: connection, Identities: identities, Events: recorder, Clock: w.cloud.Clock}
	p.machines = &machine.Reconciler{Client: connection, Identities: identities, Events: recorder, Clock: w.cloud.Clock}
	w.process = p
}

func (p *process) reconcile(t task, namespace string) (ctrl.Result, error) {
	request := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: t.name}}
	if t.kind == "OpenStackCluster" {
		return p.clusters.Reconcile(p.ctx, request)
	}
	return p.machines.Reconcile(p.ctx, request)
}

func (p *process) killed() bool { return p.ctx.Err() != nil }

// connection is how a process talks to Kubernetes. Once it was killed nothing
// goes through, whatever context it comes with; each write may meet trouble.
func (w *world) connection(p *process) client.Client {
	alive := func(do func() error) error {
		if p.killed() {
			return errKilled
		}
		return do()
	}
	write := func(object client.Object, status bool, send func() error) error {
		return alive(func() error {
			defer w.wrote(object, status)
			return w.send(send)
		})
	}
	return interceptor.NewClient(w.api.capok, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return alive(func() error { return c.Get(ctx, key, o, opts...) })
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			return alive(func() error { return c.List(ctx, list, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return write(o, false, func() error { return c.Patch(ctx, o, patch, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return write(o, true, func() error { return c.SubResource(sub).Patch(ctx, o, patch, opts...) })
		},
	})
}

// Package identity turns an identityRef into access to OpenStack.
//
// It finds the Secret, by way of an OpenStackClusterIdentity if the reference names
// one, and keeps one session, with its observer and catalog,
// per distinct content: two clusters with the same credentials share one, and
// a changed Secret opens a new one by itself. It caches no Secret. Read
// Provider.Open first.
package identity

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/cloud"
	"github.com/capok/capok/cloud/catalog"
	"github.com/capok/capok/cloud/snapshot"
)

// unusedFor is when a session that nobody asked for is forgotten.
const unusedFor = time.Hour

// Access is one project of one region, opened.
type Access struct {
	Session  *cloud.Session
	Observer *snapshot.Observer
	Catalog  *catalog.Catalog
	Proofs   *snapshot.Proofs
}

// Provider opens sessions and keeps them.
type Provider struct {
	reader client.Reader
	clock  clock.PassiveClock
	gates  *cloud.Gates

	mu   sync.Mutex
	open map[string]*entry
}

// entry is one session. Its lock is held while it logs in, so that all who
// have the same credentials wait for one login and nobody else does.
type entry struct {
	mu     sync.Mutex
	access *Access
	failed cloud.Failure // to log in, for who comes shortly after
	used   time.Time
}

// NewProvider returns a provider that reads Secrets, OpenStackClusterIdentities and
// the metadata of Namespaces by the reader. It should not keep Secrets. The limits are
// those of each project.
func NewProvider(reader client.Reader, clock clock.PassiveClock, limits cloud.Limits) *Provider {
	return &Provider{reader: reader, clock: clock, gates: cloud.NewGates(limits, clock), open: map[string]*entry{}}
}

// Open returns access for one pass, with the credentials that the reference names, in
// the namespace of the object that carries it. Errors are NoCredentials, NotAllowed,
// Unauthorized, Unavailable, or Throttled: the pass is to begin later.
func (p *Provider) Open(ctx context.Context, namespace string, ref infrav1.IdentityRef) (*Access, error) {
	credentials, err := p.credentials(ctx, namespace, ref)
	if err != nil {
		return nil, err
	}
	access, err := p.opening(ctx, credentials)
	if err != nil {
		return nil, err
	}
	return access, access.Session.Begin()
}

// opening returns the access that is kept for the credentials, or makes it.
func (p *Provider) opening(ctx context.Context, credentials cloud.Credentials) (*Access, error) {
	e := p.entry(credentials.Key())
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.access != nil {
		return e.access, nil
	}
	if err := e.failed.Recent(p.clock.Now()); err != nil {
		return nil, err
	}
	began := p.clock.Now()
	session, err := p.gates.Open(ctx, credentials)
	if err != nil {
		e.failed = cloud.NewFailure(ctx, err, began, p.clock.Now())
		return nil, err
	}
	e.access = &Access{
		Session:  session,
		Observer: snapshot.NewObserver(session, p.clock),
		Catalog:  catalog.New(session, p.clock),
		Proofs:   snapshot.NewProofs(p.clock),
	}
	return e.access, nil
}

// tick is how often Start looks whether it is time to ask a project.
const tick = 200 * time.Millisecond

// Start watches the servers that somebody waits for, in every project that is open,
// until the context ends. A project that does not answer holds up no other.
func (p *Provider) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		for _, access := range p.opened() {
			go func() {
				if err := access.Observer.Watch.Look(ctx); err != nil {
					ctrl.LoggerFrom(ctx).V(2).Info("Look at servers later", "cause", err.Error())
				}
			}()
		}
	}, tick)
	return nil
}

// opened are the accesses that are not being opened just now.
func (p *Provider) opened() (open []*Access) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.open {
		if !e.mu.TryLock() {
			continue
		}
		if e.access != nil {
			open = append(open, e.access)
		}
		e.mu.Unlock()
	}
	return open
}

// For refuses access by which the object's resources could not be found: the
// mark that they carry is lost, or they are in another project. Both would look
// like nothing being there. The first call notes the project in the object.
func (a *Access) For(object client.Object, finalizer string) error {
	annotations := object.GetAnnotations()
	if annotations[infrav1.MarkAnnotation] == "" && controllerutil.ContainsFinalizer(object, finalizer) {
		return cloud.Problemf(cloud.Invalid, "the annotation %s is lost, by which the resources in OpenStack are found: put it back; what was made carries it in its description or tags", infrav1.MarkAnnotation)
	}
	switch known := annotations[infrav1.ProjectAnnotation]; known {
	case a.Session.ProjectID:
		return nil
	case "":
		annotations = maps.Clone(annotations)
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[infrav1.ProjectAnnotation] = a.Session.ProjectID
		object.SetAnnotations(annotations)
		return nil
	default:
		return cloud.Problemf(cloud.Invalid, "identityRef: the credentials are for another project, %s, than what was made, %s: give credentials for that one", a.Session.ProjectID, known)
	}
}

// entry finds the place of a session and forgets those that are out of use.
func (p *Provider) entry(key string) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	for old, e := range p.open {
		if now.Sub(e.used) > unusedFor {
			delete(p.open, old)
		}
	}
	e, found := p.open[key]
	if !found {
		e = &entry{}
		p.open[key] = e
	}
	e.used = now
	return e
}

package openstacksim

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Cloud is one simulated OpenStack with one region. Make it with New, serve it
// with Start or Serve. All methods may be called at any time from any goroutine.
type Cloud struct {
	// Clock is the time in this cloud.
	Clock *Clock

	mu       sync.Mutex // held while a request is carried out or a question answered
	at       time.Time  // the time while mu is held
	agenda   agenda
	minted   int
	seed     string
	delays   Delays
	pageSize int
	without  map[string]bool
	seeded   map[string]bool // IDs that are part of the seed
	tables   []anyTable      // every kind, children before what they hang on
	hidden   map[string]bool
	mux      *http.ServeMux
	handlers map[string]handler // by service, method and path; see within
	url      string
	journal  journal
	faults   faults

	identity  *identity
	network   *network
	compute   *compute
	image     *image
	volume    *volume
	balancing *balancing
	keys      *keys

	orchestration *orchestration
}

// Delays says how long the cloud takes for what it does after it has answered.
type Delays struct {
	ServerBuild, ServerDelete             time.Duration
	ServerSpread                          time.Duration // builds take up to so much longer, each its own time
	ServerAction                          time.Duration // reboot, stop, rebuild, detach, ...
	PortUp                                time.Duration // of the agents; servers wait for it, for 5 minutes
	LoadBalancer, LoadBalancerDelete      time.Duration // every change of a load balancer
	VolumeCreate, VolumeDelete, VolumeUse time.Duration
}

// Option changes what New makes.
type Option func(*Cloud)

// WithClock shares a clock; without it the cloud has a standing clock of its own.
func WithClock(clock *Clock) Option { return func(c *Cloud) { c.Clock = clock } }

// WithSeed makes the IDs others than those of a cloud with another seed, as they are
// in life. Without it all clouds give the same IDs in the same order.
func WithSeed(seed string) Option { return func(c *Cloud) { c.seed = seed } }

// WithDelays replaces the default delays (a few seconds each).
func WithDelays(d Delays) Option { return func(c *Cloud) { c.delays = d } }

// WithPageSize sets how many resources a page of a list holds; the default of 3
// is small so that code that reads only the first page is found out.
func WithPageSize(n int) Option { return func(c *Cloud) { c.pageSize = n } }

// WithoutService leaves a service ("octavia", "cinder", ...) out of the cloud
// and of its catalog.
func WithoutService(name string) Option {
	return func(c *Cloud) { c.without[name] = true }
}

// New makes a cloud with its seed: project Project with the user User, the
// external network "public", the flavor "m1.small", the image "node", the
// availability zones nova, az1 and az2, the key pair "default".
func New(opts ...Option) *Cloud {
	c := &Cloud{
		Clock:    NewClock(),
		pageSize: 3,
		delays: Delays{
			ServerBuild: 8 * time.Second, ServerDelete: 3 * time.Second, ServerAction: 3 * time.Second,
			LoadBalancer: 4 * time.Second, LoadBalancerDelete: 4 * time.Second,
			VolumeCreate: 3 * time.Second, VolumeDelete: 2 * time.Second, VolumeUse: time.Second,
		},
		without: map[string]bool{}, seeded: map[string]bool{}, hidden: map[string]bool{},
		mux: http.NewServeMux(), handlers: map[string]handler{},
	}
	for _, o := range opts {
		o(c)
	}
	c.at = c.Clock.Now()
	c.startIdentity()
	c.startBalancing()
	c.startKeys()
	c.startNetwork()
	c.startImage()
	c.startVolume()
	c.startCompute()
	c.startOrchestration()
	c.mux.HandleFunc("/", c.notSimulated)
	for _, t := range c.tables {
		t.each(func(r row) { c.seeded[r.ident()] = true })
	}
	return c
}

// Start serves the cloud on the loopback until the test has ended and returns
// its URL; the Keystone is at URL + "/identity".
func (c *Cloud) Start(t testing.TB) string {
	t.Helper()
	url, stop, err := c.Serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatalf("serve the simulated OpenStack: %v", err)
	}
	t.Cleanup(stop)
	return url
}

// Serve serves the cloud at a TCP address until stop is called; the context is
// for looking the address up.
func (c *Cloud) Serve(ctx context.Context, address string) (url string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("listen for the simulated OpenStack: %w", err)
	}
	server := &http.Server{Handler: c.mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	url = "http://" + listener.Addr().String()
	c.locked(func() { c.url = url })
	return url, func() { _ = server.Close() }, nil
}

// locked lets nothing else happen while do runs, and first lets everything
// happen that is due.
func (c *Cloud) locked(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Clock.Now()
	for {
		next, ok := c.agenda.due(now)
		if !ok {
			break
		}
		c.at = next.at
		next.do()
	}
	c.at = now
	do()
}

// ask is locked for questions that have an answer.
func ask[T any](c *Cloud, question func() T) (answer T) {
	c.locked(func() { answer = question() })
	return answer
}

// later puts something on the agenda.
func (c *Cloud) later(d time.Duration, do func()) { c.agenda.add(c.at.Add(d), do) }

// stamp is the current time as most services write it.
func (c *Cloud) stamp() string { return c.at.UTC().Format("2006-01-02T15:04:05Z") }

// register makes a table of a kind part of the cloud.
func register[T any, R rowOf[T]](c *Cloud, kind string) *table[T, R] {
	t := newTable[T, R](kind, func() time.Time { return c.at })
	c.tables = append(c.tables, t)
	return t
}

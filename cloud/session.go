package cloud

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"k8s.io/utils/clock"
)

// requestTimeout bounds one request, body included. Creating a load balancer
// with its whole tree is the slowest that we know.
const requestTimeout = 60 * time.Second

// computeMicroversion is the newest that we need of Nova: tags in the create
// call (2.52), flavor embedded in the server (2.47). Nova Queens (2018) has it.
const computeMicroversion = "2.53"

// Session is a project of one region, opened with one credential. It holds
// the token and the service catalog and renews the token by itself. It is
// safe for concurrent use.
type Session struct {
	// ProjectID is the project that the token is scoped to.
	ProjectID string

	provider  *gophercloud.ProviderClient
	endpoint  gophercloud.EndpointOpts
	transport *transport

	mu       sync.Mutex
	services map[string]*gophercloud.ServiceClient
}

// Open logs in, for a program that sends few requests; others open by Gates.
func Open(ctx context.Context, credentials Credentials) (*Session, error) {
	return NewGates(Limits{}, clock.RealClock{}).Open(ctx, credentials)
}

// Open logs in. It costs two requests: version discovery and a token.
// Errors are Unauthorized (bad credentials), Throttled or Unavailable.
func (g *Gates) Open(ctx context.Context, credentials Credentials) (*Session, error) {
	p, err := credentials.parse()
	if err != nil {
		return nil, err
	}
	provider, err := openstack.NewClient(p.auth.IdentityEndpoint)
	if err != nil {
		return nil, Problemf(Unauthorized, "clouds.yaml: auth_url of cloud %q is not a URL", credentials.Cloud)
	}
	gate := g.of(p.auth.IdentityEndpoint, "")
	if err := gate.begin(); err != nil {
		return nil, err
	}
	transport := newTransport(p.tls, gate)
	transport.learn(p.auth.IdentityEndpoint, "identity")
	provider.HTTPClient = http.Client{Transport: transport, Timeout: requestTimeout}
	provider.UserAgent.Prepend("capok")
	if err := openstack.Authenticate(ctx, provider, p.auth); err != nil {
		return nil, fmt.Errorf("log in to OpenStack: %w", err)
	}
	projectID, err := projectOf(provider.GetAuthResult())
	if err != nil {
		return nil, err
	}
	transport.enter(g.of(p.auth.IdentityEndpoint, projectID))
	return &Session{
		ProjectID: projectID,
		provider:  provider,
		endpoint:  p.endpoint,
		transport: transport,
		services:  map[string]*gophercloud.ServiceClient{},
	}, nil
}

// projectOf reads the scope of the token. Without a project we could not tell
// our resources from those of others.
func projectOf(result gophercloud.AuthResult) (string, error) {
	var project *tokens.Project
	var err error
	switch token := result.(type) {
	case tokens.CreateResult:
		project, err = token.ExtractProject()
	case tokens.GetResult:
		project, err = token.ExtractProject()
	}
	if err != nil || project == nil {
		return "", Problemf(Unauthorized, "the credentials are not scoped to a project: add project_name or project_id to clouds.yaml")
	}
	return project.ID, nil
}

// Begin is asked before a pass: within our limit, the project is asked no more now if
// it says Throttled. A pass that has begun is never held for that.
func (s *Session) Begin() error { return s.transport.currentGate().begin() }

// Compute is Nova.
func (s *Session) Compute() (*Compute, error) {
	client, err := s.service("compute", openstack.NewComputeV2)
	if err != nil {
		return nil, err
	}
	return &Compute{nova: client}, nil
}

// Networking is Neutron.
func (s *Session) Networking() (*Networking, error) {
	client, err := s.service("network", openstack.NewNetworkV2)
	if err != nil {
		return nil, err
	}
	return &Networking{neutron: client, project: s.ProjectID}, nil
}

// LoadBalancing is Octavia.
func (s *Session) LoadBalancing() (*LoadBalancing, error) {
	client, err := s.service("load-balancer", openstack.NewLoadBalancerV2)
	if err != nil {
		return nil, err
	}
	return &LoadBalancing{octavia: client, project: s.ProjectID}, nil
}

// BlockStorage is Cinder.
func (s *Session) BlockStorage() (*BlockStorage, error) {
	client, err := s.service("block-storage", openstack.NewBlockStorageV3)
	if err != nil {
		return nil, err
	}
	return &BlockStorage{cinder: client}, nil
}

// Imaging is Glance.
func (s *Session) Imaging() (*Imaging, error) {
	client, err := s.service("image", openstack.NewImageV2)
	if err != nil {
		return nil, err
	}
	return &Imaging{glance: client}, nil
}

type newService func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error)

// service makes a client once and keeps it: finding an endpoint may cost a
// request for the versions behind it.
func (s *Session) service(name string, open newService) (*gophercloud.ServiceClient, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if client, found := s.services[name]; found {
		return client, nil
	}
	client, err := open(s.provider, s.endpoint)
	if err != nil {
		return nil, fmt.Errorf("find the %s service in region %q: %w", name, s.endpoint.Region, err)
	}
	if name == "compute" {
		client.Microversion = computeMicroversion
	}
	s.transport.learn(client.Endpoint, name)
	s.services[name] = client
	return client, nil
}

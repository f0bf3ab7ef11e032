package openstacksim

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
)

// These tests talk to the cloud with the client library that the code under test
// uses: what they show is that it understands the answers. What the answers are
// is asked with the plain client of client_test.go.

// nova is a client of Nova with the microversion 2.minor.
func (c *client) nova(minor string) *gophercloud.ServiceClient {
	c.t.Helper()
	s, err := openstack.NewComputeV2(c.provider(Project, User, Password), gophercloud.EndpointOpts{})
	if err != nil {
		c.t.Fatalf("client of Nova: %v", err)
	}
	s.Microversion = "2." + minor
	return s
}

func (c *client) neutron() *gophercloud.ServiceClient {
	c.t.Helper()
	s, err := openstack.NewNetworkV2(c.provider(Project, User, Password), gophercloud.EndpointOpts{})
	if err != nil {
		c.t.Fatalf("client of Neutron: %v", err)
	}
	return s
}

func (c *client) provider(project, user, password string) *gophercloud.ProviderClient {
	c.t.Helper()
	p, err := openstack.AuthenticatedClient(c.t.Context(), gophercloud.AuthOptions{IdentityEndpoint: c.url + "/identity/v3",
		Username: user, Password: password, DomainName: Domain, TenantName: project})
	if err != nil {
		c.t.Fatalf("login: %v", err)
	}
	return p
}

// must ends the test if a request was refused.
func must[T any](result T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// done ends the test if a request without an answer was refused.
func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCode checks the status of a refusal and a part of its text.
func wantCode(t *testing.T, err error, status int, contains string) {
	t.Helper()
	var refusal gophercloud.ErrUnexpectedResponseCode
	if !errors.As(err, &refusal) || refusal.Actual != status || !strings.Contains(string(refusal.Body), contains) {
		t.Errorf("got %v, want %d %s with %q", err, status, http.StatusText(status), contains)
	}
}

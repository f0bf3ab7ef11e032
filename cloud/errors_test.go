package cloud

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gophercloud/gophercloud/v2"
)

func answered(status int, body string) error {
	return fmt.Errorf("create it: %w", gophercloud.ErrUnexpectedResponseCode{Actual: status, Body: []byte(body), Method: "POST", URL: "https://cloud.example/v2"})
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		why  string
		err  error
		want Kind
	}{
		{"no error", nil, None},
		{"what we found ourselves, wrapped", fmt.Errorf("look: %w", Problemf(Ambiguous, "two")), Ambiguous},
		{"not there", answered(404, `{"itemNotFound": {"message": "x"}}`), Gone},
		{"a proxy's page is no proof", answered(404, `<html>default backend - 404</html>`), Unavailable},
		{"nor is nothing", answered(404, ``), Unavailable},
		{"the application credential was deleted meanwhile", fmt.Errorf("look up server: %w", &gophercloud.ErrUnableToReauthenticate{
			ErrOriginal: gophercloud.ErrUnexpectedResponseCode{Actual: 401}, ErrReauth: gophercloud.ErrUnexpectedResponseCode{Actual: 404,
				Method: "POST", URL: "https://cloud.example/v3/auth/tokens", Body: []byte(`{"error": {"code": 404}}`)}}), Unauthorized},
		{"in use", answered(409, `{"NeutronError": {"type": "NetworkInUse"}}`), Busy},
		{"Octavia is changing it", answered(409, `{"faultstring": "Load Balancer is immutable and cannot be updated."}`), Busy},
		{"Nova's quota is a 403, not a lack of rights", answered(403, `{"forbidden": {"message": "Quota exceeded for instances"}}`), QuotaExceeded},
		{"Neutron's quota is a 409, which does not pass by itself", answered(409, `{"NeutronError": {"type": "OverQuota"}}`), QuotaExceeded},
		{"Cinder's quota is a 413", answered(413, `{"overLimit": {"message": "VolumeSizeExceedsAvailableQuota"}}`), QuotaExceeded},
		{"no address is free", answered(409, `{"NeutronError": {"type": "IpAddressGenerationFailure"}}`), NoCapacity},
		{"all hosts of a zone are down", answered(400, `{"badRequest": {"message": "The requested availability zone is not available"}}`), NoCapacity},
		{"wrong password", answered(401, ``), Unauthorized},
		{"a role is missing", answered(403, `{"forbidden": {"message": "Policy doesn't allow it"}}`), Forbidden},
		{"asked wrongly", answered(400, `{"badRequest": {"message": "Invalid input"}}`), Refused},
		{"a rate limit", answered(429, ``), Unavailable},
		{"a proxy without a backend", answered(503, `<html>`), Unavailable},
		{"a status of the future", answered(599, ``), Unavailable},
		{"the connection was cut", &url.Error{Op: "Post", URL: "https://cloud.example", Err: net.ErrClosed}, Unavailable},
		{"no answer in time", context.DeadlineExceeded, Unavailable},
		{"what nobody knows is retried", errors.New("surprise"), Unavailable},
		{"a service that the catalog lacks", &gophercloud.ErrEndpointNotFound{}, Missing},
		{"the token cannot be renewed: the answer counts", &gophercloud.ErrUnableToReauthenticate{
			ErrOriginal: gophercloud.ErrUnexpectedResponseCode{Actual: 401}, ErrReauth: gophercloud.ErrUnexpectedResponseCode{Actual: 503}}, Unavailable},
		{"the password was changed meanwhile", &gophercloud.ErrUnableToReauthenticate{
			ErrOriginal: gophercloud.ErrUnexpectedResponseCode{Actual: 401}, ErrReauth: gophercloud.ErrUnexpectedResponseCode{Actual: 401}}, Unauthorized},
		{"Keystone is away when the token ends", &gophercloud.ErrUnableToReauthenticate{
			ErrOriginal: gophercloud.ErrUnexpectedResponseCode{Actual: 401}, ErrReauth: net.ErrClosed}, Unavailable},
	} {
		if got := KindOf(c.err); got != c.want {
			t.Errorf("%s: kind %d, want %d", c.why, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "30": 30 * time.Second, "-1": 0, "tomorrow": 0, "999999": maxRetryAfter, "10000000000": maxRetryAfter} {
		err := gophercloud.ErrUnexpectedResponseCode{Actual: 429, ResponseHeader: http.Header{"Retry-After": {value}}}
		if got := RetryAfter(fmt.Errorf("list: %w", err)); got != want {
			t.Errorf("Retry-After %q is %s, want %s", value, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	timeout := &url.Error{Op: "Get", URL: "https://cloud.example:5000/v3/auth?token=secret", Err: context.DeadlineExceeded}
	refused := func(port int) error {
		return &url.Error{Op: "Get", URL: "https://cloud.example:5000/v3", Err: &net.OpError{Op: "dial", Net: "tcp",
			Source: &net.TCPAddr{Port: port}, Err: errors.New("connection refused")}}
	}
	for _, c := range []struct {
		why  string
		err  error
		want string
	}{
		{"Nova's fault", answered(400, `{"badRequest": {"message": "Invalid key_name", "code": 400}}`), "create it: OpenStack answered 400: Invalid key_name"},
		{"Neutron's", answered(409, `{"NeutronError": {"type": "T", "message": "in use", "detail": ""}}`), "create it: OpenStack answered 409: in use"},
		{"Octavia's", answered(409, `{"faultcode": "Client", "faultstring": "is immutable", "debuginfo": null}`), "create it: OpenStack answered 409: is immutable"},
		{"a proxy's page is not for people", answered(502, `<html><body>token: secret</body></html>`), "create it: OpenStack answered 502: no further explanation"},
		{"the same cause reads the same", answered(500, `{"computeFault": {"message": "Unexpected (HTTP 500) (Request-ID: req-0d1e5f7c-52d8-4c4a-8a6e-1d7b3a0c9b21)"}}`), "create it: OpenStack answered 500: Unexpected"},
		{"only the host of an address is told", timeout, "https://cloud.example:5000 cannot be reached: no answer in time"},
		{"no local port, which differs each time", refused(40001), "https://cloud.example:5000 cannot be reached: dial tcp: connection refused"},
		{"the renewal's own answer", fmt.Errorf("list: %w", &gophercloud.ErrUnableToReauthenticate{
			ErrOriginal: gophercloud.ErrUnexpectedResponseCode{Actual: 401, Body: []byte("first")},
			ErrReauth:   gophercloud.ErrUnexpectedResponseCode{Actual: 401, Body: []byte(`{"error": {"message": "disabled"}}`)}}), "list: renew the token: OpenStack answered 401: disabled"},
	} {
		if got := Explain(c.err); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.why, got, c.want)
		}
	}
}

func TestExplanationsAreBounded(t *testing.T) {
	got := Explain(errors.New(strings.Repeat("ü", maxExplanation)))
	if len(got) > maxExplanation+3 || !utf8.ValidString(got) {
		t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
	}
}

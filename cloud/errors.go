package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// Kind sorts errors by what a caller should do about them.
type Kind int

const (
	// None means that there was no error.
	None Kind = iota
	// Gone means that the thing asked for does not exist: success for a
	// deletion, absence for a look-up by ID.
	Gone
	// Busy means that the thing is in use or changing: look again shortly.
	Busy
	// Unavailable means that OpenStack could not answer, or that we do not
	// know what happened: retry with back-off. Everything unknown is this.
	Unavailable
	// QuotaExceeded means that the project's quota or an address pool is used
	// up: retry slowly, an operator can heal it.
	QuotaExceeded
	// NoCapacity means that no host, or no address, is free for what is asked.
	NoCapacity
	// Refused means that OpenStack will not do this as it was asked: retrying
	// at speed would not help, a change of the spec would.
	Refused
	// Missing means that something the user named does not exist.
	Missing
	// Ambiguous means that what the user named fits more than one thing.
	Ambiguous
	// Invalid means that the user's spec contradicts itself or the cloud.
	Invalid
	// Unauthorized means that the credentials are not, or no longer, good.
	Unauthorized
	// Forbidden means that the credentials are good but may not do this.
	Forbidden
	// Throttled means that a request was not sent yet, to keep to our own limit:
	// it says nothing about OpenStack.
	Throttled
	// NoCredentials means that there are no credentials to try.
	NoCredentials
	// NotAllowed means that there are credentials, and that they are not for who
	// asks.
	NotAllowed
)

// Problem is an error found by Capok itself, not answered by OpenStack:
// a name that fits nothing, a filter that fits two things.
type Problem struct {
	Kind    Kind
	Message string // one sentence that names the field and the way out

	after time.Duration // when to try again; 0: it does not say
}

// Error returns the message.
func (p *Problem) Error() string { return p.Message }

// Problemf makes a Problem with a formatted message.
func Problemf(kind Kind, format string, args ...any) error {
	return &Problem{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// KindOf sorts an error. It is total: what it does not know is Unavailable,
// because an unknown error must be retried and never given up on.
func KindOf(err error) Kind {
	if err == nil {
		return None
	}
	var problem *Problem
	if errors.As(err, &problem) {
		return problem.Kind
	}
	if resp, answered := answerIn(err); answered {
		return kindOfResponse(resp)
	}
	return kindOfLocal(err)
}

// answerIn finds what OpenStack answered. An attempt to renew the token hides
// its own answer behind the one that asked for it.
func answerIn(err error) (resp gophercloud.ErrUnexpectedResponseCode, answered bool) {
	var reauth *gophercloud.ErrUnableToReauthenticate
	if errors.As(err, &reauth) {
		err = reauth.ErrReauth
	}
	return resp, errors.As(err, &resp)
}

// kindOfLocal sorts errors that gophercloud raises without an answer.
func kindOfLocal(err error) Kind {
	var endpoint *gophercloud.ErrEndpointNotFound
	var endpointValue gophercloud.ErrEndpointNotFound
	if errors.As(err, &endpoint) || errors.As(err, &endpointValue) {
		return Missing // a region or service that the catalog does not have
	}
	return Unavailable
}

// kindOfResponse follows the fault bodies of Nova
// (api-ref "Faults"), Neutron (NeutronError.type) and Octavia (faultstring).
func kindOfResponse(resp gophercloud.ErrUnexpectedResponseCode) Kind {
	body := string(resp.Body)
	switch {
	case overQuota(resp.Actual, body):
		return QuotaExceeded // before Busy and Unauthorized: 403 of Nova, 409 of Neutron, 413 of Cinder
	case contains(body, "IpAddressGenerationFailure", "No valid host", "ExternalIpAddressExhausted", "availability zone is not available"):
		return NoCapacity // 409 and 400 of Neutron, 400 of Nova
	case resp.Actual == http.StatusUnauthorized:
		return Unauthorized
	case resp.Actual == http.StatusForbidden:
		return Forbidden
	case resp.Actual == http.StatusNotFound:
		return kindOfNotFound(resp)
	case resp.Actual == http.StatusConflict:
		return Busy
	case resp.Actual == http.StatusTooManyRequests, resp.Actual == http.StatusRequestTimeout, resp.Actual >= 500:
		return Unavailable
	}
	return Refused
}

// kindOfNotFound is careful: Gone lets an object go with what it has in OpenStack.
// Keystone answers a login with an application credential that was deleted by 404,
// and that may come in place of any answer when a token is renewed. A 404 that is no
// JSON is a proxy's, which lost its way to the service.
func kindOfNotFound(resp gophercloud.ErrUnexpectedResponseCode) Kind {
	var body map[string]json.RawMessage
	switch {
	case strings.HasSuffix(resp.URL, "/auth/tokens"):
		return Unauthorized
	case json.Unmarshal(resp.Body, &body) != nil:
		return Unavailable
	}
	return Gone
}

func overQuota(status int, body string) bool {
	switch status {
	case http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge:
		return contains(strings.ToLower(body), "quota", "overlimit")
	}
	return false
}

func contains(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// RetryAfter is how long to stay away: as OpenStack asked, or because a request
// was held; zero when nobody said.
func RetryAfter(err error) time.Duration {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem.after
	}
	resp, _ := answerIn(err)
	return retryAfter(resp.ResponseHeader)
}

// retryAfter reads the header of a 429 or 503, in seconds.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, int(maxRetryAfter.Seconds()))) * time.Second // bounded first: it could overflow
}

// maxRetryAfter bounds what a confused proxy may ask of us.
const maxRetryAfter = 10 * time.Minute

// IgnoreGone turns the answer "does not exist" into success, for deletions.
func IgnoreGone(err error) error {
	if KindOf(err) == Gone {
		return nil
	}
	return err
}

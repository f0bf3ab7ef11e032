package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
)

// maxExplanation bounds a message that goes into a condition, in bytes.
const maxExplanation = 600

// requestID is what makes the same fault read differently each time.
var requestID = regexp.MustCompile(`\s*\(?(?:HTTP \d+\)?\s*)?\(?(?:Request-ID|request[_ ]id):?\s*req-[0-9a-f-]+\)?`)

// Explain says in one line what went wrong, for a condition. The same cause
// gives the same text (no request IDs, no times), the length is bounded, and
// neither tokens nor request bodies are in it.
func Explain(err error) string {
	if err == nil {
		return ""
	}
	resp, answered := answerIn(err)
	if !answered {
		return bounded(withoutResponse(err))
	}
	said := faultText(resp.Body)
	if said == "" {
		said = "no further explanation"
	}
	context := attempted(err, resp)
	return bounded(fmt.Sprintf("%sOpenStack answered %d: %s", context, resp.Actual, said))
}

// Bounded cuts a text from OpenStack (a fault) to a length fit for a condition.
func Bounded(text string) string {
	return bounded(text)
}

// attempted is what our own wrapping says before the answer itself.
func attempted(err error, resp gophercloud.ErrUnexpectedResponseCode) string {
	var reauth *gophercloud.ErrUnableToReauthenticate
	if errors.As(err, &reauth) {
		before, _, _ := strings.Cut(err.Error(), reauth.Error())
		return before + "renew the token: "
	}
	before, _, found := strings.Cut(err.Error(), resp.Error())
	if !found || before == "" {
		return ""
	}
	return before
}

// withoutResponse shortens errors of the network to what a person can act on.
func withoutResponse(err error) string {
	var request *url.Error
	if !errors.As(err, &request) {
		return err.Error()
	}
	where := request.URL
	if u, parseErr := url.Parse(request.URL); parseErr == nil {
		where = u.Scheme + "://" + u.Host
	}
	before, _, _ := strings.Cut(err.Error(), request.Error())
	var problem *Problem
	if errors.As(request.Err, &problem) { // it was not sent
		return before + problem.Message
	}
	why := request.Err.Error()
	var op *net.OpError
	if errors.As(request.Err, &op) { // without it the local port differs each time
		why = fmt.Sprintf("%s %s: %v", op.Op, op.Net, op.Err)
	}
	if request.Timeout() {
		why = "no answer in time"
	}
	return fmt.Sprintf("%s%s cannot be reached: %s", before, where, why)
}

// faultText digs the sentence for people out of an error body:
// {"badRequest": {"message": ...}}, {"NeutronError": {"message": ...}},
// {"faultstring": ...}, {"error": {"message": ...}}.
func faultText(body []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return ""
	}
	for _, key := range []string{"faultstring", "message", "debuginfo"} {
		var text string
		if json.Unmarshal(fields[key], &text) == nil && text != "" {
			return text
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) { // the same text each time
		raw := fields[key]
		var text string
		if json.Unmarshal(raw, &text) == nil && len(fields) == 1 {
			return text
		}
		if inner := faultText(raw); inner != "" {
			return inner
		}
	}
	return ""
}

func bounded(text string) string {
	text = requestID.ReplaceAllString(text, "")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxExplanation {
		return text
	}
	return strings.ToValidUTF8(text[:maxExplanation], "") + "..."
}

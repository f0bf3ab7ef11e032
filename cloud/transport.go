package cloud

import (
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	// Requests counts every request that was sent to OpenStack, by service
	// (the catalog's type, such as "compute"), verb and HTTP status ("error"
	// when no answer came). Register it with the process's registry.
	Requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "capok_openstack_requests_total",
		Help: "Requests sent to OpenStack.",
	}, []string{"service", "verb", "code"})

	// RequestSeconds is how long they took, until the headers of the answer.
	RequestSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "capok_openstack_request_duration_seconds",
		Help:    "Seconds until OpenStack answered.",
		Buckets: []float64{.02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60},
	}, []string{"service", "verb"})
)

const (
	// dialTimeout is how long a host may take to accept a connection.
	dialTimeout = 5 * time.Second
	// maxAnswer bounds the body of an answer, in bytes: tenants choose who
	// answers. The longest that we know is a page of a thousand servers, 3 MB.
	maxAnswer = 32 << 20
)

// transport is the one place through which every request goes.
type transport struct {
	next http.RoundTripper

	mu       sync.RWMutex
	gate     *gate
	services map[string]string // endpoint prefix -> service
}

func newTransport(config *tls.Config, gate *gate) *transport {
	next := http.DefaultTransport.(*http.Transport).Clone()
	next.TLSClientConfig = config
	next.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	next.MaxIdleConnsPerHost = 10 // the controllers' workers share a session
	return &transport{next: next, gate: gate, services: map[string]string{}}
}

// learn tells which service answers below an endpoint.
func (t *transport) learn(endpoint, service string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.services[strings.TrimSuffix(endpoint, "/")] = service
}

// enter makes all further requests pass another gate.
func (t *transport) enter(gate *gate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gate = gate
}

func (t *transport) currentGate() *gate {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.gate
}

// RoundTrip sends the request, if the gate lets it pass, and counts it.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	gate, service := t.wayOf(request.URL.String())
	if err := gate.admit(service); err != nil {
		return nil, err
	}
	began := time.Now()
	response, err := t.next.RoundTrip(request)
	result, code := outcome{}, "error"
	if err == nil {
		result = outcome{response.StatusCode, response.Header}
		code = strconv.Itoa(response.StatusCode)
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	gate.learn(request.Context(), service, result)
	Requests.WithLabelValues(service, request.Method, code).Inc()
	RequestSeconds.WithLabelValues(service, request.Method).Observe(time.Since(began).Seconds())
	return response, err
}

// wayOf finds the gate, and the service: the longest known endpoint that the
// address begins with.
func (t *transport) wayOf(url string) (*gate, string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	service, longest := "discovery", 0
	for prefix, name := range t.services {
		if len(prefix) > longest && strings.HasPrefix(url, prefix) {
			service, longest = name, len(prefix)
		}
	}
	return t.gate, service
}

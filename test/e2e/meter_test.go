//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	. "github.com/onsi/ginkgo/v2"
)

// meter counts the requests that the manager sends to OpenStack, by its own
// metrics (capok_openstack_requests_total).
type meter struct {
	before map[string]int // "compute GET" -> requests
	laps   []lap
}

type lap struct {
	name    string
	seconds float64
	counts  map[string]int
}

func newMeter(ctx context.Context) *meter {
	return &meter{before: requests(ctx)}
}

// lap notes what was sent since the last one.
func (m *meter) lap(ctx context.Context, name string, began time.Time) {
	now, counts := requests(ctx), map[string]int{}
	for key, n := range now {
		if n > m.before[key] {
			counts[key] = n - m.before[key]
		}
	}
	m.laps, m.before = append(m.laps, lap{name, time.Since(began).Seconds(), counts}), now
}

// report prints the table of laps.
func (m *meter) report() {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nLAP\tSECONDS\tREQUESTS\tBY SERVICE AND VERB")
	for _, l := range m.laps {
		sum, parts := 0, []string{}
		for key, n := range l.counts {
			sum += n
			parts = append(parts, fmt.Sprintf("%s %d", key, n))
		}
		slices.Sort(parts)
		fmt.Fprintf(w, "%s\t%.0f\t%d\t%s\n", l.name, l.seconds, sum, strings.Join(parts, ", "))
	}
	_ = w.Flush()
	AddReportEntry("OpenStack requests", out.String())
	GinkgoWriter.Println(out.String())
}

var sample = regexp.MustCompile(`^capok_openstack_requests_total\{code="[^"]*",service="([^"]*)",verb="([^"]*)"\} (\d+)`)

// requests reads the counters as a scraper does: with a token of an account that
// has the right to, through kubectl port-forward.
func requests(ctx context.Context) map[string]int {
	GinkgoHelper()
	counts := map[string]int{}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	token, err := exec.CommandContext(ctx, "bash", "-c", "source "+environment()+"; "+scraper).Output()
	if err != nil {
		return counts
	}
	forward := exec.CommandContext(ctx, "bash", "-c", "source "+environment()+"; exec kubectl -n capok-system port-forward deploy/capok-controller-manager :8443")
	out, err := forward.StdoutPipe()
	if err != nil || forward.Start() != nil {
		return counts
	}
	defer func() { cancel(); _ = forward.Wait() }()
	line, _ := bufio.NewReader(out).ReadString('\n') // Forwarding from 127.0.0.1:PORT -> 8443
	_, rest, _ := strings.Cut(line, "127.0.0.1:")
	port, _, _ := strings.Cut(rest, " ")
	response, err := scrape(ctx, "https://127.0.0.1:"+port+"/metrics", strings.TrimSpace(string(token)))
	if err != nil {
		return counts
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if parts := sample.FindStringSubmatch(lines.Text()); parts != nil {
			n, _ := strconv.Atoi(parts[3])
			counts[parts[1]+" "+parts[2]] += n
		}
	}
	return counts
}

// scraper makes an account that may read the metrics, and prints a token of it.
const scraper = `k="kubectl -n capok-system"
$k create serviceaccount e2e-scraper --dry-run=client -o yaml | $k apply -f - >/dev/null
$k create clusterrolebinding e2e-scraper --clusterrole=capok-metrics-reader --serviceaccount=capok-system:e2e-scraper --dry-run=client -o yaml | $k apply -f - >/dev/null
$k create token e2e-scraper`

// scrape trusts any certificate: the manager makes its own at each start, and the way
// there is kubectl's.
func scrape(ctx context.Context, url, token string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	return client.Do(request)
}

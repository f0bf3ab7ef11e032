package manifests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/internal/setup"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/openstacksim"
)

// TestAlerts lets Prometheus' own tool check that each alert fires when it should.
func TestAlerts(t *testing.T) {
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		command := exec.CommandContext(t.Context(), tool(t, "promtool"), args...)
		command.Dir = place.Repo("config", "monitoring")
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestMonitoring lets a real Prometheus scrape a real manager, and wants data for
// every expression of the dashboard, and none that is wrong in the alerts.
func TestMonitoring(t *testing.T) {
	m := startManager(t)
	m.disturb("first")
	p := startPrometheus(m)
	if !p.wantData(`up == 1`) || !p.wantData(`count(capok_openstack_requests_held_total and on () capok_step_failures_total)`) {
		return
	}
	m.disturb("second") // a rate needs counters that were there before, and went up
	for _, expression := range dashboard(t) {
		p.wantData(expression)
	}
	p.wantRules(expressions(t, "rules.yaml"))
	p.wantDocumented()
}

// disturb makes a cluster that becomes ready, though OpenStack asks for a break, and one
// that cannot: its external network is in nobody's cloud.
func (m *cloudOfManager) disturb(name string) {
	m.Helper()
	m.sim.Throttle(openstacksim.Match{Service: "neutron", Method: "GET"}, 1, time.Second)
	m.makeCluster(name, func(*infrav1.OpenStackClusterSpec) {})
	m.makeCluster(name+"-bad", func(spec *infrav1.OpenStackClusterSpec) {
		spec.ExternalNetwork = &infrav1.NetworkParam{ID: "00000000-0000-4000-8000-000000000000"}
	})
}

type prom struct {
	*testing.T
	url string
}

// startPrometheus lets it read what the role metrics-reader allows.
func startPrometheus(m *cloudOfManager) *prom {
	m.Helper()
	p := &prom{m.T, "http://" + freeAddress(m.T)}
	token := m.token("prometheus")
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "prometheus"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "capok-metrics-reader"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: system, Name: "prometheus"}}}
	must(m.T, m.kube.Create(m.Context(), binding))
	config, err := yaml.Marshal(map[string]any{
		"global":     map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{place.Repo("config", "monitoring", "rules.yaml")},
		"scrape_configs": []any{map[string]any{
			"job_name": "capok", "scheme": "https", "authorization": map[string]any{"credentials": token},
			"tls_config":     map[string]any{"insecure_skip_verify": true},
			"static_configs": []any{map[string]any{"targets": []string{m.metrics}, "labels": map[string]string{"pod": "manager"}}},
		}},
	})
	must(m.T, err)
	dir := m.TempDir()
	file := filepath.Join(dir, "prometheus.yaml")
	must(m.T, os.WriteFile(file, config, 0o600))
	m.run(os.Environ(), tool(m.T, "prometheus"), "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+strings.TrimPrefix(p.url, "http://"))
	return p
}

// wantData waits for a result that is a number.
func (p *prom) wantData(expression string) bool {
	p.Helper()
	var said string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(500 * time.Millisecond) {
		answer, err := p.ask("/api/v1/query?query=" + url.QueryEscape(expression))
		said = fmt.Sprint(answer.Error, err)
		if answer.Status == "error" {
			break // it is wrong, not early
		}
		for _, one := range answer.Data.Result {
			if value := fmt.Sprint(one.Value[1]); value != "NaN" {
				return true
			}
		}
	}
	p.Errorf("no data for %s: %s", expression, said)
	return false
}

// wantRules checks that Prometheus took all rules and could evaluate them.
func (p *prom) wantRules(want []string) {
	p.Helper()
	answer, err := p.ask("/api/v1/rules")
	must(p.T, err)
	rules := 0
	for _, group := range answer.Data.Groups {
		for _, rule := range group.Rules {
			rules++
			if rule.Health != "ok" {
				p.Errorf("rule %s is %s: %s", rule.Name, rule.Health, rule.LastError)
			}
		}
	}
	if rules != len(want) || rules == 0 {
		p.Errorf("Prometheus has %d rules, want %d", rules, len(want))
	}
}

var metricName = regexp.MustCompile(`\bcapok_[a-z_]+`)

// wantDocumented checks that docs/monitoring.md, dashboard and rules name the metrics
// that there are: all of them, and no others.
func (p *prom) wantDocumented() {
	p.Helper()
	registered := descriptions{}
	setup.Metrics(registered)
	docs, err := os.ReadFile(place.Repo("docs", "monitoring.md"))
	must(p.T, err)
	for name := range registered {
		if !strings.Contains(string(docs), "| `"+name+"` |") {
			p.Errorf("docs/monitoring.md has no row for %s", name)
		}
	}
	for _, expression := range append(dashboard(p.T), expressions(p.T, "rules.yaml")...) {
		for _, name := range metricName.FindAllString(expression, -1) {
			if base := strings.TrimSuffix(name, "_bucket"); !registered[base] {
				p.Errorf("there is no metric %s: %s", name, expression)
			}
		}
	}
}

// descriptions are the names of metrics; it registers nothing else.
type descriptions map[string]bool

var fqName = regexp.MustCompile(`fqName: "([^"]+)"`)

func (d descriptions) MustRegister(collectors ...prometheus.Collector) {
	for _, c := range collectors {
		described := make(chan *prometheus.Desc, 1)
		c.Describe(described)
		d[fqName.FindStringSubmatch((<-described).String())[1]] = true
	}
}
func (d descriptions) Register(c prometheus.Collector) error { d.MustRegister(c); return nil }
func (descriptions) Unregister(prometheus.Collector) bool    { return false }

// answer is the part of Prometheus' HTTP API that we ask for.
type answer struct {
	Status, Error string
	Data          struct {
		Result []struct{ Value [2]any }
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
}

func (p *prom) ask(path string) (answer, error) {
	var a answer
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		return a, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	return a, json.NewDecoder(response.Body).Decode(&a)
}

// dashboard are the expressions of its panels, as Grafana sends them.
func dashboard(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, expression := range expressions(t, "dashboard.json") {
		all = append(all, strings.ReplaceAll(expression, "$__rate_interval", "5m"))
	}
	return all
}

// expressions are all values of a field `expr` in a file of config/monitoring.
func expressions(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(place.Repo("config", "monitoring", file))
	must(t, err)
	var content any
	must(t, yaml.Unmarshal(text, &content)) // JSON is YAML
	var found []string
	var walk func(any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, child := range node {
				walk(child)
			}
		case map[string]any:
			if expression, ok := node["expr"].(string); ok {
				found = append(found, expression)
			}
			for _, child := range node {
				walk(child)
			}
		}
	}
	walk(content)
	return found
}

// tool is the path of a development tool, which is built if it is not there.
func tool(t *testing.T, name string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), place.Repo("hack", "tool"), name)
	command.Stderr = os.Stderr
	out, err := command.Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

package bridge

import (
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct{ why, network, name, refused string }{
		{"the defaults", "", "", ""},
		{"a larger range", "10.99.0.0/16", "capok-test", ""},
		{"not a range", "10.0.0.1", "", "address range"},
		{"too small for the pool", "10.0.0.0/25", "", "/24 or larger"},
		{"host bits set", "10.0.0.1/24", "", "first address"},
		{"IPv6", "fd00::/64", "", "IPv4"},
		{"a documentation range", "192.0.2.0/24", "", "not for use"},
		{"holds a documentation range", "203.0.0.0/16", "", "not for use"},
		{"longer than the kernel takes", "", "capok-much-too-long", "15"},
	} {
		_, err := parse(c.network, c.name)
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: got %v, want an error with %q", c.why, err, c.refused)
		}
	}
}

func TestAddresses(t *testing.T) {
	s, err := parse("", "")
	if err != nil {
		t.Fatal(err)
	}
	first, last := s.Pool()
	got := strings.Join([]string{s.Host().String(), s.Management().String(), first.String(), last.String()}, " ")
	if want := "172.24.4.1 172.24.4.2 172.24.4.50 172.24.4.250"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestClash(t *testing.T) {
	s, err := parse("", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why   string
		route route
		clash bool
	}{
		{"the default route leads everywhere", route{Destination: "default", Device: "eth0"}, false},
		{"our own bridge's route", route{Destination: "172.24.4.0/24", Device: "capok-ex"}, false},
		{"our own guard", route{Type: "unreachable", Destination: "172.24.4.0/24", Metric: 4000000}, false},
		{"another range", route{Destination: "172.24.5.0/24", Device: "eth0"}, false},
		{"the same range elsewhere", route{Destination: "172.24.4.0/24", Device: "eth0"}, true},
		{"a larger range", route{Destination: "172.16.0.0/12", Device: "docker0"}, true},
		{"one address of it", route{Destination: "172.24.4.77", Device: "eth0"}, true},
	} {
		if got := s.clash([]route{c.route}) != nil; got != c.clash {
			t.Errorf("%s: clash %v, want %v", c.why, got, c.clash)
		}
	}
}

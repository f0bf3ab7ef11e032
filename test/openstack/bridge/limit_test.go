package bridge

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLimitIsGivenBack(t *testing.T) {
	cases := []struct {
		name, before, during string
		why                  string
	}{
		{"small", "128", "8192", "nodes need more than a machine has by default"},
		{"large", "9000", "9000", "a person raised it: it is left alone"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file, saved := filepath.Join(t.TempDir(), "limit"), filepath.Join(t.TempDir(), "state", "saved")
			l := limit{file: file, saved: func() string { return saved }, least: 8192}
			if err := os.WriteFile(file, []byte(c.before+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // a second time changes nothing
				if err := l.raise(); err != nil {
					t.Fatal(err)
				}
			}
			if got, _ := os.ReadFile(file); string(got) != c.during && string(got) != c.during+"\n" {
				t.Fatalf("raised to %q, want %q: %s", got, c.during, c.why)
			}
			for range 2 {
				if err := l.restore(); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := number(file); err != nil || (c.name == "small" && got != 128) {
				t.Fatalf("given back %d (%v), want %s: %s", got, err, c.before, c.why)
			}
		})
	}
}

package snapshot

import (
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

func TestProofs(t *testing.T) {
	cases := map[string]struct {
		version string
		wish    any
		later   time.Duration
		want    bool
		why     string
	}{
		"as it was":       {"7", []string{"a"}, time.Minute, true, "nobody changed anything"},
		"another version": {"8", []string{"a"}, time.Minute, false, "somebody did"},
		"another wish":    {"7", []string{"a", "b"}, time.Minute, false, "the spec changed"},
		"no version":      {"", []string{"a"}, time.Minute, false, "the cloud does not tell"},
		"old":             {"7", []string{"a"}, time.Hour, false, "a version that lies must not hide a fault for ever"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			now := testclock.NewFakePassiveClock(time.Unix(0, 0))
			p := NewProofs(now)
			p.Keep("id", "7", []string{"a"})
			now.SetTime(now.Now().Add(c.later))
			if got := p.Hold("id", c.version, c.wish); got != c.want {
				t.Errorf("holds: %v, want %v: %s", got, c.want, c.why)
			}
			if p.Hold("other", c.version, c.wish) {
				t.Error("it proves something of another resource")
			}
		})
	}
}

// TestProofsOfWhatIsGone: clusters come and go for years.
func TestProofsOfWhatIsGone(t *testing.T) {
	now := testclock.NewFakePassiveClock(time.Unix(0, 0))
	p := NewProofs(now)
	for range 100 {
		p.Keep(now.Now().String(), "7", nil)
		now.SetTime(now.Now().Add(time.Hour))
	}
	if len(p.kept) > 3 {
		t.Errorf("%d proofs are kept, want no more than the last few", len(p.kept))
	}
}

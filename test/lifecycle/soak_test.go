package lifecycle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestSoak tells stories by chance, with up to four troubles each, for as long
// as CAPOK_SOAK says ("1h"); without it always the same ten. CAPOK_SEED tells the
// one life again that a line of its output names.
func TestSoak(t *testing.T) {
	if text := os.Getenv("CAPOK_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("CAPOK_SEED: %v", err)
		}
		chance(t, seed)
		return
	}
	text := os.Getenv("CAPOK_SOAK")
	if text == "" {
		for seed := range uint64(10) {
			chance(t, seed)
		}
		return
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("CAPOK_SOAK: %v", err)
	}
	lives := 0
	for end := time.Now().Add(length); time.Now().Before(end); lives++ {
		chance(t, rand.Uint64())
	}
	fmt.Printf("%d lives by chance\n", lives)
}

// chance tells the life that a seed stands for.
func chance(t *testing.T, seed uint64) {
	pick := rand.New(rand.NewPCG(seed, 0))
	s := stories[pick.IntN(len(stories))]
	t.Run(fmt.Sprintf("CAPOK_SEED=%d", seed), func(t *testing.T) {
		calm := tell(t, inMemory(scheme), s)
		all := s.troubles(calm)
		all = slices.DeleteFunc(all, func(t trouble) bool { return t.what == deleted })
		var some []trouble
		for range 1 + pick.IntN(4) {
			some = append(some, all[pick.IntN(len(all))])
		}
		fmt.Printf("CAPOK_SEED=%d: %s: %v\n", seed, s.name, some)
		w := tell(t, inMemory(scheme), s, some...)
		if !slices.Equal(w.seen, calm.seen) {
			t.Errorf("at rest it differs:\n%s", difference(calm.seen, w.seen))
		}
	})
}

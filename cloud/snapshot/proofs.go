package snapshot

import (
	"encoding/json"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// proofLasts is how long a proof is good for, whatever the version says: services
// have had bugs with their versions, too.
const proofLasts = time.Hour

// Proofs remembers which resources were found to be as wanted below what lists
// show of them: the interfaces of a router, the listeners of a load balancer. As
// long as the version in the list is the same, nobody changed anything there, and a
// quiet cluster need not ask again. A new process remembers nothing.
type Proofs struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	kept  map[string]proof // by ID
	swept time.Time
}

type proof struct {
	version, wish string
	until         time.Time
}

// NewProofs returns a memory without any proof.
func NewProofs(clock clock.PassiveClock) *Proofs {
	return &Proofs{clock: clock, kept: map[string]proof{}}
}

// Hold tells whether the resource was as wanted in this version. An empty version
// proves nothing.
func (p *Proofs) Hold(id, version string, wish any) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, found := p.kept[id]
	return found && version != "" && known.version == version && known.wish == text(wish) && p.clock.Now().Before(known.until)
}

// Keep notes that the resource was found as wanted, by a look that is younger than
// the list that showed the version.
func (p *Proofs) Keep(id, version string, wish any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if now.Sub(p.swept) > proofLasts { // what is gone must not stay for ever
		for old, known := range p.kept {
			if !now.Before(known.until) {
				delete(p.kept, old)
			}
		}
		p.swept = now
	}
	p.kept[id] = proof{version, text(wish), now.Add(proofLasts)}
}

// text is the same for the same wish.
func text(wish any) string {
	content, err := json.Marshal(wish)
	if err != nil {
		panic("a wish is plain data: " + err.Error())
	}
	return string(content)
}

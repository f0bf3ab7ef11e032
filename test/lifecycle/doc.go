// Package lifecycle tells stories of whole clusters, with our two reconcilers,
// the simulated OpenStack and what Cluster API does by its contract.
//
// TestStories tells each one on a real API server, with the rights and the rules
// that the manager has there. TestTroubles tells each again for every write of
// the manager and everything that can come to a write, and wants the same
// moments of rest, nothing doubled and nothing left; docs/reliability.md is
// what it saw. There the API server is controller-runtime's fake: it is exact in
// which write took effect, every life has one of its own, and a life takes a
// fifth of a second instead of four. TestSoak picks stories and several troubles
// at once by chance, for as long as CAPOK_SOAK says.
//
// Read stories_test.go first, then sweep_test.go. Time is the cloud's clock:
// nobody sleeps.
package lifecycle

// Package conformance states how OpenStack behaves where Capok relies on it,
// behaviour by behaviour, each with the source that says so. The same suite is
// put to the simulator and to a real OpenStack: where they differ, the simulator
// is wrong.
//
// It speaks HTTP and JSON and nothing else: a client library would share its
// misunderstandings with the code that it checks.
//
//	go test ./test/openstacksim/conformance       # the simulator
//	make conformance                              # and the OpenStack of `make up`
package conformance

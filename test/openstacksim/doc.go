// Package openstacksim is an OpenStack with state, for tests.
//
// It answers over real HTTP on the loopback: Keystone, Nova, Neutron, Octavia,
// Barbican, Glance, Cinder and Heat as a project member sees them. What is created stays until
// it is deleted, lists come in pages, states take time on a clock that tests
// move, and requests can be made to fail, wait or lose their answer. Tests then
// ask what is in the cloud and which calls were made.
//
//	sim := openstacksim.New()
//	sim.Start(t)
//	clouds := sim.CloudsYAML("capok")
//	... run the code under test against it ...
//	sim.Clock.Advance(10 * time.Second) // servers are ACTIVE now
//	sim.WantNothingLeft(t)
//
// It shares no code with the client library that it tests, so that client and
// server cannot share a misunderstanding: all JSON is written here, and each
// behaviour names the file of the OpenStack release 2022.2 (Zed) or the section
// of the API reference that it follows. A request that is not simulated is
// answered with 501 and kept in Unknown; nothing is silently accepted.
//
// It is not a scheduler, a network or a hypervisor: nothing runs in a server
// and no packet flows. It knows one region.
//
// Read cloud.go first (what a Cloud is and what its seed holds), then serve.go
// (the way of a request: log, faults, token, handler, answer). Every other file
// is one service or one kind of resource of it.
package openstacksim

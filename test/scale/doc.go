// Scale measures what many clusters cost Capok's manager.
//
//	go run ./test/scale [-output docs/scale.md] 10x1 100x13
//
// For each size, CLUSTERSxMACHINES, it starts a management cluster's API server,
// Cluster API's three managers and ours, all as processes of their own, against
// the simulated OpenStack and workload clusters that are served from memory. It
// creates all clusters at once from the template that users have, and measures
// until every Machine has its Node.
//
// It runs in a network namespace of its own, in which all addresses are local: so
// the floating IPs of the simulated cloud can be reached, nothing is served to
// others, and no port is taken that somebody needs.
//
// It is no test: it fails if clusters do not come up, and judges no figure. Read
// measure first.
package main

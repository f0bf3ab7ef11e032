// Package cloud is one OpenStack project as Capok sees it.
//
// A [Session] is made from one credential and hands out narrow clients, one a
// service ([Compute], [Networking], [LoadBalancing], [BlockStorage], [Imaging]), that
// take and return plain types. It is the only package that knows gophercloud:
// its quirks (address maps, microversions, optional pointers) end here.
//
// It holds no logic of clusters or machines, knows nothing of Kubernetes and
// never waits. Every error it returns is sorted by [KindOf]; nobody else looks
// at a status code. Read session.go first, then compute.go as an example of a
// client.
package cloud

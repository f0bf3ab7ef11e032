// Package e2e drives real clusters as a user does, by clusterctl and kubectl,
// on the clouds that `make up` brought up: created, scaled and deleted, for
// each kind of API endpoint, with nothing left in OpenStack afterwards.
//
// It is built with the tag e2e only: `make e2e`. Read lifecycle_test.go first.
package e2e

// Package loadbalancer is the one load balancer engine.
//
// What is wanted is a [cloud.BalancerSpec], what is there an [Observed] tree.
// [Plan] compares the two and is pure; its ops can be printed. [Apply] carries
// them out until Octavia is busy, and the next pass plans anew: Octavia takes
// one change of a load balancer at a time and answers 409 meanwhile.
//
// Members belong to those who run behind the load balancer: a plan makes those
// of the spec together with their pool and leaves members of a pool alone that
// is there. Not for what a load balancer is used for: names and ports come
// with the spec. Read Plan first.
package loadbalancer

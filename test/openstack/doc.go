// Package openstack runs a real OpenStack on one Debian 12 machine, for
// developing and testing against: Keystone, Placement, Glance, Nova, Neutron,
// Octavia, Cinder and Heat out of Debian's packages, started by hand.
//
// Its servers in availability zone "node" are system containers that really
// boot a cloud image; those in zone "fake" are numbers in Nova's fake driver.
// Its load balancers are haproxies that really carry traffic. It is not for
// production: no TLS, no redundancy, everything runs as root on one address.
//
// Read first: Up in openstack.go, which is the order of things. Each service
// has a file here and a folder with its configuration; plugins has what is
// loaded into the services. README.md says how to use it.
package openstack

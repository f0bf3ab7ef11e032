package main

// help is what --help shows before the flags.
const help = `openstack-sim serves a simulated OpenStack on this machine: Keystone, Nova,
Neutron, Octavia, Barbican, Glance, Cinder and Heat with state, but no machine
and no packet behind them. What is created is gone when the program ends.

The cloud starts with the project "kaas" and its user "capok", the external
network "public", the flavor "m1.small", the image "node", the key pair
"default" and the availability zones nova, az1 and az2.

Usage:
  openstack-sim [flags]

In another terminal, with --clouds-yaml clouds.yaml given:
  export OS_CLIENT_CONFIG_FILE=$PWD/clouds.yaml OS_CLOUD=capok-sim
  openstack server list

A request that is not simulated is answered with 501 and told here.
More: docs/simulator.md

Flags:
`

"""LXC's configuration of a container server."""
import os

import nova.conf

CONF = nova.conf.CONF
# The kubelet, and systemd for the last, want these values and would write them:
# they are the machine's. They find files, and so leave the machine's alone.
SYSCTLS = {'vm/overcommit_memory': 1, 'vm/panic_on_oom': 0, 'kernel/panic': 10,
           'kernel/panic_on_oops': 1, 'kernel/keys/root_maxkeys': 1000000,
           'kernel/keys/root_maxbytes': 25000000,
           'fs/file-max': 9223372036854775807}
CONFIG = """lxc.uts.name = {name}
lxc.rootfs.path = dir:{dir}/root
lxc.init.cmd = /sbin/init
lxc.environment = product_name=OpenStack Nova
lxc.mount.auto = proc:rw sys:mixed cgroup:rw:force
lxc.cap.drop =
lxc.apparmor.profile = unconfined
lxc.seccomp.profile =
lxc.autodev = 1
lxc.tty.max = 0
lxc.pty.max = 1024
lxc.mount.entry = /dev/kmsg dev/kmsg none bind,create=file 0 0
lxc.console.logfile = {dir}/console.log
lxc.signal.halt = SIGRTMIN+4
lxc.hook.start-host = {dir}/plug
"""
LIMITS_V1 = """lxc.cgroup.memory.limit_in_bytes = {mem}M
lxc.cgroup.cpu.shares = {shares}
"""
LIMITS_V2 = """lxc.cgroup2.memory.max = {mem}M
lxc.cgroup2.cpu.weight = {weight}
"""
NET = """lxc.net.{n}.type = veth
lxc.net.{n}.veth.pair = {dev}
lxc.net.{n}.name = eth{n}
lxc.net.{n}.hwaddr = {mac}
lxc.net.{n}.mtu = {mtu}
lxc.net.{n}.flags = up
"""
# Runs when the veth is there, before init does: onto the bridge (of the agent's
# make, or made as os-vif does), then wait until spawn() says go.
PLUG = """#!/bin/sh
plug() {{
  [ -e /sys/class/net/$2 ] || ip link add $2 type bridge forward_delay 0 stp_state 0 mcast_snooping 0
  ip link set $2 up
  ip link set $1 master $2 || exit 1
}}
{plugs}
i=0
until [ -e {dir}/go ]; do
  i=$((i + 1)); [ -d {dir} ] && [ $i -lt {tries} ] || exit 1
  sleep 0.1
done
"""


def bridge(vif):
    # Nova leaves it out while the port isn't bound
    return vif['network']['bridge'] or 'brq' + vif['network']['id'][:11]


def mtu(vif):
    return str(vif['network'].get_meta('mtu') or 1500)


def write(instance, d, network_info):
    vifs = network_info or []
    plug = PLUG.format(
        dir=d, tries=(CONF.vif_plugging_timeout + 30) * 10,
        plugs='\n'.join('plug %s %s' % (v['devname'], bridge(v)) for v in vifs))
    _file(d + '/plug', plug, 0o755)
    _file(d + '/config', ''.join(
        [CONFIG.format(name=instance.hostname, dir=d), _limits(instance.flavor)] +
        [_sysctl(d, k, v) for k, v in SYSCTLS.items()] +
        [NET.format(n=n, dev=v['devname'], mac=v['address'], mtu=mtu(v))
         for n, v in enumerate(vifs)]))


def _limits(flavor):
    unified = os.path.exists('/sys/fs/cgroup/cgroup.controllers')
    return (LIMITS_V2 if unified else LIMITS_V1).format(
        mem=flavor.memory_mb, shares=1024 * flavor.vcpus,
        weight=min(10000, 100 * flavor.vcpus))


def _sysctl(d, name, value):
    path = '%s/sysctl/%s' % (d, name.replace('/', '.'))
    _file(path, '%s\n' % value, 0o644)
    return 'lxc.mount.entry = %s proc/sys/%s none bind 0 0\n' % (path, name)


def _file(path, text, mode=0o600):
    with open(path, 'w') as f:
        f.write(text)
    os.chmod(path, mode)

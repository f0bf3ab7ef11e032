"""Nova driver whose servers are system containers (LXC) that really boot.

systemd, cloud-init, containerd and the kubelet run in them; no KVM is needed.
nova-compute finds it by capok.compute, as compute_driver = node_driver.NodeDriver.

Image: raw or qcow2 of one ext4 file system without partitions. It is fetched
from Glance and unpacked once; each server is an overlay over that. A server
that boots from a volume has the volume's file as its root instead.
Network: LXC makes a veth whose host end has the name that Neutron's linuxbridge
agent looks for (tapXXXXXXXX-XX). That agent plugs no compute ports: as Nova's
other drivers do, this one puts it on the network's bridge. A new server's init
starts when Neutron says that the port is up: with the security groups' rules.
User data: the config drive's files as cloud-init's seed folder, and the
metadata service as for any other server.
"""
import os

import eventlet
from eventlet import timeout as eventlet_timeout
from nova.api.metadata import base as instance_metadata
from nova.compute import power_state
import nova.conf
from nova import exception
from nova.objects import fields
from nova.virt import configdrive
from nova.virt import fake
from nova.virt import hardware
from oslo_log import log as logging

from capok import node_config
from capok import node_disk
from capok.node_disk import run

CONF = nova.conf.CONF
LOG = logging.getLogger(__name__)


def plugged(vif):
    return os.path.exists('/sys/class/net/' + vif['devname'])


class NodeDriver(fake.FakeDriver):
    capabilities = dict(
        fake.FakeDriver.capabilities, has_imagecache=False,
        supports_evacuate=False, supports_multiattach=False,
        supports_accelerators=False, supports_image_type_raw=True,
        supports_image_type_qcow2=True)
    vcpus, local_gb = 32, 500

    def __init__(self, virtapi, read_only=False):
        with open('/proc/meminfo') as f:
            self.memory_mb = int(f.readline().split()[1]) // 1024
        super().__init__(virtapi, read_only)

    def init_host(self, host):
        super().init_host(host)
        self.top = CONF.instances_path
        self.images = node_disk.Images(os.path.join(self.top, '_base'))

    def cache_image(self, context, image_id):
        return self.images.cache(context, image_id)

    def _dir(self, instance):
        return os.path.join(self.top, instance.uuid)

    def _lxc(self, tool, instance, *args, check=True):
        return run('lxc-' + tool, '-P', self.top, '-n', instance.uuid, *args,
                   check=check)

    def _state(self, instance):
        if not os.path.exists(self._dir(instance) + '/config'):
            return None
        return self._lxc('info', instance, '-s', '-H', check=False).strip()

    # ---- life
    def spawn(self, context, instance, image_meta, injected_files,
              admin_password, allocations, network_info=None,
              block_device_info=None, power_on=True, accel_info=None):
        d = self._dir(instance)
        os.makedirs(d, exist_ok=True)
        volume = node_disk.root_volume(block_device_info)
        node_disk.create(
            d, volume,
            None if volume else self.images.base(context, image_meta.id))
        node_disk.mount(d)
        self._seed(instance, d, injected_files, admin_password, network_info)
        node_config.write(instance, d, network_info)
        super().spawn(context, instance, image_meta, injected_files,
                      admin_password, allocations, network_info,
                      block_device_info, power_on)
        if power_on:
            self._first_start(context, instance, d, network_info or [])

    def _seed(self, instance, d, files, admin_password, network_info):
        md = instance_metadata.InstanceMetadata(
            instance, content=files, network_info=network_info,
            extra_md={'admin_pass': admin_password} if admin_password else {})
        with configdrive.ConfigDriveBuilder(instance_md=md) as drive:
            drive._write_md_files(d + '/root/var/lib/cloud/seed/config_drive')

    def _first_start(self, context, instance, d, vifs):
        """As libvirt's driver does: ACTIVE when Neutron says so."""
        events = [('network-vif-plugged', v['id']) for v in vifs
                  if v.get('active', True) is False]
        try:
            with self.virtapi.wait_for_instance_event(
                    instance, events, deadline=CONF.vif_plugging_timeout,
                    error_callback=self._plug_failed):
                start = eventlet.spawn(self._start, instance)
                while not start.dead and not all(map(plugged, vifs)):
                    eventlet.sleep(0.1)
                if start.dead:
                    start.wait()        # raises what went wrong
        except eventlet_timeout.Timeout:
            LOG.warning('no network-vif-plugged in time', instance=instance)
            self.destroy(context, instance, vifs)
            raise exception.VirtualInterfaceCreateException()
        open(d + '/go', 'w').close()
        start.wait()

    @staticmethod
    def _plug_failed(event_name, instance):
        raise exception.VirtualInterfaceCreateException()

    def _start(self, instance):
        d = self._dir(instance)
        node_disk.mount(d)
        try:
            self._lxc('start', instance, '-f', d + '/config', '-o',
                      d + '/lxc.log', '-l', 'WARN', '-d')
        except exception.NovaException:
            with open(d + '/lxc.log') as f:
                LOG.error('lxc: %s', f.read()[-2000:], instance=instance)
            raise

    def power_on(self, context, instance, network_info, block_device_info=None,
                 accel_info=None):
        if self._state(instance) != 'RUNNING':
            node_config.write(instance, self._dir(instance), network_info)
            self._start(instance)

    def resume_state_on_host_boot(self, context, instance, network_info,
                                  block_device_info=None):
        self.power_on(context, instance, network_info)

    def power_off(self, instance, timeout=0, retry_interval=0):
        # -t: a clean halt, and a kill when that takes too long
        self._lxc('stop', instance,
                  *(['-t', str(timeout)] if timeout else ['-k']), check=False)

    def reboot(self, context, instance, network_info, reboot_type,
               block_device_info=None, bad_volumes_callback=None,
               accel_info=None):
        self.power_off(instance, 0 if reboot_type == 'HARD' else 60)
        self.power_on(context, instance, network_info)

    def destroy(self, context, instance, network_info, block_device_info=None,
                destroy_disks=True, destroy_secrets=True):
        d = self._dir(instance)
        if os.path.exists(d + '/config'):
            self._lxc('stop', instance, '-k', check=False)
        for vif in network_info or []:
            if plugged(vif):
                run('ip', 'link', 'del', vif['devname'], check=False)
            self._interfaces.pop(vif['id'], None)
        node_disk.remove(d, destroy_disks)
        if instance.uuid in self.instances:
            super().destroy(context, instance, network_info, block_device_info,
                            destroy_disks, destroy_secrets)

    def cleanup(self, context, instance, network_info, block_device_info=None,
                destroy_disks=True, migrate_data=None, destroy_vifs=True,
                destroy_secrets=True):
        self.destroy(context, instance, network_info, block_device_info,
                     destroy_disks)

    # ---- network
    def attach_interface(self, context, instance, image_meta, vif):
        pid = self._lxc('info', instance, '-p', '-H').strip()
        dev, n = vif['devname'], 1
        while run('nsenter', '-t', pid, '-n', 'ip', '-o', 'link', 'show', 'dev',
                  'eth%d' % n, check=False):
            n += 1
        run('ip', 'link', 'add', dev, 'mtu', node_config.mtu(vif),
            'type', 'veth', 'peer', 'name', 'eth%d' % n,
            'address', vif['address'], 'netns', pid)
        run('ip', 'link', 'set', dev, 'master', node_config.bridge(vif), 'up')
        self._interfaces[vif['id']] = vif

    def detach_interface(self, context, instance, vif):
        run('ip', 'link', 'del', vif['devname'], check=False)
        self._interfaces.pop(vif['id'], None)

    # ---- questions
    def get_info(self, instance, use_cache=True):
        state = self._state(instance)
        if state is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        return hardware.InstanceInfo(
            state=power_state.RUNNING if state == 'RUNNING'
            else power_state.SHUTDOWN)

    def list_instance_uuids(self):
        return [n for n in os.listdir(self.top)
                if os.path.exists('%s/%s/config' % (self.top, n))]

    list_instances = list_instance_uuids

    def instance_exists(self, instance):
        return self._state(instance) is not None

    def get_console_output(self, context, instance):
        try:
            with open(self._dir(instance) + '/console.log', 'rb') as f:
                return f.read()
        except FileNotFoundError:
            return b''

    def get_host_ip_addr(self):
        return CONF.my_ip

    def get_available_resource(self, nodename):
        r = super().get_available_resource(nodename)
        r['hypervisor_type'] = 'lxc'
        r['supported_instances'] = [
            (fields.Architecture.X86_64, fields.HVType.LXC, m)
            for m in (fields.VMMode.EXE, fields.VMMode.HVM)]
        return r

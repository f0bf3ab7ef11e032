"""Root file systems of container servers: an image's overlay, or a volume."""
import os
import shutil
import time

from nova import exception
from nova.virt import driver
from nova.virt import images
from oslo_concurrency import lockutils
from oslo_concurrency import processutils
from oslo_log import log as logging

LOG = logging.getLogger(__name__)
# Plain folders beside the overlay: an overlay on an overlay does not work
DATA = ('containerd', 'kubelet', 'etcd')


def run(*cmd, check=True):
    LOG.debug('run %s', cmd)
    try:
        return processutils.execute(*cmd)[0]
    except processutils.ProcessExecutionError as e:
        if check:
            raise exception.NovaException('%s: %s %s' % (
                ' '.join(cmd), e.stdout, e.stderr))
        return ''


class Images:
    """Images' files, each unpacked once: the lower layers."""

    def __init__(self, top):
        self.top = top
        os.makedirs(top, exist_ok=True)

    def base(self, context, image_id):
        base = os.path.join(self.top, image_id)
        self.cache(context, image_id)
        return base

    def cache(self, context, image_id):
        """Says whether the image had to be fetched."""
        base = os.path.join(self.top, image_id)
        with lockutils.lock('capok-image-' + image_id):
            if os.path.isdir(base):
                return False
            self._unpack(context, image_id, base)
            return True

    @staticmethod
    def _unpack(context, image_id, base):
        raw, tmp = base + '.img', base + '.tmp'
        began = time.time()
        run('rm', '-rf', '--one-file-system', tmp)
        images.fetch_to_raw(context, image_id, raw)
        LOG.info('image %s: fetched in %.1f s', image_id, time.time() - began)
        mount_point = base + '.mnt'
        os.makedirs(mount_point, exist_ok=True)
        run('mount', '-o', 'loop,ro,noload', raw, mount_point)
        try:
            run('cp', '-a', mount_point, tmp)
        finally:
            run('umount', mount_point)
            os.rmdir(mount_point)
        os.unlink(raw)
        os.rename(tmp, base)
        LOG.info('image %s: unpacked after %.1f s', image_id,
                 time.time() - began)


def root_volume(block_device_info):
    """The file of the volume that the server boots from, or None."""
    for bdm in driver.block_device_info_get_mapping(block_device_info):
        if bdm.get('boot_index') == 0:
            return bdm['connection_info']['data']['device_path']
    return None


def create(d, volume, base):
    """Makes folder d ready for mount(): from a volume's file or an image."""
    for n in ('root', 'sysctl'):
        os.makedirs(os.path.join(d, n), exist_ok=True)
    if volume:
        # it may be larger than the image that it was made from; not while it
        # is mounted, which takes CAP_SYS_RESOURCE
        run('e2fsck', '-fp', volume, check=False)
        run('resize2fs', volume)
        os.symlink(volume, d + '/volume')
        return
    for n in ('upper', 'work') + DATA:
        os.makedirs(os.path.join(d, n), exist_ok=True)
    os.symlink(base, d + '/base')
    # preloaded container images never change, so hard links do; only the data
    # bases are copied
    source = base + '/var/lib/containerd'
    if os.path.isdir(source):
        run('cp', '-al', source + '/.', d + '/containerd/')
        for f in run('find', source, '-name', '*.db').split():
            target = d + '/containerd' + f[len(source):]
            os.unlink(target)
            shutil.copy2(f, target)


def mount(d):
    root = d + '/root'
    if os.path.ismount(root):
        return
    if os.path.islink(d + '/volume'):
        run('mount', '-o', 'loop', os.path.realpath(d + '/volume'), root)
        return
    run('mount', '-t', 'overlay', 'overlay', '-o',
        'lowerdir=%s,upperdir=%s/upper,workdir=%s/work' % (
            os.readlink(d + '/base'), d, d), root)
    for n in DATA:
        os.makedirs('%s/var/lib/%s' % (root, n), exist_ok=True)
        run('mount', '--bind', '%s/%s' % (d, n), '%s/var/lib/%s' % (root, n))


def remove(d, with_files):
    if not os.path.isdir(d):
        return
    with open('/proc/mounts') as f:
        mounts = [line.split()[1] for line in f]
    for m in sorted(mounts, reverse=True):       # the deepest first
        if m.startswith(d + '/'):
            run('umount', '-l', m, check=False)
    if with_files:
        run('rm', '-rf', '--one-file-system', d)

"""Cinder volume driver: each volume is a sparse raw file in a folder.

A server's host gets the file's path and mounts it through a loop device (see
node_driver). Needs no device-mapper, iSCSI, NBD or NFS.
"""
import os

from cinder.image import image_utils
from cinder import interface
from cinder.volume import configuration
from cinder.volume import driver
from cinder.volume import volume_utils
from oslo_concurrency import processutils
from oslo_config import cfg

OPTS = [cfg.StrOpt('capok_volumes_dir', help='folder of the volumes')]
cfg.CONF.register_opts(OPTS, group=configuration.SHARED_CONF_GROUP)
GiB = 1024 ** 3


@interface.volumedriver
class FileVolumeDriver(driver.VolumeDriver):
    VERSION = '1.0'
    CI_WIKI_NAME = 'none'

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.configuration.append_config_values(OPTS)
        self.dir = self.configuration.capok_volumes_dir

    def do_setup(self, context):
        os.makedirs(self.dir, exist_ok=True)

    def check_for_setup_error(self):
        pass

    def _path(self, thing):
        return os.path.join(self.dir, thing.name)

    def local_path(self, volume):
        return self._path(volume)

    @staticmethod
    def _grow(path, gib):
        with open(path, 'ab') as f:
            f.truncate(gib * GiB)

    @staticmethod
    def _remove(path):
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass

    def _copy(self, source, target):
        processutils.execute('cp', '--sparse=always', '--reflink=auto',
                             self._path(source), self._path(target))

    # --- volumes
    def create_volume(self, volume):
        self._grow(self._path(volume), volume.size)

    def create_volume_from_snapshot(self, volume, snapshot):
        self._copy(snapshot, volume)
        self._grow(self._path(volume), volume.size)

    def create_cloned_volume(self, volume, src_vref):
        self._copy(src_vref, volume)
        self._grow(self._path(volume), volume.size)

    def extend_volume(self, volume, new_size):
        self._grow(self._path(volume), new_size)

    def delete_volume(self, volume):
        self._remove(self._path(volume))

    # --- snapshots and images
    def create_snapshot(self, snapshot):
        self._copy(snapshot.volume, snapshot)

    def delete_snapshot(self, snapshot):
        self._remove(self._path(snapshot))

    def copy_image_to_volume(self, context, volume, image_service, image_id,
                             disable_sparse=False):
        image_utils.fetch_to_raw(context, image_service, image_id,
                                 self._path(volume),
                                 self.configuration.volume_dd_blocksize,
                                 size=volume.size)
        self._grow(self._path(volume), volume.size)

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        volume_utils.upload_volume(context, image_service, image_meta,
                                   self._path(volume), volume)

    # --- attachments
    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector):
        return {'driver_volume_type': 'local',
                'data': {'device_path': self._path(volume),
                         'volume_id': volume.id}}

    def terminate_connection(self, volume, connector, **kwargs):
        pass

    def get_volume_stats(self, refresh=False):
        # thin: the disk of this machine is not what is under test
        return {'volume_backend_name':
                self.configuration.safe_get('volume_backend_name'),
                'vendor_name': 'capok', 'driver_version': self.VERSION,
                'storage_protocol': 'local',
                'total_capacity_gb': 'infinite', 'free_capacity_gb': 'infinite',
                'reserved_percentage': 0, 'QoS_support': False,
                'thin_provisioning_support': True, 'multiattach': True}

"""Octavia's provider 'capok': the part inside octavia-api.

It does nothing but refuse what the provider can't do. octavia-api itself sets
each changed object to PENDING_*; octavia_agent looks for those in Octavia's
database, does the work and writes the statuses back. So no worker,
housekeeping, health manager or driver agent has to run. create_vip_port is left
to the base class: octavia-api then makes the port with its own Neutron driver.
"""
from octavia_lib.api.drivers import exceptions
from octavia_lib.api.drivers import provider_base
from octavia_lib.common import constants

LISTENERS = (constants.PROTOCOL_TCP, constants.PROTOCOL_HTTP,
             constants.PROTOCOL_HTTPS)
POOLS = LISTENERS + (constants.PROTOCOL_PROXY, constants.PROTOCOL_PROXYV2)
MONITORS = ('TCP', 'HTTP', 'HTTPS', 'TLS-HELLO', 'PING')


def check(what, given, allowed):
    if isinstance(given, str) and given not in allowed:
        refuse('%s %ss; it knows %s' % (given, what, ', '.join(allowed)))


def refuse(what):
    text = "The provider 'capok' can't do %s." % what
    raise exceptions.UnsupportedOptionError(user_fault_string=text,
                                            operator_fault_string=text)


class ProviderDriver(provider_base.ProviderDriver):

    def loadbalancer_create(self, loadbalancer):
        for listener in loadbalancer.listeners or ():
            self.listener_create(listener)
        for pool in loadbalancer.pools or ():
            self.pool_create(pool)

    def listener_create(self, listener):
        check('listener', listener.protocol, LISTENERS)
        if listener.l7policies:
            refuse('L7 policies')

    def pool_create(self, pool):
        check('pool', pool.protocol, POOLS)

    def health_monitor_create(self, healthmonitor):
        check('health monitor', healthmonitor.type, MONITORS)

    def get_supported_flavor_metadata(self):
        return {}

    def get_supported_availability_zone_metadata(self):
        return {'compute_zone': 'Accepted and ignored.'}


def _accept(self, *args, **kwargs):
    """The agent sees the change in the database."""


for _name in (
        'loadbalancer_delete', 'loadbalancer_failover', 'loadbalancer_update',
        'listener_delete', 'listener_update', 'pool_delete', 'pool_update',
        'member_create', 'member_delete', 'member_update',
        'member_batch_update', 'health_monitor_delete', 'health_monitor_update',
        'validate_flavor', 'validate_availability_zone'):
    setattr(ProviderDriver, _name, _accept)

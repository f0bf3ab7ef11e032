"""Makes the load balancers of Octavia's provider 'capok' real.

One haproxy per load balancer, in a network namespace of its own whose veth is
plugged onto the VIP's Neutron port, as a DHCP or router port is. It reads
Octavia's database for load balancers in PENDING_*, applies them, and writes the
statuses back with Octavia's own DriverUpdater. Every few seconds it carries
haproxy's view of the members over into their operating status.

    run octavia-agent capok.octavia_agent --config-file octavia.conf
"""
import os
import signal
import subprocess
import sys
import time

from octavia.api.drivers.driver_agent import driver_updater
from octavia.common import service as octavia_service
from octavia.common import utils
from octavia.db import api as db_api
from octavia.db import models
from octavia.db import repositories
from oslo_config import cfg
from oslo_log import log as logging

from capok import haproxy

LOG = logging.getLogger(__name__)
CONF = cfg.CONF
CONF.register_opts([
    cfg.StrOpt('state_dir', help='configurations, pid files and sockets'),
    cfg.StrOpt('host', help="the L2 agent's host name"),
    cfg.FloatOpt('poll', default=0.3, help='seconds between two looks'),
    cfg.FloatOpt('health_poll', default=3),
    cfg.IntOpt('tries', default=5, help='failures until ERROR'),
], group='capok')
# Octavia's default sorting key for operating statuses, the worst last
ORDER = ('ONLINE', 'DEGRADED', 'ERROR')


def run(*cmd, check=True):
    r = subprocess.run(cmd, capture_output=True, text=True)
    if check and r.returncode:
        raise RuntimeError('%s: %s' % (' '.join(cmd), r.stderr.strip()))
    return r.stdout


class Proxy:
    """A load balancer's namespace and the haproxy in it."""

    def __init__(self, lb_id, neutron):
        self.id, self.neutron = lb_id, neutron
        self.ns = 'capoklb-' + lb_id

    def path(self, kind):
        return os.path.join(CONF.capok.state_dir, '%s.%s' % (self.id, kind))

    def plug(self, vip):
        tap = 'tap' + vip.port_id[:11]
        port = self._bind(vip.port_id)
        names = run('ip', 'netns', 'list').split()
        if self.ns in names and os.path.exists('/sys/class/net/' + tap):
            return
        net = self.neutron.show_network(port['network_id'])['network']
        mtu = str(net.get('mtu') or 1500)
        if self.ns not in names:
            run('ip', 'netns', 'add', self.ns)
        run('ip', 'link', 'del', tap, check=False)
        run('ip', 'link', 'add', tap, 'type', 'veth', 'peer', 'name', 'vip',
            'netns', self.ns)
        inside = ('ip', '-n', self.ns)
        run(*inside, 'link', 'set', 'lo', 'up')
        run(*inside, 'link', 'set', 'vip', 'address', port['mac_address'],
            'mtu', mtu)
        gateway = None
        for fixed in port['fixed_ips']:
            subnet = self.neutron.show_subnet(fixed['subnet_id'])['subnet']
            run(*inside, 'address', 'add', '%s/%s' % (
                fixed['ip_address'], subnet['cidr'].split('/')[1]),
                'dev', 'vip')
            if subnet['ip_version'] == 4:
                gateway = subnet.get('gateway_ip') or gateway
        run(*inside, 'link', 'set', 'vip', 'up')
        if gateway:
            run(*inside, 'route', 'replace', 'default', 'via', gateway)
        run('ip', 'link', 'set', tap, 'mtu', mtu, 'up')

    def _bind(self, port_id):
        port = self.neutron.show_port(port_id)['port']
        if (port['binding:host_id'] == CONF.capok.host and
                port['admin_state_up'] and not port['port_security_enabled']):
            return port
        return self.neutron.update_port(port_id, {'port': {
            'admin_state_up': True, 'binding:host_id': CONF.capok.host,
            'security_groups': [], 'allowed_address_pairs': [],
            'port_security_enabled': False}})['port']

    def unplug(self, vip):
        self.stop()
        run('ip', 'netns', 'del', self.ns, check=False)
        if vip and vip.port_id:
            run('ip', 'link', 'del', 'tap' + vip.port_id[:11], check=False)

    def pid(self):
        try:
            with open(self.path('pid')) as f:
                pid = int(f.read().split()[0])
            with open('/proc/%d/cmdline' % pid) as f:
                return pid if self.path('cfg') in f.read() else None
        except (OSError, ValueError, IndexError):
            return None

    def stop(self):
        pid = self.pid()
        if pid:
            os.kill(pid, signal.SIGTERM)
        for kind in ('pid', 'cfg', 'sock'):
            try:
                os.unlink(self.path(kind))
            except FileNotFoundError:
                pass

    def apply(self, lb):
        self.plug(lb.vip)
        conf, path = haproxy.render(lb, self.path('sock')), self.path('cfg')
        if conf is None:
            self.stop()
            return
        pid = self.pid()
        if pid and os.path.exists(path):
            with open(path) as f:
                if f.read() == conf:
                    return
        with open(path, 'w') as f:
            f.write(conf)
        run('ip', 'netns', 'exec', self.ns, 'haproxy', '-D', '-f', path,
            '-p', self.path('pid'), *(['-sf', str(pid)] if pid else []))


class Statuses:
    """What DriverUpdater is told at once, and what it was told before."""

    def __init__(self):
        self.updater = driver_updater.DriverUpdater()
        self.known = {}       # object id -> operating status last told

    def done(self, lb):
        """The statuses of a load balancer whose changes were carried out."""
        told, all_goes = {}, lb.provisioning_status == 'PENDING_DELETE'

        def put(kind, obj, operating=None):
            entry = {'id': obj.id, 'provisioning_status': 'ACTIVE'}
            if all_goes or obj.provisioning_status == 'PENDING_DELETE':
                entry['provisioning_status'] = 'DELETED'
            elif not obj.provisioning_status.startswith('PENDING'):
                return
            elif operating:
                entry['operating_status'] = operating
            told.setdefault(kind, []).append(entry)

        def online(obj):
            return 'ONLINE' if getattr(obj, 'enabled', True) else 'OFFLINE'

        for pool in lb.pools:
            for member in pool.members:
                put('members', member,
                    None if pool.health_monitor else 'NO_MONITOR')
                self.known.pop(member.id, None)
            if pool.health_monitor:
                put('healthmonitors', pool.health_monitor,
                    online(pool.health_monitor))
            put('pools', pool, online(pool))
            self.known.pop(pool.id, None)
        for listener in lb.listeners:
            put('listeners', listener, online(listener))
        put('loadbalancers', lb, online(lb))
        self.known.pop(lb.id, None)
        self._tell(told)

    def seen(self, lb_id, rows):
        """What haproxy says of the members; only changes are told."""
        told, worst = {}, 'ONLINE'

        def put(kind, obj_id, operating):
            if operating and self.known.get(obj_id) != operating:
                self.known[obj_id] = operating
                told.setdefault(kind, []).append(
                    {'id': obj_id, 'operating_status': operating})

        for pool, members in haproxy.members(rows).items():
            for member, operating in members.items():
                put('members', member, operating)
            bad = list(members.values()).count('ERROR')
            operating = ('ONLINE' if not bad else
                         'ERROR' if bad == len(members) else 'DEGRADED')
            put('pools', pool, operating)
            worst = max(worst, operating, key=ORDER.index)
        if rows:
            put('loadbalancers', lb_id, worst)
        self._tell(told)
        counters = haproxy.listeners(rows)
        if counters and self.known.get('counters ' + lb_id) != counters:
            self.known['counters ' + lb_id] = counters
            self.updater.update_listener_statistics({'listeners': counters})

    def _tell(self, told):
        if not told:
            return
        answer = self.updater.update_loadbalancer_status(told)
        if answer.get('status_code') != 200:
            raise RuntimeError(str(answer))


class Agent:
    def __init__(self):
        self.repository = repositories.LoadBalancerRepository()
        self.neutron = utils.get_network_driver().neutron_client
        self.statuses = Statuses()
        self.tries = {}
        os.makedirs(CONF.capok.state_dir, exist_ok=True)

    def _ids(self, status):
        return [r[0] for r in db_api.get_session().query(
            models.LoadBalancer.id).filter(
                models.LoadBalancer.provisioning_status.like(status)).all()]

    def _load(self, lb_id):
        return self.repository.get(db_api.get_session(), id=lb_id)

    def restore(self):
        """After a restart, namespaces and haproxies may be gone."""
        for lb_id in self._ids('ACTIVE'):
            try:
                Proxy(lb_id, self.neutron).apply(self._load(lb_id))
            except Exception:
                LOG.exception('restoring %s', lb_id)

    def change(self, lb_id):
        lb = self._load(lb_id)
        proxy = Proxy(lb_id, self.neutron)
        if lb.provisioning_status == 'PENDING_DELETE':
            proxy.unplug(lb.vip)
            self.statuses.done(lb)
            self.repository.delete(db_api.get_session(), id=lb_id)
        else:
            proxy.apply(lb)
            self.statuses.done(lb)

    def look(self):
        for lb_id in self._ids('PENDING%'):
            began = time.time()
            try:
                self.change(lb_id)
                self.tries.pop(lb_id, None)
                LOG.info('%s: done in %.2f s', lb_id, time.time() - began)
            except Exception:
                LOG.exception('load balancer %s', lb_id)
                self.tries[lb_id] = self.tries.get(lb_id, 0) + 1
                if self.tries[lb_id] >= CONF.capok.tries:
                    self.tries.pop(lb_id)
                    self._fail(lb_id)

    @staticmethod
    def _fail(lb_id):
        session = db_api.get_session()
        with session.begin():
            session.query(models.LoadBalancer).filter_by(id=lb_id).update(
                {'provisioning_status': 'ERROR'})

    def health(self):
        for name in os.listdir(CONF.capok.state_dir):
            lb_id, kind = os.path.splitext(name)
            if kind == '.sock':
                try:
                    self.statuses.seen(lb_id, haproxy.stats(
                        os.path.join(CONF.capok.state_dir, name)))
                except Exception:
                    LOG.exception('health of %s', lb_id)

    def loop(self):
        self.restore()
        LOG.info('ready')
        next_health = 0
        while True:
            try:
                self.look()
                if time.time() > next_health:
                    self.health()
                    next_health = time.time() + CONF.capok.health_poll
            except Exception:     # the database was away, for example
                LOG.exception('look')
            time.sleep(CONF.capok.poll)


def main():
    octavia_service.prepare_service(sys.argv)
    Agent().loop()

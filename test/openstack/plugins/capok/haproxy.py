"""What haproxy is told for a load balancer, and what it says of it.

No processes and no namespaces here: a load balancer out of Octavia's database
goes in, text comes out.
"""
import csv
import io
import socket

BALANCE = {'ROUND_ROBIN': 'roundrobin', 'LEAST_CONNECTIONS': 'leastconn',
           'SOURCE_IP': 'source', 'SOURCE_IP_PORT': 'source'}
HEADERS = {'X-Forwarded-For': '%[src]', 'X-Forwarded-Port': '%[dst_port]',
           'X-Forwarded-Proto': 'http'}
STATUS = {'UP': 'ONLINE', 'DOWN': 'ERROR', 'no': 'NO_MONITOR',
          'DRAIN': 'DRAINING', 'MAINT': 'OFFLINE'}


def stays(thing):
    return thing is not None and thing.provisioning_status != 'PENDING_DELETE'


def render(lb, stats_socket):
    """The configuration; None if there is nothing to listen for."""
    lines = ['global', '  maxconn 2000', '  nbthread 1',
             '  stats socket %s mode 600 level admin' % stats_socket,
             'defaults', '  mode tcp', '  option redispatch', '  retries 3',
             '  timeout connect 5s', '  timeout client 50s',
             '  timeout server 50s', '  timeout check 5s']
    listeners = [l for l in lb.listeners if stays(l) and l.enabled]
    if not listeners or not lb.enabled:
        return None
    for listener in sorted(listeners, key=lambda l: l.id):
        lines += frontend(listener, lb.vip.ip_address)
    return '\n'.join(lines) + '\n'


def frontend(listener, address):
    mode = 'http' if listener.protocol == 'HTTP' else 'tcp'
    lines = ['frontend ' + listener.id, '  mode ' + mode,
             '  bind %s:%d' % (address, listener.protocol_port)]
    if listener.connection_limit and listener.connection_limit > 0:
        lines.append('  maxconn %d' % listener.connection_limit)
    if listener.timeout_client_data:
        lines.append('  timeout client %dms' % listener.timeout_client_data)
    cidrs = [c.cidr for c in listener.allowed_cidrs or ()]
    if cidrs:
        lines += ['  acl allowed src ' + ' '.join(cidrs),
                  '  tcp-request connection reject if !allowed']
    for name, wanted in (listener.insert_headers or {}).items():
        if mode == 'http' and str(wanted).lower() == 'true' and name in HEADERS:
            lines.append('  http-request set-header %s %s' % (
                name, HEADERS[name]))
    pool = listener.default_pool
    if stays(pool) and pool.enabled:
        # one back end per listener: the timeouts are the listener's
        name = '%s:%s' % (pool.id, listener.id)
        lines.append('  default_backend ' + name)
        lines += backend(name, pool, listener, mode)
    return lines


def backend(name, pool, listener, mode):
    lines = ['backend ' + name, '  mode ' + mode,
             '  balance ' + BALANCE.get(pool.lb_algorithm, 'roundrobin')]
    if listener.timeout_member_connect:
        lines.append('  timeout connect %dms' % listener.timeout_member_connect)
    if listener.timeout_member_data:
        lines.append('  timeout server %dms' % listener.timeout_member_data)
    sticky = pool.session_persistence
    cookie = bool(sticky and mode == 'http' and sticky.type == 'HTTP_COOKIE')
    if sticky and sticky.type == 'SOURCE_IP':
        lines += ['  stick-table type ip size 10k', '  stick on src']
    elif cookie:
        lines.append('  cookie SRV insert indirect nocache')
    elif sticky and mode == 'http' and sticky.type == 'APP_COOKIE':
        lines += ['  stick-table type string len 64 size 10k',
                  '  stick store-response res.cook(%s)' % sticky.cookie_name,
                  '  stick match req.cook(%s)' % sticky.cookie_name]
    monitor = pool.health_monitor
    if not stays(monitor) or not monitor.enabled:
        monitor = None
    lines += monitored(monitor)
    for member in sorted(filter(stays, pool.members), key=lambda m: m.id):
        lines.append(server(member, pool, monitor, cookie))
    return lines


def monitored(monitor):
    if monitor is None:
        return []
    lines = ['  timeout check %ds' % monitor.timeout]
    if monitor.type in ('HTTP', 'HTTPS'):
        lines += ['  option httpchk %s %s' % (monitor.http_method or 'GET',
                                              monitor.url_path or '/'),
                  '  http-check expect status ' +
                  (monitor.expected_codes or '200').replace(' ', '')]
    return lines


def server(member, pool, monitor, cookie):
    words = ['  server', member.id,
             '%s:%d' % (member.ip_address, member.protocol_port),
             'weight %d' % (1 if member.weight is None else member.weight)]
    if monitor:
        words.append('check inter %ds fall %d rise %d' % (
            monitor.delay, monitor.fall_threshold or 3,
            monitor.rise_threshold or 3))
        if monitor.type in ('HTTPS', 'TLS-HELLO'):
            words.append('check-ssl verify none')
        if member.monitor_address:
            words.append('addr ' + member.monitor_address)
        if member.monitor_port:
            words.append('port %d' % member.monitor_port)
    words += [w for w in (
        {'PROXY': 'send-proxy', 'PROXYV2': 'send-proxy-v2'}.get(pool.protocol),
        member.backup and 'backup', not member.enabled and 'disabled',
        cookie and 'cookie ' + member.id) if w]
    return ' '.join(words)


def stats(path):
    """What a running haproxy counts: a row per front end, server, back end."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(2)
        try:
            s.connect(path)
            s.sendall(b'show stat\n')
            answer = b''.join(iter(lambda: s.recv(65536), b''))
        except OSError:
            return []
    return list(csv.DictReader(io.StringIO(answer.decode()[2:])))


def listeners(rows):
    """The counters of each listener, as Octavia's DriverUpdater takes them."""
    return [{'id': r['pxname'], 'bytes_in': int(r['bin'] or 0),
             'bytes_out': int(r['bout'] or 0),
             'active_connections': int(r['scur'] or 0),
             'total_connections': int(r['stot'] or 0),
             'request_errors': int(r['ereq'] or 0)}
            for r in rows if r['svname'] == 'FRONTEND']


def members(rows):
    """pool id -> {member id: operating status}."""
    pools = {}
    for r in rows:
        if r['svname'] not in ('FRONTEND', 'BACKEND') and ':' in r['pxname']:
            pools.setdefault(r['pxname'].split(':')[0], {})[r['svname']] = (
                STATUS.get(r['status'].split()[0]))
    return pools

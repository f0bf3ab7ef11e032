"""python3 -m capok.queues URL QUEUE...: do all of these queues have a consumer?

Fails with the reason if not within a few seconds: starting Python costs more
than waiting.
"""
import sys
import time

import amqp
import kombu

PATIENCE = 5


def missing(connection):
    for name in sys.argv[2:]:
        try:
            declared = connection.channel().queue_declare(name, passive=True)
        except amqp.exceptions.AMQPError as e:
            return '%s: %s' % (name, e)
        if not declared.consumer_count:
            return '%s has no consumer' % name
    return None


end = time.monotonic() + PATIENCE
while True:
    with kombu.Connection(sys.argv[1], connect_timeout=5) as c:
        reason = missing(c)
    if not reason or time.monotonic() > end:
        sys.exit(reason)
    time.sleep(0.1)

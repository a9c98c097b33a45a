"""Access control for mosquitto: its configuration and access list, as texts. Opens no file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pitwatch.daemon.contract.asked import VERBS
from pitwatch.daemon.contract.asyncapi import KINDS
from pitwatch.daemon.publishing.envelope import ECHO

BROKER = """\
# A broker for tables and surveillance. Written by `pitwatch provision`; install this folder as /etc/mosquitto/pitwatch
# and this file into /etc/mosquitto/conf.d.
per_listener_settings false
allow_anonymous false
acl_file {folder}/pitwatch.acl
# Without it a QoS 1 hand-shake waits for the 40 ms of a delayed acknowledgement now and then.
set_tcp_nodelay true

listener {port}
cafile {folder}/ca.crt
certfile {folder}/broker.crt
keyfile {folder}/broker.key
{revoked}tls_version tlsv1.2
# Who connects is who its certificate says, under that name and no other: nobody can put another out by taking his name.
require_certificate true
use_identity_as_username true
use_username_as_clientid true
# Nobody can leave more than this with the broker; a subscriber reads records of up to 65,536 bytes.
max_packet_size 131072

# Evidence is small and must not be dropped while a subscriber is away. Where it is kept stands in Debian's
# mosquitto.conf, and mosquitto does not start if that is said twice.
max_queued_messages 100000
persistence true
"""

REVOKED = "crlfile {folder}/revoked.pem\n"
"""Lines of the configuration once a certificate was revoked."""


def access_list(
    prefix: str,
    tables: Sequence[str],
    surveillance: Iterable[str],
    readers: Iterable[str],
    live: Iterable[str],
    *,
    unnamed: bool = False,
) -> str:
    """Each table by name: it writes what tables write, and reads requests to itself and its own echo, which nobody
    else hears. `tables` are SITE/TABLE. `unnamed`: clients may ask without their name too, so that it is unknown who
    asked."""
    lines = ["# Access list: a client that is not listed may do nothing. Written by `pitwatch provision`."]
    for table in tables:
        base = f"{prefix}/{table}"
        lines += ["", f"user {table}"]
        lines += [f"topic write {base}/{topic}" for topic in published_topics()]
        lines += [f"topic read {base}/{topic}" for topic in ("request/+", "request/+/+", ECHO)]
    for names, asks, sees_live in ((surveillance, True, False), (readers, False, False), (live, True, True)):
        for name in names:
            lines += ["", f"user {name}", f"topic read {prefix}/#", f"topic deny {prefix}/+/+/{ECHO}"]
            for table in tables if asks else ():
                for verb in VERBS:
                    request = f"{prefix}/{table}/request/{verb}"
                    lines.append(f"topic write {request}/{name}")
                    if unnamed:
                        lines.append(f"topic write {request}")
            if not sees_live:
                lines.append(f"topic deny {prefix}/+/+/live/+")
    return "\n".join(lines) + "\n"


def published_topics() -> list[str]:
    """What a table publishes on, below its own topic, as patterns for an access list."""
    return [topic.partition("{")[0] + "+" if "{" in topic else topic for _, topic, _, _ in KINDS.values()]

"""Access control for a RabbitMQ cluster: its users and permissions, as the definitions file that it loads.

The same rules as mosquitto's access list, in RabbitMQ's terms: an MQTT topic is a routing key with dots for slashes, a
subscription is checked by its pattern when it is made, and messages for a client wait in a queue of the client's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pitwatch.daemon.config.house_names import client_ids
from pitwatch.daemon.contract.asked import VERBS
from pitwatch.daemon.publishing.envelope import ECHO

CONFIGURATION = """\
# A node of a cluster for tables and surveillance. Written by `pitwatch provision`; install this folder as
# /etc/rabbitmq/pitwatch on every node, and this file as /etc/rabbitmq/rabbitmq.conf with the nodes' names at its end.
# It is for RabbitMQ {releases}; another release does not start with it and has the other file of the two.
# Enable the plug-in on every node (rabbitmq-plugins enable rabbitmq_mqtt); {start}.
listeners.tcp = none
mqtt.listeners.tcp = none
mqtt.listeners.ssl.1 = {port}
ssl_options.cacertfile = {folder}/ca.crt
ssl_options.certfile = {folder}/broker.crt
ssl_options.keyfile = {folder}/broker.key
ssl_options.versions.1 = tlsv1.3
ssl_options.versions.2 = tlsv1.2
# Who connects is who its certificate says.
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = true
ssl_cert_login_from = common_name
mqtt.ssl_cert_login = true
mqtt.allow_anonymous = false
load_definitions = {folder}/rabbitmq-definitions.json
# What waits for a subscriber lies on three nodes; it is kept for a week.
mqtt.durable_queue_type = quorum
{kept}
mqtt.prefetch = 1000
mqtt.tcp_listen_options.nodelay = true
cluster_formation.peer_discovery_backend = classic_config
# cluster_formation.classic_config.nodes.1 = rabbit@broker-1
# cluster_formation.classic_config.nodes.2 = rabbit@broker-2
# cluster_formation.classic_config.nodes.3 = rabbit@broker-3
"""
RELEASES = {
    "rabbitmq.conf": {
        "releases": "up to 3.12",
        "start": "start the first node alone, then the others",
        "kept": "mqtt.subscription_ttl = 604800000",
    },
    "rabbitmq-3.13.conf": {
        "releases": "3.13 and newer",
        "start": "start all nodes: the first waits for the others",
        "kept": "mqtt.max_session_expiry_interval_seconds = 604800",
    },
}
"""The file for a release, with what only that release knows: each refuses to start with a key of the other."""


EXCHANGE = r"^amq\.topic$"
"""Where RabbitMQ's MQTT plug-in publishes."""


QUEUE = "^mqtt-subscription-"
QOS = r"qos[01]$"
UNNAMED = r"[A-Za-z0-9_-]{22}"
"""What the plug-in calls a client that gives no id: 16 random bytes."""


def definitions(
    prefix: str,
    tables: Iterable[str],
    surveillance: Iterable[str],
    readers: Iterable[str],
    live: Iterable[str],
    *,
    published: Sequence[str],
    unnamed: bool = False,
) -> str:
    """JSON for `load_definitions`. `tables` are SITE/TABLE, `published` what a table publishes, with + for a level.
    `unnamed`: clients may ask without their name too.

    What waits for a client lies in a queue of its client id, and who may read the queue gets it: the ids of tables are
    theirs alone, and NAME and NAME.… are the client NAME's. A client of `live` has these only. The others may take any
    id besides that is nobody's.

    Surveillance and readers may subscribe to what is named in `published` but for `live/…` and `echo`, and not to `#`:
    RabbitMQ does not look at the single message again. Whoever may read `live` may subscribe to anything below the
    prefix.
    """
    users: list[dict[str, Any]] = []
    queues: list[dict[str, Any]] = []
    topics: list[dict[str, Any]] = []

    def user(name: str, own: str, write: str | None, read: str) -> None:
        """`write`: the topics; None for one who publishes nothing."""
        users.append({"name": name, "password_hash": "", "tags": ""})
        queues.append(
            {
                "user": name,
                "vhost": "/",
                "configure": own,
                "write": f"{own}|{EXCHANGE}" if write else own,
                "read": f"{own}|{EXCHANGE}",
            }
        )
        topics.append({"user": name, "vhost": "/", "exchange": "amq.topic", "write": write or "^$", "read": read})

    def request(client: str) -> str:
        name = rf"\.{re.escape(client)}"
        return rf"^{_key(prefix)}\.({places})\.request\.({verbs}){f'({name})?' if unnamed else name}$"

    tables, surveillance, readers, live = list(tables), list(surveillance), list(readers), list(live)
    ids = {table: "|".join(map(re.escape, client_ids(table, tables))) for table in tables}
    clients = (*surveillance, *readers, *live)

    def common(name: str) -> str:
        """Any queue but those of tables and of other clients."""
        others = "|".join(rf"{re.escape(other)}(\..*)?" for other in clients if other != name)
        return f"{QUEUE}(?!({'|'.join(filter(None, (*ids.values(), others)))}){QOS}).*{QOS}"

    for table in tables:
        base = "^" + _key(f"{prefix}/{table}")
        kinds = "|".join(map(_key, published))
        user(table, f"{QUEUE}({ids[table]}){QOS}", rf"{base}\.({kinds})$", rf"{base}\.(request\.|{ECHO}$)")
    base = rf"^{_key(prefix)}\."
    places = "|".join(_key(table) for table in tables)
    verbs = "|".join(VERBS)
    named = "|".join(_key(topic) for topic in published if not topic.startswith("live/") and topic != ECHO)
    seen = rf"{base}[^.]+\.[^.]+\.({named})$"
    for name in surveillance:
        user(name, common(name), request(name), seen)
    for name in readers:
        user(name, common(name), None, seen)
    for name in live:
        user(name, rf"{QUEUE}({re.escape(name)}(\..*)?|{UNNAMED}){QOS}", request(name), base)
    return json.dumps(
        {"vhosts": [{"name": "/"}], "users": users, "permissions": queues, "topic_permissions": topics}, indent=1
    )


def _key(topic: str) -> str:
    """A topic as a regular expression of routing keys; + is one level, whatever stands there."""
    return r"\.".join("[^.]+" if level == "+" else re.escape(level) for level in topic.split("/"))

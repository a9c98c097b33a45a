"""Who may do what at a RabbitMQ cluster: its users and permissions as the file of definitions that it loads.

The same rules as mosquitto's access list, in RabbitMQ's terms: an MQTT topic is a routing key with dots for slashes, a
subscription is judged by its pattern when it is made, and what waits for a client lies in a queue of the client's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from daemon.envelope import ECHO
from daemon.requests import VERBS

CONFIGURATION = """\
# A node of a cluster for tables and surveillance. Written by `pitwatch provision`; install this folder as
# /etc/rabbitmq/pitwatch on every node, and this file as /etc/rabbitmq/rabbitmq.conf with the nodes' names at its end.
# Enable the plug-in on every node (rabbitmq-plugins enable rabbitmq_mqtt); start the first node alone, then the others.
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
# What waits for a subscriber lies on three nodes; it is kept for a week (ms).
mqtt.durable_queue_type = quorum
mqtt.subscription_ttl = 604800000
mqtt.prefetch = 1000
mqtt.tcp_listen_options.nodelay = true
cluster_formation.peer_discovery_backend = classic_config
# cluster_formation.classic_config.nodes.1 = rabbit@broker-1
# cluster_formation.classic_config.nodes.2 = rabbit@broker-2
# cluster_formation.classic_config.nodes.3 = rabbit@broker-3
"""


EXCHANGE = r"^amq\.topic$"
"""Where RabbitMQ's MQTT plug-in publishes."""


def definitions(
    prefix: str, tables: Iterable[str], surveillance: Iterable[str], live: Iterable[str], published: Sequence[str]
) -> str:
    """JSON for `load_definitions`. `tables` are SITE/TABLE, `published` what a table publishes, with + for a level.

    Surveillance may subscribe to what is named in `published` but for `live/…` and `echo`, and not to `#`: RabbitMQ
    does not look at the single message again. Whoever may read `live` may subscribe to anything below the prefix.
    """
    users: list[dict[str, Any]] = []
    queues: list[dict[str, Any]] = []
    topics: list[dict[str, Any]] = []

    def user(name: str, own: str, write: str, read: str) -> None:
        users.append({"name": name, "password_hash": "", "tags": ""})
        queues.append(
            {"user": name, "vhost": "/", "configure": own, "write": f"{own}|{EXCHANGE}", "read": f"{own}|{EXCHANGE}"}
        )
        topics.append({"user": name, "vhost": "/", "exchange": "amq.topic", "write": write, "read": read})

    def request(client: str) -> str:
        return rf"^{_key(prefix)}\.({places})\.request\.({verbs})(\.{re.escape(client)})?$"

    tables = list(tables)
    for table in tables:
        base = "^" + _key(f"{prefix}/{table}")
        queue = re.escape(f"mqtt-subscription-pitwatch-{table.replace('/', '-')}qos")
        kinds = "|".join(map(_key, published))
        user(table, rf"^{queue}[01]$", rf"{base}\.({kinds})$", rf"{base}\.(request\.|{ECHO}$)")
    base = rf"^{_key(prefix)}\."
    places = "|".join(_key(table) for table in tables)
    verbs = "|".join(VERBS)
    named = "|".join(_key(topic) for topic in published if not topic.startswith("live/") and topic != ECHO)
    for name in surveillance:
        user(name, "^mqtt-subscription-", request(name), rf"{base}[^.]+\.[^.]+\.({named})$")
    for name in live:
        user(name, "^mqtt-subscription-", request(name), base)
    return json.dumps(
        {"vhosts": [{"name": "/"}], "users": users, "permissions": queues, "topic_permissions": topics}, indent=1
    )


def _key(topic: str) -> str:
    """A topic as a regular expression of routing keys; + is one level, whatever stands there."""
    return r"\.".join("[^.]+" if level == "+" else re.escape(level) for level in topic.split("/"))

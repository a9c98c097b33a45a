"""Whether a broker takes what a table publishes. Over MQTT 3.1.1 it may acknowledge and drop what its access list
forbids, and tell nobody; MQTT 5 has a word for it.
"""

from __future__ import annotations

import contextlib

import aiomqtt
import msgspec

from daemon.broker_client import client
from daemon.broker_url import BrokerAddress
from daemon.mqtt_config import MqttSection


async def refusal(settings: MqttSection, address: BrokerAddress, identifier: str, table: str) -> str | None:
    """Why the broker at `address` would not take what is published below the topic `table`; None if it would, or if
    nobody can tell: not every broker speaks MQTT 5. A retained message that is none there is taken away for it."""
    as_5 = msgspec.structs.replace(settings, version="5")
    with contextlib.suppress(aiomqtt.MqttError, OSError, ValueError):
        async with await client(as_5, address, identifier) as connected:
            await connected.publish(f"{table}/alert/none", b"", qos=1, retain=True)
            return connected.refused
    return None

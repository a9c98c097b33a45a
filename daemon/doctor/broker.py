"""Tests a broker for `pitwatch doctor`: whether it admits the table and accepts everything that `run` publishes."""

from __future__ import annotations

import os
import ssl
import time

from pitwatch.daemon.config import Config
from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.config.house_names import client_id
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.doctor.beside import broker_as_told
from pitwatch.daemon.doctor.finding import Finding
from pitwatch.daemon.publishing.envelope import LARGEST, Envelope
from pitwatch.daemon.service.certificates import SOON_DAYS

FIX = "see that the broker runs, that host, port, user and certificates are right"


async def findings(config: Config, url: str, address: BrokerAddress, beside: bool) -> list[Finding]:
    """`beside`: the table's daemon runs. Where the certificate is the client's name it would lose its connection, again
    and again: then it is asked what it has found."""
    assert config.mqtt is not None
    envelope = Envelope(config.table.site, config.table.id, config.topic, "doctor", False)
    named = bool(config.mqtt.cert)
    if beside and named:
        let_in = await connection(config.mqtt, url, address)
        return [let_in, broker_as_told(config)] if let_in.well else [let_in]
    # Under a name of its own: a second client of the same name would throw a running daemon out. Where a certificate
    # says who it is, rights may hang on the table's own name.
    own = client_id(f"{config.table.site}/{config.table.id}")
    identifier = own if named else f"pitwatch-doctor-{os.getpid()}"
    return await broker(config.mqtt, url, address, identifier, envelope)


async def connection(settings: MqttSection, url: str, address: BrokerAddress) -> Finding:
    """Whether it lets the table in."""
    import aiomqtt

    from pitwatch.daemon.publishing.broker_client import client, reason

    what = f"broker {url}"
    began = time.perf_counter()
    try:
        async with await client(settings, address, f"pitwatch-doctor-{os.getpid()}") as connected:
            end = connected.broker_ends
            took = f"connected in {(time.perf_counter() - began) * 1000:.0f} ms"
    except (aiomqtt.MqttError, OSError, ValueError) as error:
        return Finding(what, False, reason(error), FIX)
    if end is not None and ssl.cert_time_to_seconds(end) - time.time() < SOON_DAYS * 86_400:
        return Finding(what, False, f"the broker's certificate ends {end}", "make a new one: docs/access.md, Renewal")
    return Finding(what, True, took)


async def broker(
    settings: MqttSection, url: str, address: BrokerAddress, identifier: str, envelope: Envelope
) -> list[Finding]:
    """Whether it lets the table in, and what it refuses of what a table needs."""
    import aiomqtt

    from pitwatch.daemon.publishing.broker_client import reason
    from pitwatch.daemon.publishing.broker_trial import RefusedError, tried

    what = f"broker {url}"
    let_in = await connection(settings, url, address)
    if not let_in.well:
        return [let_in]
    try:
        takes = await tried(settings, address, identifier, envelope, bool(settings.requests))
    except RefusedError as error:
        seen, _, fix = str(error).partition("; ")
        return [Finding(what, False, seen, fix)]
    except (aiomqtt.MqttError, OSError, ValueError) as error:
        return [Finding(what, False, f"what a table publishes could not be tried: {reason(error)}", FIX)]
    if problems := takes.problems():
        return [Finding(what, False, each.seen, each.fix) for each in problems]
    if doubt := takes.doubt():
        return [Finding(what, True, f"{let_in.seen}; {doubt.partition(': ')[0]}", doubt.partition(": ")[2])]
    heard = f"it takes the will, retained messages, QoS 1, and passes on {LARGEST} bytes"
    return [Finding(what, True, f"{let_in.seen}; {heard}")]

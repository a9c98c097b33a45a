"""Notes on a configuration that is valid but probably not intended, one line each. Opens no port."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator

from pitwatch.daemon.config import Config
from pitwatch.daemon.config.mqtt_config import FILES, MqttSection
from pitwatch.daemon.config.outside_devices import overlooked
from pitwatch.daemon.config.table_facts import table_facts
from pitwatch.daemon.doctor.ownership import out_of_reach, owner
from pitwatch.daemon.doctor.secrets import loose, secret_files
from pitwatch.daemon.doctor.sight import unseen
from pitwatch.rules.engine.following import followed_by, idle, runs_on


def notes(config: Config) -> list[str]:
    """The warnings of the file itself, then those that need the book or the disk."""
    return [*config.warnings, *overlooked(), *_following(config), *_broker(config), *_secrets(config), *unseen(config)]


def _following(config: Config) -> Iterator[str]:
    game, table = config.game, table_facts(config)
    needs = followed_by(game)
    if not needs:
        yield f"nothing follows {game.id}: it has no rounds; in table.game stands the game that is dealt"
    elif not any(table.provides(need) for need in needs):
        without = "" if config.devices else "there is no [[device]], so "
        yield f"{without}nothing follows {game.id}: it needs {' or '.join(needs)}"
    elif runs_on(game, table):
        unjudged = f"some rounds of {game.id} cannot be separated, and are not judged"
        yield f"without a panel or a reader under the felt {unjudged}"
    for device in idle(game, table):
        yield f'device "{device.id}": a {device.type} shows nothing that {game.id} uses'


def _broker(config: Config) -> Iterator[str]:
    if config.mqtt is None:
        yield "[mqtt] is missing: good for replay, but a running table needs it"
        return
    for key in FILES:
        path = getattr(config.mqtt, key)
        if path and (barred := out_of_reach(path)):
            yield f"mqtt.{key}: {path}: {barred} is {owner(barred)}'s and may not be read by this user"
        elif path and not os.path.isfile(path):  # which a name too long for the disk only is not
            yield f"mqtt.{key}: no such file here: {path}"
    yield from _in_the_clear(config.mqtt)


def _in_the_clear(mqtt: MqttSection) -> Iterator[str]:
    """Nothing is said of a broker on this machine: what goes to it passes no network."""
    plain = [address.host for address in mqtt.addresses if not address.tls and not _here(address.host)]
    if not plain:
        return
    if mqtt.password_file:
        yield f"mqtt.password_file: {plain[0]} gets the password unencrypted, and the network can read it; use mqtts://"
    if mqtt.requests:
        yield f"mqtt.requests: {plain[0]} is not encrypted, and the network can ask in any name; use mqtts://"


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _secrets(config: Config) -> Iterator[str]:
    for what, path in secret_files(config):
        if loose(path):
            yield f"{what} {path}: others may read it; chmod 600"

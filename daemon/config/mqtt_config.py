"""`[mqtt]` of a configuration: the broker's address and the client's credentials. Opens nothing."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pitwatch.daemon.config.broker_url import BrokerAddress, parse_broker_url
from pitwatch.daemon.config.sections import NO_PREFIX, Sections, is_prefix, nearest, shown
from pitwatch.daemon.contract.asked import VERBS

FILES = ("ca", "cert", "key", "password_file")
"""Keys that name a file."""


class MqttSection(msgspec.Struct, frozen=True, kw_only=True):
    """`url`: the broker, or several in the order in which they are tried. `ca`, `cert`, `key`, `password_file` are
    paths, relative ones counted from the folder of the configuration. `requests`: the verbs that are answered, none by
    default. `monotonicns`: the attribute of that name is published besides `monotonic`, until 1.0.0."""

    url: str | list[str]
    prefix: str = "pitwatch/1"
    version: Literal["3.1.1", "5"] = "3.1.1"
    ca: str = ""
    cert: str = ""
    key: str = ""
    username: str = ""
    password_file: str = ""
    requests: list[str] = []
    monotonicns: bool = False

    @property
    def urls(self) -> list[str]:
        return [self.url] if isinstance(self.url, str) else self.url

    @property
    def addresses(self) -> tuple[BrokerAddress, ...]:
        """Where the brokers are, in order. Raises ValueError."""
        return tuple(map(parse_broker_url, self.urls))


def read_mqtt(sections: Sections, data: Any, where: str = "mqtt") -> MqttSection:
    """The section of that name, its paths counted from the folder of the file. Raises ConfigError."""
    section: MqttSection = sections.section(data, MqttSection, where)
    addresses = _addresses(sections, section, where)
    if not is_prefix(section.prefix):
        raise sections.error(f"{where}.prefix", f"{shown(section.prefix)} {NO_PREFIX}")
    if bool(section.cert) != bool(section.key):
        here, lacking = ("cert", "key") if section.cert else ("key", "cert")
        raise sections.error(f"{where}.{lacking}", f"missing; {here} is given, and a client certificate needs both")
    for position, verb in enumerate(section.requests):
        if verb not in VERBS:
            raise sections.error(f"{where}.requests[{position}]", f"{shown(verb)} is no verb; {nearest(verb, VERBS)}")
    if section.requests and not (section.cert or section.username):
        raise sections.error(
            f"{where}.requests", "need a broker that knows who asks; give cert and key, or a user name"
        )
    for key in ("ca", "cert", "key"):
        if getattr(section, key) and not all(address.tls for address in addresses):
            raise sections.error(f"{where}.{key}", "is for encrypted connections; use mqtts:// in url or leave it out")
    if section.password_file and not section.username:
        raise sections.error(f"{where}.username", "missing; password_file is given, and a password needs a user name")
    files = {
        key: str(sections.beside(getattr(section, key), f"{where}.{key}")) for key in FILES if getattr(section, key)
    }
    return msgspec.structs.replace(section, **files)


def _addresses(sections: Sections, section: MqttSection, where: str) -> list[BrokerAddress]:
    if not section.urls:
        raise sections.error(f"{where}.url", "is an empty list; name a broker, or several")
    addresses: list[BrokerAddress] = []
    for number, url in enumerate(section.urls):
        key = f"{where}.url" if isinstance(section.url, str) else f"{where}.url[{number}]"
        try:
            address = parse_broker_url(url)
        except ValueError as error:
            raise sections.error(key, str(error)) from None
        if address in addresses:
            raise sections.error(key, f"{shown(url)} is named twice")
        addresses.append(address)
    return addresses

"""`[mqtt]` of a configuration: where the broker is and who connects. Opens nothing."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from daemon.broker_url import parse_broker_url
from daemon.requests import VERBS
from daemon.sections import NAME, Sections, nearest, shown


class MqttSection(msgspec.Struct, frozen=True, kw_only=True):
    """`ca`, `cert`, `key`, `password_file` are paths, relative ones counted from the folder of the configuration.
    `requests`: the verbs that are answered, none by default."""

    url: str
    prefix: str = "pitwatch/1"
    version: Literal["3.1.1", "5"] = "3.1.1"
    ca: str = ""
    cert: str = ""
    key: str = ""
    username: str = ""
    password_file: str = ""
    requests: list[str] = []


def read_mqtt(sections: Sections, data: Any) -> MqttSection:
    """The section, its paths counted from the folder of the file. Raises ConfigError."""
    section: MqttSection = sections.section(data, MqttSection, "mqtt")
    try:
        address = parse_broker_url(section.url)
    except ValueError as error:
        raise sections.error("mqtt.url", str(error)) from None
    for level in section.prefix.split("/"):
        if not NAME.match(level):
            raise sections.error(
                "mqtt.prefix", f"{shown(section.prefix)} is no topic prefix; levels of letters, digits, - and _ are"
            )
    if bool(section.cert) != bool(section.key):
        here, lacking = ("cert", "key") if section.cert else ("key", "cert")
        raise sections.error(f"mqtt.{lacking}", f"missing; {here} is given, and a client certificate needs both")
    for position, verb in enumerate(section.requests):
        if verb not in VERBS:
            raise sections.error(f"mqtt.requests[{position}]", f"{shown(verb)} is no verb; {nearest(verb, VERBS)}")
    if section.requests and not (section.cert or section.username):
        raise sections.error("mqtt.requests", "need a broker that knows who asks; give cert and key, or a user name")
    for key in ("ca", "cert", "key"):
        if getattr(section, key) and not address.tls:
            raise sections.error(f"mqtt.{key}", "is for encrypted connections; use mqtts:// in url or leave it out")
    if section.password_file and not section.username:
        raise sections.error("mqtt.username", "missing; password_file is given, and a password needs a user name")
    files = {
        key: str(sections.beside(getattr(section, key)))
        for key in ("ca", "cert", "key", "password_file")
        if getattr(section, key)
    }
    return msgspec.structs.replace(section, **files)

"""`[onvif]` of FLOOR.toml: where ONVIF events are published. Opens nothing."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.config.mqtt_config import MqttSection, read_mqtt
from pitwatch.daemon.config.sections import NAME, NO_PREFIX, Sections, is_prefix, shown


class OnvifSection(msgspec.Struct, frozen=True, kw_only=True):
    """`prefix`: the topic levels before `onvif-ej`. `client`: this bridge's name at the tables' broker, which then
    keeps irregularities while the bridge is away; without it what is published meanwhile is not passed on. `mqtt`: the
    broker of the video system; without it that of the tables."""

    prefix: str = "pitwatch"
    client: str = ""
    mqtt: dict[str, Any] = {}


class Onvif(msgspec.Struct, frozen=True, kw_only=True):
    """As OnvifSection, checked; `mqtt` is None for the tables' broker."""

    prefix: str = "pitwatch"
    client: str = ""
    mqtt: MqttSection | None = None


def read_onvif(sections: Sections, data: Any, tables: MqttSection) -> Onvif:
    """Raises ConfigError."""
    section: OnvifSection = sections.section(data, OnvifSection, "onvif")
    if not is_prefix(section.prefix):
        raise sections.error("onvif.prefix", f"{shown(section.prefix)} {NO_PREFIX}")
    if section.client and not NAME.match(section.client):
        raise sections.error("onvif.client", f"{shown(section.client)} is no name; letters, digits, - and _ are right")
    mqtt = read_mqtt(sections, section.mqtt, "onvif.mqtt") if section.mqtt else None
    if mqtt is None and (section.prefix + "/").startswith(tables.prefix + "/"):
        raise sections.error("onvif.prefix", f"{shown(section.prefix)} is where tables publish; choose another")
    return Onvif(prefix=section.prefix, client=section.client, mqtt=mqtt)

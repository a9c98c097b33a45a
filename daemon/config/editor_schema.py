"""The JSON Schema of a table's file for editors, made of the structs and device classes that read it. It knows keys,
types and choices; what only the whole file shows, `check` finds. Draft 7, which TOML editors understand.

`make asyncapi` writes it to docs/schemas/table.toml.json.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pitwatch.daemon.config.config import (
    CREDENTIAL,
    MOST_DAYS,
    STATISTICS_BOUNDS,
    JournalSection,
    Person,
    StatisticsSection,
    TableSection,
    UpgradeSection,
    VideoSection,
)
from pitwatch.daemon.config.device_config import LineSection
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.config.sections import NAME
from pitwatch.daemon.config.witness_config import WitnessSection
from pitwatch.daemon.contract.asked import VERBS
from pitwatch.daemon.contract.messages import APART
from pitwatch.devices import registry
from pitwatch.devices.base import OWN_KEYS, Device
from pitwatch.hal.line import BIASES
from pitwatch.rules.people import ROLES


def _pattern(name: re.Pattern[str]) -> str:
    """The same for JSON Schema, whose patterns match anywhere."""
    return "^" + name.pattern.removesuffix("\\Z") + "$"


DIALECT = "http://json-schema.org/draft-07/schema#"
TEXT = {"type": "string", "minLength": 1}

MORE: dict[type[msgspec.Struct], dict[str, dict[str, Any]]] = {
    TableSection: {
        "site": {"pattern": _pattern(NAME)},
        "id": {"pattern": _pattern(NAME)},
        "live_cards": {"enum": [False, True, APART]},
        "seats": {
            "items": {"anyOf": [{"type": "string", "pattern": "^seat-[1-9]$"}, {"enum": list(range(1, 10))}]},
            "uniqueItems": True,
        },
    },
    JournalSection: {"keep_days": {"minimum": 1, "maximum": MOST_DAYS}},
    VideoSection: {key: {"minimum": 0, "maximum": 3600} for key in ("preroll_s", "postroll_s")},
    UpgradeSection: {"within_s": {"minimum": 10, "maximum": 3600}},
    StatisticsSection: {key: {"minimum": least, "maximum": most} for key, (least, most) in STATISTICS_BOUNDS.items()},
    Person: {"role": {"enum": list(ROLES)}},
    MqttSection: {"requests": {"items": {"enum": list(VERBS)}}},
    LineSection: {"line": {"minimum": 0}, "bias": {"enum": list(BIASES)}, "debounce_us": {"minimum": 0}},
}
"""What the readers of these sections check besides the types."""


def document() -> dict[str, Any]:
    """The schema of a TABLE.toml."""
    return {
        "$schema": DIALECT,
        "$id": "urn:pitwatch:schema:table.toml:v1",
        "title": "TABLE.toml",
        "description": "The configuration of one table of Pitwatch.",
        "type": "object",
        "properties": {
            "table": section(TableSection),
            "mqtt": section(MqttSection),
            "journal": section(JournalSection),
            "device": {"type": "array", "items": _device()},
            "people": {
                "type": "object",
                "propertyNames": {"pattern": _pattern(CREDENTIAL)},
                "additionalProperties": section(Person),
            },
            "upgrade": section(UpgradeSection),
            "video": section(VideoSection),
            "statistics": section(StatisticsSection),
            "witness": section(WitnessSection),
        },
        "required": ["table"],
        "additionalProperties": False,
    }


def section(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema of a section that `Sections.section` reads: no other keys, and no text that is empty."""
    _, parts = msgspec.json.schema_components([shape], ref_template="#/definitions/{name}")
    found: dict[str, Any] = {**parts[shape.__name__], "additionalProperties": False}
    found.pop("title", None)
    if "description" in found:
        found["description"] = " ".join(found["description"].split())
    for name, schema in found["properties"].items():
        if schema.get("default") in ("", [], {}):
            del schema["default"]
        if schema.get("type") == "string":
            schema["minLength"] = 1
        more = MORE.get(shape, {}).get(name, {})
        if "enum" in more:
            for key in ("type", "anyOf", "minLength"):
                schema.pop(key, None)
        schema.update(more)
    return found


def _device() -> dict[str, Any]:
    """One `[[device]]`. Protocols of other packages are known to nobody here: any name may stand there."""
    kinds = []
    for kind in registry.TYPES:
        protocols = registry.protocols(kind)
        known = {"properties": {"protocol": {"anyOf": [{"enum": list(protocols)}, TEXT]}}}
        kinds.append({"if": _is(type=kind), "then": known})
        for protocol in protocols:
            cls = registry.find(kind, protocol)
            kinds.append({"if": _is(type=kind, protocol=protocol), "then": _keys(cls)})
    own = {
        "id": {**TEXT, "pattern": _pattern(NAME)},
        "type": {"enum": list(registry.TYPES)},
        "link": {**TEXT, "description": "How the board is connected to the device, such as serial:/dev/serial/by-id/…"},
        "protocol": TEXT,
        "lines": {"type": "object", "additionalProperties": section(LineSection)},
    }
    return {"type": "object", "properties": own, "required": ["id", "type", "link"], "allOf": kinds}


def _is(**values: str) -> dict[str, Any]:
    return {"required": list(values), "properties": {key: {"const": value} for key, value in values.items()}}


def _keys(cls: type[Device]) -> dict[str, Any]:
    """What a device of this class may have: its settings, its lines."""
    properties: dict[str, Any] = {
        key: {**_setting(default), "description": " ".join(says.split())}
        for key, (default, says) in cls.SETTINGS.items()
    }
    if cls.LINES and not any(name.endswith("*") for name in cls.LINES):
        properties["lines"] = {"propertyNames": {"enum": list(cls.LINES)}, "required": list(cls.REQUIRED)}
    return {"propertyNames": {"enum": [*OWN_KEYS, *cls.SETTINGS]}, "properties": properties}


def _setting(default: Any) -> dict[str, Any]:
    if default is None:
        return {}
    if isinstance(default, bool):
        return {"type": "boolean"}
    if isinstance(default, (int, float)):
        return {"type": "number"}
    if isinstance(default, dict):
        return {"anyOf": [{"type": "object"}, {"type": "string", "pattern": "\\.toml$"}]}
    return {"type": "string"} if isinstance(default, str) else {"type": "array"}

"""The JSON Schema of a FLOOR.toml for editors, made of the structs that read it, and both schemas as files.

`make asyncapi` writes docs/schemas/table.toml.json and floor.toml.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pitwatch.daemon.config import editor_schema
from pitwatch.daemon.config.editor_schema import DIALECT, section
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.floor.archive.keep import FOREVER, KINDS, TERM
from pitwatch.floor.cases.config import CasesKeys
from pitwatch.floor.config import ArchiveSection, BoardsSection
from pitwatch.floor.evidence.config import EvidenceSection, TimestampSection
from pitwatch.floor.fleet.config import BoardSection, FleetSection
from pitwatch.floor.identity.approved import KEY, PRINT, ForAll, ForTable
from pitwatch.floor.metrics.config import MetricsSection
from pitwatch.floor.notify.config import NotifyKeys, Receiver
from pitwatch.floor.onvif.config import OnvifSection
from pitwatch.floor.video.config import FloorVideo
from pitwatch.floor.web.config import ProviderSection, WebSection
from pitwatch.floor.witness.config import OutsideSection, OwnSection

PLACE = "^[A-Za-z0-9_-]+/[A-Za-z0-9_-]+$"
"""SITE/TABLE."""


def document() -> dict[str, Any]:
    """The schema of a FLOOR.toml."""
    mqtt = section(MqttSection)
    for key in ("requests", "monotonicns"):  # for tables
        del mqtt["properties"][key]
    witness, onvif, video = section(OwnSection), section(OnvifSection), section(FloorVideo)
    witness["properties"]["outside"] = {"type": "array", "items": section(OutsideSection)}
    web = section(WebSection)
    web["properties"]["provider"] = section(ProviderSection)
    onvif["properties"]["mqtt"] = section(MqttSection)
    notify = section(NotifyKeys)
    lists = {"type": "array", "minItems": 1, "items": {"type": "string"}}
    notify["properties"]["to"] = {"type": "array", "minItems": 1, "items": section(Receiver)}
    archive = section(ArchiveSection)
    term = {"type": "string", "pattern": "^(" + TERM.pattern.removesuffix("\\Z") + f"|{FOREVER})$"}
    archive["properties"]["keep"] |= {"propertyNames": {"enum": list(KINDS)}, "additionalProperties": term}
    video["properties"]["cameras"]["propertyNames"] = {"pattern": PLACE}
    fleet = section(FleetSection)
    fleet["properties"]["boards"] = {"type": "object", "additionalProperties": section(BoardSection)}
    return {
        "$schema": DIALECT,
        "$id": "urn:pitwatch:schema:floor.toml:v1",
        "title": "FLOOR.toml",
        "description": "The configuration of Pitwatch's programs of a floor.",
        "type": "object",
        "properties": {
            "mqtt": mqtt,
            "archive": archive,
            "video": video,
            "approved": _approved(ForAll),
            "tables": {
                "type": "object",
                "propertyNames": {"pattern": PLACE},
                "additionalProperties": _approved(ForTable),
            },
            "timestamp": {**section(TimestampSection), "required": ["url", "ca"]},
            "evidence": section(EvidenceSection),
            "witness": witness,
            "boards": section(BoardsSection),
            "onvif": onvif,
            "metrics": section(MetricsSection),
            "cases": section(CasesKeys),
            "web": web,
            "fleet": {**fleet, "required": ["key"]},
            "notify": notify,
            "pits": {"type": "object", "additionalProperties": lists},
        },
        "required": ["mqtt"],
        "additionalProperties": False,
    }


def _approved(shape: type[ForAll]) -> dict[str, Any]:
    found = section(shape)
    for name, schema in found["properties"].items():
        pattern = "^" + (KEY if name == "key" else PRINT).pattern.removesuffix("\\Z") + "$"
        one = {"type": "string", "pattern": pattern}
        schema["anyOf"] = [one, {"type": "array", "items": one}]
    return found


def write(folder: Path) -> None:
    """Both schemas, each a file; what else lies in the folder stays."""
    for name, schema in (("table", editor_schema.document()), ("floor", document())):
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        (folder / f"{name}.toml.json").write_text(text, encoding="utf-8")

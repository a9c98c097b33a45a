"""A message of a table as an ONVIF event: topic, payload, retained or not. Opens nothing.

An irregularity is an event, a condition that lasts and a table's status are properties, which are retained; a property
that is withdrawn has an empty payload. The topics have a namespace of their own, `pitwatch`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pitwatch.floor.message import Message
from pitwatch.hal import onvif_ej

IRREGULARITY = "pitwatch:Table/Irregularity"
CONDITION = "pitwatch:Table/Condition"
STATUS = "pitwatch:Table/Status"

TOPICS = ("irregularity/#", "alert/#", "status")
"""What is heard of each table."""

FIELDS = (
    ("rule", "Rule"), ("says", "Says"), ("category", "Category"), ("severity", "Severity"), ("round", "Round"),
    ("disposition", "Disposition"), ("instruction", "Instruction"),
)  # fmt: skip
"""Of an irregularity, by its names here and there."""


class OnvifEvent(NamedTuple):
    topic: str
    payload: bytes
    retained: bool


def onvif_event(prefix: str, message: Message) -> OnvifEvent | None:
    """The event of a message; None if it has none. Raises ValueError for data that is not an object."""
    site, _, table = message.table.partition("/")
    kind, _, key = message.subtopic.partition("/")
    source: dict[str, object] = {"Site": site, "Table": table}
    where: tuple[str, ...] = (site, table)
    local = {"irregularity": IRREGULARITY, "alert": CONDITION, "status": STATUS}.get(kind)
    if local is None or (kind == "alert" and not key):
        return None
    if kind == "alert":
        source["Key"] = key
        where = (site, table, key)
    topic = onvif_ej.topic(prefix, local, *where)
    event = message.event
    if event is None:
        return None if kind == "irregularity" else OnvifEvent(topic, b"", True)
    data = event.payload()
    if not isinstance(data, dict):
        raise ValueError(f"{message.table}/{message.subtopic}: its data are no object")
    told = {"irregularity": _irregularity, "alert": _condition, "status": _status}[kind](data)
    if kind == "irregularity":
        told["Id"] = event.id
    return OnvifEvent(topic, onvif_ej.payload(event.time, source, told), kind != "irregularity")


def _irregularity(data: dict[str, Any]) -> dict[str, object]:
    return {name: data[field] for field, name in FIELDS if isinstance(data.get(field), str | int)}


def _condition(data: dict[str, Any]) -> dict[str, object]:
    told: dict[str, object] = {"State": data.get("raised") is True}
    told |= {name: data[field] for field, name in (("condition", "Condition"), ("device", "Device")) if field in data}
    return told


def _status(data: dict[str, Any]) -> dict[str, object]:
    return {"State": str(data.get("state", data.get("status", "")))}

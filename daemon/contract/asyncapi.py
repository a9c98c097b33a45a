"""The published messages as an AsyncAPI 3.0 document, generated from the types so that the two cannot differ.

`make asyncapi` writes it to docs/asyncapi.yaml; a test checks that file and every message of a bench run against it.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import msgspec

from pitwatch.daemon import __version__
from pitwatch.daemon.contract.asked import REQUESTS
from pitwatch.daemon.contract.asyncapi_requests import add_requests
from pitwatch.daemon.contract.attributes import MOST_INTEGER
from pitwatch.daemon.contract.messages import (
    CheckpointData,
    CosignatureData,
    DeviceData,
    EchoData,
    HealthData,
    HoldsData,
    IntegrityData,
    ObservationData,
    RequestData,
    ResponseData,
    RetentionData,
    StatisticStateData,
    StatusData,
    SystemData,
    WireData,
)
from pitwatch.rules.records import Alert, Irregularity, Round, Statistic

KINDS: dict[str, tuple[type[msgspec.Struct], str, bool, str]] = {
    "status": (StatusData, "status", True, "State of the process; also its last will. Carries no sequence."),
    "health": (HealthData, "health", True, "Health of the process, every 30 s. Carries no sequence."),
    "system": (SystemData, "system", False, "What happened to the daemon: starts with their cause, clock, journal."),
    "device": (DeviceData, "device/{device}", True, "State of a device, when it changes."),
    "round": (Round, "round", False, "A round, spin or roll has closed."),
    "irregularity": (Irregularity, "irregularity/{severity}", False, "A breach of a written rule."),
    "alert": (Alert, "alert/{key}", True, "A condition that lasts; cleared by raised: false, then an empty payload."),
    "observation": (ObservationData, "observation/{device}", False, "What a device saw."),
    "live": (ObservationData, "live/{device}", False, "An observation with its card; off by default."),
    "checkpoint": (CheckpointData, "checkpoint", False, "The journal up to here, signed; keep it as proof."),
    "retention": (RetentionData, "retention", True, "Where the journal begins from now on, signed; keep it as proof."),
    "cosignature": (CosignatureData, "cosignature", False, "A witness has cosigned a checkpoint; keep it as proof."),
    "hold": (HoldsData, "hold", False, "Records are kept past keep_days from now on, or no longer; by whom and why."),
    "response": (ResponseData, "response/{verb}", False, "The answer to a request; replayed records come before it."),
    "request": (RequestData, "requested", False, "A client's request to the table, on request/{verb}/{client}."),
    "integrity": (IntegrityData, "integrity", True, "Book, configuration, program, key or a device has changed."),
    "wire": (WireData, "wire", False, "Count and hash of the wire data that the journal has around an irregularity."),
    "statistic": (Statistic, "statistic/{statistic}", True, "How a monitor of wheel, dice or cards stands."),
    "statistic_state": (
        StatisticStateData,
        "statistic_state/{statistic}",
        False,
        "A monitor's state went into the journal; this says which.",
    ),
    "echo": (EchoData, "echo", False, "The table tests whether the broker delivers it; ignore it. No sequence."),
}
"""Kind to its payload type, topic below the table's, whether it is retained, and what it is."""

STATES = ("status", "health", "response", "live", "echo")

PARAMETERS = {
    "prefix": {"description": "The prefix in the configuration; pitwatch/1 by default", "default": "pitwatch/1"},
    "site": {"description": "The house"},
    "table": {"description": "The table"},
    "device": {"description": "The device's id in the table's configuration"},
    "verb": {"enum": list(REQUESTS)},
    "client": {"description": "The client's name at the broker: its user name, or the name in its certificate"},
    "severity": {"enum": ["notice", "warning", "alert", "critical"]},
    "statistic": {"description": "The monitor, and by a dash what it is kept apart by: pocket, signature-cw-unknown"},
    "key": {"description": "The condition, such as shuffler-jam or wheel-offline"},
}

VIDEO = {
    "camera": {"type": "string", "description": "The camera that sees the table, if the configuration names one"},
    "preroll": {"type": "integer", "minimum": 0, "description": "Seconds of video before `time`"},
    "postroll": {"type": "integer", "minimum": 0, "description": "Seconds of video after `time`"},
}
"""What the envelope of an irregularity contains for a video system."""

MONOTONIC = {
    "monotonic": {"type": "string", "pattern": "^[0-9]+$", "description": "Nanoseconds; orders events of one run"},
    "monotonicns": {
        "type": "integer",
        "minimum": 0,
        "deprecated": True,
        "description": "`monotonic` as a number, only with monotonicns = true in the configuration; until 1.0.0",
    },
}

SEQUENCE = {
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": MOST_INTEGER},
        {"type": "string", "pattern": "^[1-9][0-9]{9,}$"},
    ],
    "description": "Without gaps; a string of digits above 2147483647, where the Integer of CloudEvents ends",
}

REFERENCE = "#/components/schemas/{name}"


def event_schema(kind: str, reference: str = REFERENCE) -> dict[str, Any]:
    """JSON Schema of one published message; `reference` says where the payload's schema of that name is."""
    payload = KINDS[kind][0]
    says_time = "UTC, when it happened" + ("; of lost, when the will was left" if kind == "status" else "")
    return {
        "type": "object",
        "required": [
            *("specversion", "id", "source", "type", "datacontenttype", "bootid", "data"),
            *([] if kind in STATES else ["sequence"]),
            *("time", "monotonic", "clocksynced"),
        ],
        "additionalProperties": False,
        "properties": {
            "specversion": {"const": "1.0"},
            "id": {"type": "string", "description": "TABLE/BOOT/SEQUENCE; the same for a message sent again"},
            "source": {"type": "string", "pattern": "^/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+$"},
            "type": {"const": f"pitwatch.{kind}.v1"},
            "time": {"type": "string", "format": "date-time", "description": says_time},
            "datacontenttype": {"const": "application/json"},
            "bootid": {"type": "string", "description": "One run of the process"},
            **deepcopy(MONOTONIC),
            "clocksynced": {"type": "boolean", "description": "Whether `time` can be trusted"},
            **({} if kind in STATES else {"sequence": deepcopy(SEQUENCE)}),
            **(VIDEO if kind == "irregularity" else {}),
            "data": {"$ref": reference.format(name=payload.__name__)},
        },
    }


def schemas() -> dict[str, Any]:
    """The payload schemas by name."""
    return components([*(kind[0] for kind in KINDS.values()), *REQUESTS.values()], REFERENCE)


def components(types: list[type[Any]], reference: str) -> dict[str, Any]:
    """Schemas by name. Descriptions are one line each: releases of msgspec indent them differently."""
    _, found = msgspec.json.schema_components(types, ref_template=reference)
    for schema in found.values():
        if "description" in schema:
            schema["description"] = " ".join(schema["description"].split())
    return dict(found)


def document() -> dict[str, Any]:
    """The whole AsyncAPI document."""
    channels, operations, messages = {}, {}, {}
    for kind, (_, topic, retained, says) in KINDS.items():
        address = "{prefix}/{site}/{table}/" + topic
        names = [name for name in PARAMETERS if "{" + name + "}" in address]
        channels[kind] = {
            "address": address,
            "description": says,
            "parameters": {name: PARAMETERS[name] for name in names},
            "messages": {kind: {"$ref": f"#/components/messages/{kind}"}},
        }
        operations[f"publish-{kind}"] = {
            "action": "send",
            "channel": {"$ref": f"#/channels/{kind}"},
            "bindings": {"mqtt": {"qos": 1, "retain": retained, "bindingVersion": "0.2.0"}},
        }
        messages[kind] = {
            "name": f"pitwatch.{kind}.v1",
            "contentType": "application/cloudevents+json",
            "payload": event_schema(kind),
        }
    add_requests(channels, operations, messages, PARAMETERS)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Pitwatch",
            "version": __version__,
            "description": "What a table publishes: CloudEvents 1.0 in structured JSON over MQTT, at least once.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"broker": {"host": "broker.example:8883", "protocol": "mqtts"}},
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages, "schemas": schemas()},
    }

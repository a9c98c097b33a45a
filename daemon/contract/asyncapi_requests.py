"""The part of the AsyncAPI document that describes requests to a table."""

from __future__ import annotations

from typing import Any

from pitwatch.daemon.contract.asked import MOST_BYTES, NAMED, REQUESTS

REFERENCE = "#/components/schemas/{name}"


def add_requests(
    channels: dict[str, Any], operations: dict[str, Any], messages: dict[str, Any], parameters: dict[str, Any]
) -> None:
    """Add a channel, an operation and a message for each verb; the answers are a kind of message like others."""
    for verb, payload in REQUESTS.items():
        name = f"request-{verb}"
        channels[name] = {
            "address": "{prefix}/{site}/{table}/request/" + verb + "/{client}",
            "description": f"{' '.join((payload.__doc__ or '').split())} Off unless `[mqtt] requests` names the verb; "
            f"{MOST_BYTES} bytes at most; never retained. Without /{{client}} it is "
            f"{'refused' if verb in NAMED else 'answered until 1.0.0'}.",
            "parameters": {key: parameters[key] for key in ("prefix", "site", "table", "client")},
            "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        }
        operations[f"heed-{name}"] = {
            "action": "receive",
            "channel": {"$ref": f"#/channels/{name}"},
            "bindings": {"mqtt": {"qos": 1, "retain": False, "bindingVersion": "0.2.0"}},
        }
        messages[name] = {
            "name": f"pitwatch.{name}.v1",
            "contentType": "application/json",
            "payload": {"$ref": REFERENCE.format(name=payload.__name__)},
        }

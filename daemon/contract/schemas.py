"""JSON Schemas of single messages, generated from the types: one self-contained file for each kind in
docs/asyncapi.yaml.

`make asyncapi` writes them to docs/schemas; a test checks those files and every message of a bench run against them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pitwatch.daemon.contract.asked import REQUESTS
from pitwatch.daemon.contract.asyncapi import KINDS, components, event_schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REFERENCE = "#/$defs/{name}"


def documents() -> dict[str, dict[str, Any]]:
    """File name to schema: `KIND.json` for what a table publishes, `request-VERB.json` for what it may be asked."""
    files = {}
    for kind, (payload, topic, _, says) in KINDS.items():
        head = {"title": f"pitwatch.{kind}.v1", "description": f"On PREFIX/SITE/TABLE/{topic}. {says}"}
        files[f"{kind}.json"] = _document(kind, head, event_schema(kind, REFERENCE), payload)
    for verb, request in REQUESTS.items():
        name = f"request-{verb}"
        head = {"title": f"pitwatch.{name}.v1", "description": f"Sent to PREFIX/SITE/TABLE/request/{verb}/CLIENT."}
        files[f"{name}.json"] = _document(name, head, {"$ref": REFERENCE.format(name=request.__name__)}, request)
    return files


def write(folder: Path) -> None:
    """One file a schema; what else lies in the folder stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in documents().items():
        (folder / name).write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _document(name: str, head: dict[str, Any], schema: dict[str, Any], payload: type[Any]) -> dict[str, Any]:
    parts = components([payload], REFERENCE)
    return {"$schema": DIALECT, "$id": f"urn:pitwatch:schema:{name}:v1", **head, **schema, "$defs": parts}

"""The style sheet and the script, in memory, each under an address that holds its hash. No file name is ever opened."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class File(NamedTuple):
    content: bytes
    type: str
    mark: str


FILES = {
    path.name: File(content, TYPES[path.suffix], hashlib.sha256(content).hexdigest()[:16])
    for path in sorted((Path(__file__).parent / "static").iterdir())
    if path.suffix in TYPES
    for content in (path.read_bytes(),)
}


def address(name: str) -> str:
    return f"/static/{FILES[name].mark}/{name}"

"""The files of one table on their way to its board: bounded in number, names and size."""

from __future__ import annotations

import re

import msgspec

MOST_BYTES = 1 << 20
"""Of all files together."""
MOST_FILES = 32
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\Z")
MOST_BUNDLE = 2 * MOST_BYTES
"""Bytes of an encoded bundle: contents are in base64."""


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """`table` is SITE/TABLE. `configuration`: the new TABLE.toml; None: the old one stays. `files`: files of the
    table's folder; files that are not named stay as they are."""

    table: str
    configuration: bytes | None = None
    files: dict[str, bytes] = {}

    def fault(self) -> str:
        """What is wrong with it; empty if it can be put."""
        if self.configuration is None and not self.files:
            return "it has no file"
        if len(self.files) > MOST_FILES:
            return f"it has {len(self.files)} files; {MOST_FILES} are allowed"
        for name in self.files:
            if not FILE.match(name):
                return f'"{name[:80]}" is no name of a file; letters, digits, ".", - and _ are right'
        if len(self.configuration or b"") + sum(map(len, self.files.values())) > MOST_BYTES:
            return f"it has more than {MOST_BYTES} bytes"
        return ""


encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Bundle).decode


def read(raw: bytes) -> Bundle:
    """Raises ValueError with what is wrong, in one line."""
    try:
        bundle = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it cannot be read: {error}") from None
    if fault := bundle.fault():
        raise ValueError(fault)
    return bundle

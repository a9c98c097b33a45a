"""A signed image of a sensor node's firmware, for `firmware.updating`.

First line: MAGIC, number of the build, number of files; then for each file a line with its name and size, and its
bytes; at the end the Ed25519 signature, 64 bytes, of the line `pitwatch-node-image-v1 SHA256`, the digest being that of
all before it.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.journal.signing import openssl

MAGIC = b"pitwatch-node-image-v1"
MOST = 262_144
"""Bytes that a node takes."""
PREFIX = bytes.fromhex("302a300506032b6570032100")
"""Of an Ed25519 public key in DER (RFC 8410)."""


def node_key(key: Path) -> str:
    """The public part of a private key as a node has it: 64 hexadecimal digits. Raises UsageError, SigningError."""
    der = openssl(["pkey", "-in", str(key), "-pubout", "-outform", "DER"])
    if not der.startswith(PREFIX) or len(der) != len(PREFIX) + 32:
        raise UsageError(f"{key}: is no Ed25519 key; openssl genpkey -algorithm ed25519 makes one")
    return der[len(PREFIX) :].hex()


def build_of(version: str) -> int:
    """The number of the build in a version such as `0.2.0+git.912.1a2b3c4`; 0 if it has none."""
    found = re.search(r"\+git\.(\d+)\.", version)
    return int(found[1]) if found else 0


def node_image(files: Mapping[str, bytes], build: int, key: Path) -> bytes:
    """Raises UsageError, SigningError."""
    node_key(key)
    body = b"%s %d %d\n" % (MAGIC, build, len(files))
    for name, content in sorted(files.items()):
        body += b"%s %d\n" % (name.encode("ascii"), len(content)) + content
    text = MAGIC + b" " + hashlib.sha256(body).hexdigest().encode() + b"\n"
    with tempfile.NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        image = body + openssl(["pkeyutl", "-sign", "-inkey", str(key), "-rawin", "-in", file.name])
    if len(image) > MOST:
        raise UsageError(f"the image has {len(image)} bytes; a node takes {MOST}")
    return image

"""A signing key sealed in a TPM 2.0, as `[journal] key` names it by its handle: `tpm2:0x81010001`. Opens nothing."""

from __future__ import annotations

import re

import msgspec

SCHEME = "tpm2:"
HANDLE = re.compile(r"0x81[0-9a-fA-F]{6}\Z")


class TpmKey(msgspec.Struct, frozen=True, kw_only=True):
    """`handle` of the sealed key."""

    handle: str

    def __str__(self) -> str:
        return f"TPM handle {self.handle}"


def parse(text: str) -> TpmKey:
    """Raises ValueError: one line."""
    handle = text.removeprefix(SCHEME)
    if not HANDLE.match(handle):
        raise ValueError(f"{handle[:40]!a} is no persistent handle of a TPM; {SCHEME}0x81010001 is right")
    return TpmKey(handle=handle)

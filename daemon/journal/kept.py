"""Checkpoints that a subscriber kept, as files of messages, and the reasons why one cannot be compared."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.statements import is_genuine

RIGHT = "messages from the topic checkpoint are right, one a line"


class Kept(NamedTuple):
    """`source` names it in a report: its file, and its line where there are more."""

    source: str
    said: CheckpointData


class _Envelope(msgspec.Struct):
    data: CheckpointData


def read(path: Path) -> list[Kept]:
    """The checkpoints in a file: one message, or one a line, each as it was published, with or without its envelope
    and its topic before it. Raises UsageError."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    lines = [(number, line) for number, line in enumerate(raw.splitlines(), 1) if line.strip()]
    if len(lines) != 1:
        try:
            return [Kept(str(path), _decoded(raw))]  # one that was set out over several lines
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if not lines:
                raise UsageError(f"{path}: is no checkpoint: {error}; {RIGHT}") from None
    found = []
    for number, line in lines:
        source = f"{path} line {number}" if len(lines) > 1 else str(path)
        try:
            found.append(Kept(source, _decoded(line[max(line.find(b"{"), 0) :])))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{source}: is no checkpoint: {error}; {RIGHT}") from None
    return found


def _decoded(raw: bytes) -> CheckpointData:
    try:
        return msgspec.json.decode(raw, type=_Envelope).data
    except msgspec.ValidationError:
        return msgspec.json.decode(raw, type=CheckpointData)


def not_evidence(source: str, said: CheckpointData, key: str | None, tables: Collection[str]) -> str | None:
    """Why a kept checkpoint says nothing of a journal of these tables that is signed with this key (None, or no table:
    not known); None if it does. Raises SigningError if a signature cannot be verified here."""
    was_not = f"{source} was not compared"
    if tables and said.table not in tables:
        return f"{was_not}: it is of table {said.table}, and this is the journal of {', '.join(sorted(tables))}"
    if key is not None and said.key != key:
        return f"{was_not}: it is signed with another key"
    if not is_genuine(said):
        return f"{was_not}: its signature is not genuine"
    return None

"""An export of the journal heard again: the wires around irregularities, as stretches that a replay can play.

Knows the shape of exports and of wire records; judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from daemon.capture import Line
from daemon.errors import UsageError
from daemon.exporting import Header
from daemon.messages import WireData
from daemon.wiretape import KIND

Stretch = list[tuple[int, Line]]
"""Lines of a capture, each with the line of the export it comes from."""


class _Exported(msgspec.Struct):
    seq: int
    boot: str
    kind: str
    body: str


class _Wires(msgspec.Struct):
    piece: int
    standing: list[Line]
    lines: list[Line]


def is_export(path: str) -> bool:
    """Whether the file begins as an export does. Raises UsageError."""
    try:
        with Path(path).open("rb") as file:
            msgspec.json.decode(file.readline(), type=Header)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def stretches(path: str) -> Iterator[Stretch]:
    """What came over the wires without a break, as far as the export has it. Raises UsageError for a line that is no
    record."""
    stretch: Stretch = []
    after: tuple[str, int] | None = None
    for number, boot, wires in _wires(path):
        goes_on = after is not None and after[0] == boot and wires.piece - after[1] in (0, 1)
        if not goes_on and stretch:
            yield stretch
            stretch = []
        if not stretch:
            stretch = [(number, line) for line in wires.standing]
        stretch += [(number, line) for line in wires.lines]
        after = boot, wires.piece
    if stretch:
        yield stretch


def _wires(path: str) -> Iterator[tuple[int, str, _Wires]]:
    record, wires = msgspec.json.Decoder(_Exported), msgspec.json.Decoder(_Wires)
    with Path(path).open("rb") as file:
        for number, raw in enumerate(file, 1):
            if number == 1:
                continue
            try:
                found = record.decode(raw)
                if found.kind == KIND:
                    yield number, found.boot, wires.decode(found.body)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise UsageError(f"{path}:{number}: is no record of an export: {error}") from None


assert {field.encode_name for field in msgspec.structs.fields(_Wires)} <= {
    field.encode_name for field in msgspec.structs.fields(WireData)
}

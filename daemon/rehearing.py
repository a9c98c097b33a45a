"""An export of the journal heard again: the wires around irregularities, as stretches that a replay can play.

Knows the shape of exports and of wire records; judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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


def is_export(first: bytes) -> bool:
    """Whether a file whose first line this is begins as an export does."""
    try:
        msgspec.json.decode(first, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def stretches(path: str, records: Iterable[bytes]) -> Iterator[Stretch]:
    """What came over the wires without a break, as far as the export at `path` has it; `records` are its lines after
    the first. Raises UsageError for a line that is no record."""
    stretch: Stretch = []
    after: tuple[str, int] | None = None
    for number, boot, wires in _wires(path, records):
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


def _wires(path: str, records: Iterable[bytes]) -> Iterator[tuple[int, str, _Wires]]:
    record, wires = msgspec.json.Decoder(_Exported), msgspec.json.Decoder(_Wires)
    for number, raw in enumerate(records, 2):
        try:
            found = record.decode(raw)
            if found.kind == KIND:
                yield number, found.boot, wires.decode(found.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}:{number}: is no record of an export: {error}") from None


assert {field.encode_name for field in msgspec.structs.fields(_Wires)} <= {
    field.encode_name for field in msgspec.structs.fields(WireData)
}

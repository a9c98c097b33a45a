"""Reads an export of the journal for a replay: the wire data around irregularities as stretches, and the fingerprints
in force at that time.

Knows the format of exports and wire records; does not judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from pitwatch.daemon.captures.capture import Line
from pitwatch.daemon.captures.wiretape import KIND
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import WireData
from pitwatch.daemon.journal import judged_by
from pitwatch.daemon.journal.exporting import Header

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


class Rehearing:
    """The export at `path`: `first` is its first line, `records` are those after it. `judged_by`: SHA-256 of rule book,
    game, configuration and program by which the table judged, all that was read so far, by their names in
    `Fingerprints`."""

    def __init__(self, path: str, first: bytes, records: Iterable[bytes]):
        self._path = path
        self._records = records
        self.judged_by: dict[str, set[str]] = {}
        self._judges(msgspec.json.decode(first, type=Header).judged_by)

    def stretches(self) -> Iterator[Stretch]:
        """What came over the wires without a break, as far as the export has it. Raises UsageError for a line that is
        no record."""
        stretch: Stretch = []
        after: tuple[str, int] | None = None
        for number, boot, wires in self._wires():
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

    def _wires(self) -> Iterator[tuple[int, str, _Wires]]:
        record, wires = msgspec.json.Decoder(_Exported), msgspec.json.Decoder(_Wires)
        for number, raw in enumerate(self._records, 2):
            try:
                found = record.decode(raw)
                if found.kind == KIND:
                    yield number, found.boot, wires.decode(found.body)
                elif found.kind == judged_by.TOPIC:
                    self._judges(judged_by.prints_of(found.body))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise UsageError(f"{self._path}:{number}: is no record of an export: {error}") from None

    def _judges(self, prints: dict[str, str]) -> None:
        for what, print_ in prints.items():
            self.judged_by.setdefault(what, set()).add(print_)


assert {field.encode_name for field in msgspec.structs.fields(_Wires)} <= {
    field.encode_name for field in msgspec.structs.fields(WireData)
}

"""A line of the table that `make faults` prints. For tests only."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """`silence` in seconds, `lag` in milliseconds; a negative one was not measured."""

    fault: str
    times: int
    expected: int
    lost: int
    duplicates: int
    silence: float = -1.0
    lag: float = -1.0


HEAD = ("fault", "times", "records expected", "lost", "duplicates", "longest silence", "longest loop lag")


def line(row: Row) -> tuple[str, ...]:
    silence = f"{row.silence:.2f} s" if row.silence >= 0 else "-"
    lag = f"{row.lag:.1f} ms" if row.lag >= 0 else "-"
    return (row.fault, str(row.times), str(row.expected), str(row.lost), str(row.duplicates), silence, lag)


def table(rows: list[Row]) -> str:
    """As Markdown, which is also legible as it stands."""
    lines = [HEAD, *map(line, rows)]
    widths = [max(len(cells[column]) for cells in lines) for column in range(len(HEAD))]
    shown = []
    for cells in lines:
        fault, *figures = cells
        columns = [fault.ljust(widths[0]), *(c.rjust(w) for c, w in zip(figures, widths[1:], strict=True))]
        shown.append("| " + " | ".join(columns) + " |")
    rule = "|" + "|".join("-" * (w + 1) + ("-" if n == 0 else ":") for n, w in enumerate(widths)) + "|"
    return "\n".join([shown[0], rule, *shown[1:]])

"""A line of the table that `make faults` prints. For tests only."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """`silence` in seconds; `work`, the most processor time that one turn of the daemon's loop took, and `lag` in
    milliseconds; a negative one was not measured. `failed`: what was not as it should be, in a line."""

    fault: str
    times: int
    expected: int
    lost: int
    duplicates: int
    silence: float = -1.0
    work: float = -1.0
    lag: float = -1.0
    failed: str = ""


HEAD = ("fault", "times", "records expected", "lost", "duplicates", "longest silence", "longest turn", "longest lag")


def line(row: Row) -> tuple[str, ...]:
    silence = f"{row.silence:.2f} s" if row.silence >= 0 else "-"
    work, lag = (f"{value:.1f} ms" if value >= 0 else "-" for value in (row.work, row.lag))
    if row.failed:
        return (f"{row.fault}: FAILED: {row.failed.replace('|', '/')}", str(row.times), *["-"] * 6)
    return (row.fault, str(row.times), str(row.expected), str(row.lost), str(row.duplicates), silence, work, lag)


def summed(fault: str, times: int, rows: list[Row]) -> Row:
    """One row of several runs."""
    return Row(
        fault,
        times,
        sum(row.expected for row in rows),
        sum(row.lost for row in rows),
        sum(row.duplicates for row in rows),
        max(row.silence for row in rows),
        max(row.work for row in rows),
        max(row.lag for row in rows),
    )


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

"""The bench's live view and its summary: received messages as text for people."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from pitwatch.daemon.common.pages import Page
from pitwatch.daemon.contract.wording import fields, named, result

HEADING = """\
Each table has its own clock: minutes and seconds since its board started. The lines are in the order of arrival, so
compare times of one table only.
TABLE  ITS CLOCK"""
NO_TIME = "--:--.-"
"""A last will was left with the broker beforehand; it does not say when the table was lost."""

COLOURS = {"notice": "36", "warning": "33", "alert": "35", "critical": "1;31"}


class LiveView:
    """Prints rounds, irregularities, alerts and states below one heading; observations only if `chatty`."""

    def __init__(self, chatty: bool = False, colour: bool | None = None):
        self._chatty = chatty
        self._colour = sys.stdout.isatty() if colour is None else colour
        self._states: dict[str, str] = {}
        self._headed = False

    def show(self, table: str, kind: str, data: dict[str, Any]) -> None:
        if kind == "status":  # repeated every half minute
            if self._states.get(table) == data["state"]:
                return
            self._states[table] = data["state"]
        told = getattr(self, f"_{kind}", None)
        lines: list[str] = told(data) if told is not None else []
        if lines and not self._headed:
            self._headed = True
            print(HEADING)
        clock = NO_TIME if kind == "status" and data["state"] == "lost" else _clock(data["t"])
        for number, line in enumerate(lines):
            head = f"{table:<6} {clock}  " if number == 0 else " " * 15
            print(head + line, flush=True)

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text

    def _round(self, data: dict[str, Any]) -> list[str]:
        said = result(data["result"])
        notes = [data["void"] and f"void: {data['void']}", data["partial"] and "partly seen"]
        told = "; ".join(note for note in notes if note)
        return [f"round {data['round']:<4} {said}{f'   ({told})' if told else ''}"]

    def _irregularity(self, data: dict[str, Any]) -> list[str]:
        rule = named(data["rule"], data.get("says", ""))
        cited = f"Section {data['citation']['section']}, lines {data['citation']['lines']}"
        name = self._paint(f"{data['severity'].upper()}  {rule}", COLOURS[data["severity"]])
        lines = [f"{name}   seen: {fields(data['observed'])}; required: {fields(data['required'])}"]
        lines.append(f"    {data['instruction']}  [{cited}]")
        if data["notify"]:
            lines.append(f"    notify {', '.join(data['notify'])}")
        return lines

    def _alert(self, data: dict[str, Any]) -> list[str]:
        return [f"{'condition' if data['raised'] else 'over'}: {data['condition']} ({data['device']})"]

    def _status(self, data: dict[str, Any]) -> list[str]:
        return [f"status {data['state']}"]

    def _observation(self, data: dict[str, Any]) -> list[str]:
        return [f"  {data['device']}: {data['event']} {fields(data['data'])}"] if self._chatty else []


def _clock(seconds: float) -> str:
    """`01:24.5`, never `00:60.0`."""
    minutes, tenths = divmod(round(seconds * 10), 600)
    return f"{minutes:02d}:{tenths // 10:02d}.{tenths % 10}"


def summary(rows: list[tuple[str, str, int, int]], totals: list[str]) -> str:
    """Planned faults against reported irregularities: rows of (table, rule, planned, reported)."""
    page = Page()
    page.heading("Planned faults against reported irregularities")
    cells = [("TABLE", "RULE", "PLANNED", "REPORTED", "")]
    for table, rule, planned, reported in rows:
        verdict = "ok" if planned == reported else ("NOT REPORTED" if reported < planned else "NOT PLANNED")
        cells.append((table, rule, str(planned), str(reported), verdict))
    page.columns(cells)
    page.line()
    for total in totals:
        page.paragraph(total, 2)
    return str(page)


def compare(table: str, planned: Counter[str], reported: Counter[str]) -> list[tuple[str, str, int, int]]:
    """Rows of the summary for one table."""
    return [(table, rule, planned[rule], reported[rule]) for rule in sorted({*planned, *reported})]

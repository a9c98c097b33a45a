"""A gathered report as HTML that prints, as CSV of the irregularities, or as JSON. Reads nothing else."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import msgspec

from pitwatch.daemon.contract.wording import named
from pitwatch.floor.report import plots

STYLE = """
body { font: 10pt/1.35 sans-serif; margin: 12mm auto; max-width: 190mm; color: #111; }
h1 { font-size: 15pt; margin: 0 0 2mm; }
h2 { font-size: 12pt; margin: 6mm 0 2mm; border-bottom: 1px solid #888; }
h3 { font-size: 10.5pt; margin: 4mm 0 1mm; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: 8.5pt; }
th, td { text-align: left; vertical-align: top; padding: 0.5mm 2mm 0.5mm 0; overflow-wrap: anywhere; }
thead { display: table-header-group; }
p { margin: 0.5mm 0; overflow-wrap: anywhere; }
svg { max-width: 100%; }
@page { size: A4; margin: 12mm; }
@media print { body { margin: 0; } tr, section, svg { break-inside: avoid; } h2, h3 { break-after: avoid; } }
""".strip()
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The page needs nothing from anywhere; a browser holds it to that."""

CSV = (
    "says", "rule", "severity", "table", "at", "clock_set", "round", "sequence", "observed", "required", "disposition",
    "instruction", "written_in",
)  # fmt: skip
FAIRNESS = ("table", "monitor", "n", "e", "level", "look", "suspicion")
FORMULA = ("=", "+", "-", "@")


def to_json(report: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def to_csv(report: dict[str, Any]) -> bytes:
    """One line for each irregularity. A text that a spreadsheet would take for a formula begins with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*CSV, "acknowledged_at", "acknowledged_by", "note"])
    for each in report["irregularities"]:
        done = each["acknowledged"]
        who = ["; ".join(one[name] for one in done if one[name]) for name in ("at", "by", "note")]
        writer.writerow([_cell(value) for value in (*(each[name] for name in CSV), *who)])
    return out.getvalue().encode()


def to_html(report: dict[str, Any]) -> bytes:
    about = f"{report['begin']} to {report['end']}"
    if report["shift"]:
        about += f", shift {report['shift']}"
    title = f"Pitwatch report: {report['table'] or 'all tables'}"
    irregularities = report["irregularities"]
    parts = [
        f"<h1>{_text(title)}</h1>",
        f"<p>{_text(about)}. Made {_text(report['made'])}.</p>",
        f"<p>{len(irregularities)} irregularities, {len(report['open'])} entries open.</p>",
        "<h2>Open</h2>",
        _table(report["open"], ("table", "since", "what"), "Nothing is open."),
        "<h2>Irregularities</h2>",
        *([_irregularity(each) for each in irregularities] or ["<p>None.</p>"]),
        "<h2>Downtime</h2>",
        _table(report["downtime"], ("table", "device", "state", "since", "until", "seconds"), "None."),
        "<h2>Pace</h2>",
        *_pace(report),
        "<h2>Jackpots</h2>",
        _table(report["jackpots"], ("table", "at", "seat", "hand", "meter_locked"), "None."),
        "<h2>Fairness</h2>",
        _table(report["fairness"], FAIRNESS, "No monitor reported."),
        *_outcomes(report["outcomes"]),
    ]
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    head += f"<title>{_text(title)}</title><style>\n{STYLE}\n</style>"
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'.encode()


def _irregularity(each: dict[str, Any]) -> str:
    clock = "" if each["clock_set"] else " (clock not set)"
    where = f"{each['table']}, {each['at']}{clock}, round {each['round'] if each['round'] is not None else 'none'}"
    lines = [
        f"{where}, record {each['sequence']}, {each['severity']}",
        f"Seen: {each['observed']}. Required: {each['required']}.",
        f"Remedy: {each['disposition']}. {each['instruction']}",
        f"Rule: {each['rule']}. {each['written_in']}",
    ]
    for done in each["acknowledged"]:
        note = f": {done['note']}" if done["note"] else ""
        lines.append(f"Acknowledged {done['at']} by {done['by'] or done['client'] or 'nobody named'}{note}")
    if not each["acknowledged"]:
        lines.append("Not acknowledged.")
    told = "".join(f"<p>{_text(line)}</p>" for line in lines)
    return f"<section><h3>{_text(named(each['rule'], each['says']))}</h3>{told}</section>"


def _pace(report: dict[str, Any]) -> list[str]:
    rows, hours = report["pace"], report["pace_by_hour"]
    if not rows:
        return ["<p>No rounds.</p>"]
    first, phases = (
        ("table", "game", "rounds", "partial", "open_hours", "closed_hours", "rounds_an_hour", "target", "of_target"),
        ("table", "game", "seats_a_round", "bets_open_s", "no_more_bets_s", "result_s", "next_s", "shuffle_s", "jam_s",
         "voids_per_100", "irregularities_per_100"),
    )  # fmt: skip
    out = [_table(rows, first, ""), _table(rows, phases, "")]
    paced = [(each["hour"][11:16], each["rounds_an_hour"]) for each in hours if each["rounds_an_hour"] is not None]
    targets = {each["target"] for each in hours if each["rounds_an_hour"] is not None}
    if paced:
        mark = targets.pop() if len(targets) == 1 else None
        out.append("<p>Rounds in an open hour, by hour; the line is the target.</p>")
        out.append(plots.bars(paced, "Pace by hour", mark))
    return out


def _outcomes(outcomes: dict[str, dict[str, dict[str, int]]]) -> list[str]:
    out = []
    for table, kinds in sorted(outcomes.items()):
        if "pockets" in kinds:
            out.append(f"<h3>{_text(table)}: pockets; the circle is the even share</h3>{plots.wheel(kinds['pockets'])}")
        if "faces" in kinds:
            faces = [(str(face), float(kinds["faces"].get(str(face), 0))) for face in range(1, 7)]
            even = sum(times for _, times in faces) / 6
            out.append(f"<h3>{_text(table)}: faces; the line is the even share</h3>{plots.bars(faces, 'Faces', even)}")
    return out


def _table(rows: Sequence[dict[str, Any]], names: Sequence[str], none: str) -> str:
    if not rows:
        return f"<p>{none}</p>"
    head = "".join(f"<th>{_text(name.replace('_', ' '))}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead>{''.join(_row(row[name] for name in names) for row in rows)}</table>"


def _row(values: Iterable[Any]) -> str:
    return "<tr>" + "".join(f"<td>{_text(value)}</td>" for value in values) + "</tr>"


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape(str(value))


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

"""A gathered report as HTML that prints, as CSV of the irregularities, or as JSON. Reads nothing else."""

from __future__ import annotations

import csv
import io
from typing import Any

import msgspec

from pitwatch.daemon.contract.wording import named
from pitwatch.floor.report import plots
from pitwatch.floor.report.page import cell, page, table, text

CSV = (
    "says", "rule", "severity", "table", "at", "clock_set", "round", "sequence", "observed", "required", "disposition",
    "instruction", "written_in",
)  # fmt: skip
FAIRNESS = ("table", "monitor", "n", "e", "level", "look", "suspicion")


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
        writer.writerow([cell(value) for value in (*(each[name] for name in CSV), *who)])
    return out.getvalue().encode()


def to_html(report: dict[str, Any]) -> bytes:
    about = f"{report['begin']} to {report['end']}"
    if report["shift"]:
        about += f", shift {report['shift']}"
    title = f"Pitwatch report: {report['table'] or 'all tables'}"
    irregularities = report["irregularities"]
    parts = [
        f"<h1>{text(title)}</h1>",
        f"<p>{text(about)}. Made {text(report['made'])}.</p>",
        f"<p>{len(irregularities)} irregularities, {len(report['open'])} entries open.</p>",
        "<h2>Open</h2>",
        table(report["open"], ("table", "since", "what"), "Nothing is open."),
        "<h2>Irregularities</h2>",
        *([_irregularity(each) for each in irregularities] or ["<p>None.</p>"]),
        "<h2>Downtime</h2>",
        table(report["downtime"], ("table", "device", "state", "since", "until", "seconds"), "None."),
        "<h2>Pace</h2>",
        *_pace(report),
        "<h2>Jackpots</h2>",
        table(report["jackpots"], ("table", "at", "seat", "hand", "meter_locked"), "None."),
        "<h2>Fairness</h2>",
        table(report["fairness"], FAIRNESS, "No monitor reported."),
        *_outcomes(report["outcomes"]),
    ]
    return page(title, parts)


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
    told = "".join(f"<p>{text(line)}</p>" for line in lines)
    return f"<section><h3>{text(named(each['rule'], each['says']))}</h3>{told}</section>"


def _pace(report: dict[str, Any]) -> list[str]:
    rows, hours = report["pace"], report["pace_by_hour"]
    if not rows:
        return ["<p>No rounds.</p>"]
    first, phases = (
        ("table", "game", "rounds", "partial", "open_hours", "closed_hours", "rounds_an_hour", "target", "of_target"),
        ("table", "game", "seats_a_round", "bets_open_s", "no_more_bets_s", "result_s", "next_s", "shuffle_s", "jam_s",
         "voids_per_100", "irregularities_per_100"),
    )  # fmt: skip
    out = [table(rows, first, ""), table(rows, phases, "")]
    paced = [(each["hour"][11:16], each["rounds_an_hour"]) for each in hours if each["rounds_an_hour"] is not None]
    targets = {each["target"] for each in hours if each["rounds_an_hour"] is not None}
    if paced:
        mark = targets.pop() if len(targets) == 1 else None
        out.append("<p>Rounds in an open hour, by hour; the line is the target.</p>")
        out.append(plots.bars(paced, "Pace by hour", mark))
    return out


def _outcomes(outcomes: dict[str, dict[str, dict[str, int]]]) -> list[str]:
    out = []
    for name, kinds in sorted(outcomes.items()):
        if "pockets" in kinds:
            out.append(f"<h3>{text(name)}: pockets; the circle is the even share</h3>{plots.wheel(kinds['pockets'])}")
        if "faces" in kinds:
            faces = [(str(face), float(kinds["faces"].get(str(face), 0))) for face in range(1, 7)]
            even = sum(times for _, times in faces) / 6
            out.append(f"<h3>{text(name)}: faces; the line is the even share</h3>{plots.bars(faces, 'Faces', even)}")
    return out

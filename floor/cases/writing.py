"""The log of a day as HTML that prints, as CSV, or as JSON. Reads nothing."""

from __future__ import annotations

import csv
import io

import msgspec

from pitwatch.floor.cases.day_log import Log
from pitwatch.floor.report.page import cell, page, table, text

COLUMNS = ("entry", "at", "case", "kind", "severity", "table", "title", "by", "by_kind", "what", "happened")
OPEN = ("case", "opened", "table", "severity", "title", "state", "by")
LINES = "white-space: pre-line"


def to_json(log: Log) -> bytes:
    return msgspec.json.format(msgspec.json.encode(log), indent=1) + b"\n"


def to_csv(log: Log) -> bytes:
    """One line for each entry."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, "corrections"])
    for each in log["entries"]:
        corrections = "; ".join(f"{one['at']} {one['by']}: {one['text']}" for one in each["corrections"])
        writer.writerow([cell(value) for value in (*(each[name] for name in COLUMNS), corrections)])
    return out.getvalue().encode()


def to_html(log: Log) -> bytes:
    title = f"Surveillance log {log['day']}: {log['table'] or 'all tables'}"
    rows = [
        {
            "entry": each["entry"],
            "time": each["at"][11:19],
            "case": each["case"],
            "table": each["table"],
            "by": f"{each['by']} ({each['by_kind']})",
            "what": each["what"] + "".join(f"\n{_correction(one)}" for one in each["corrections"]),
            "about": "" if each["what"].startswith("opened: ") else each["title"],
        }
        for each in log["entries"]
    ]
    names = ("entry", "time", "case", "table", "by", "what", "about")
    head = f'<pre style="{LINES}">{text(log["head"])}</pre>' if log["head"] else "<p>Not signed yet.</p>"
    parts = [
        f"<h1>{text(title)}</h1>",
        f"<p>{text(log['begin'])} to {text(log['end'])}. Made {text(log['made'])}.</p>",
        f"<p>{log['opened']} cases opened, {log['closed']} closed, {len(log['open'])} open at the end of the day.</p>",
        "<h2>Entries</h2>",
        f'<div style="{LINES}">{table(rows, names, "None.")}</div>',
        "<h2>Open at the end of the day</h2>",
        table(log["open"], OPEN, "Nothing is open."),
        "<h2>Signed head that covers the day</h2>",
        f"<p>Entries up to {text(log['last_entry'])}; pitwatch cases verify compares it with the database.</p>",
        head,
    ]
    return page(title, parts)


def _correction(one: dict[str, str]) -> str:
    return f"Corrected {one['at'][11:19]} by {one['by']}: {one['text']}"

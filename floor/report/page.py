"""A page that prints, made of plain values, and cells of CSV. Whatever a value holds stays text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

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
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def page(title: str, parts: Iterable[str]) -> bytes:
    """A document of these parts, which are HTML."""
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    head += f"<title>{text(title)}</title><style>\n{STYLE}\n</style>"
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'.encode()


def table(rows: Sequence[dict[str, Any]], names: Sequence[str], none: str) -> str:
    """`none`: what stands there without rows, as HTML."""
    if not rows:
        return f"<p>{none}</p>"
    head = "".join(f"<th>{text(name.replace('_', ' '))}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead>{''.join(_row(row[name] for name in names) for row in rows)}</table>"


def _row(values: Iterable[Any]) -> str:
    return "<tr>" + "".join(f"<td>{text(value)}</td>" for value in values) + "</tr>"


def text(value: Any) -> str:
    """A value as HTML that is only text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape(str(value))


def cell(value: Any) -> Any:
    """A value for CSV: a text that a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

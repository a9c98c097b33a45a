"""Pages for a terminal: wrapped paragraphs, aligned columns, bold headings if a person reads them."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence


class Page:
    """Lines of text for standard output; headings are bold on a terminal and plain in a pipe."""

    def __init__(self, width: int = 0, bold: bool | None = None):
        self.width = width or min(shutil.get_terminal_size((100, 24)).columns, 110)
        self._bold = sys.stdout.isatty() if bold is None else bold
        self._lines: list[str] = []

    def heading(self, text: str) -> None:
        if self._lines:
            self._lines.append("")
        self._lines.append(f"\x1b[1m{text}\x1b[0m" if self._bold else text)

    def line(self, text: str = "") -> None:
        self._lines.append(text)

    def paragraph(self, text: str, indent: int = 0) -> None:
        self._lines += textwrap.wrap(text, self.width, initial_indent=" " * indent, subsequent_indent=" " * indent)

    def field(self, name: str, text: str, indent: int = 2, column: int = 12) -> None:
        """`name  text`, the text wrapped in its own column; below the name if that does not fit before it."""
        if not text:
            return
        room = " " * (indent + column)
        first = " " * indent + name.ljust(column)
        if len(name) >= column:
            self._lines.append(first)
            first = room
        self._lines += textwrap.wrap(text, self.width, initial_indent=first, subsequent_indent=room)

    def columns(self, rows: Iterable[Sequence[str]], indent: int = 2) -> None:
        """Rows with every column as wide as its widest cell; the last one runs free."""
        table = [list(row) for row in rows]
        if not table:
            return
        widths = [max(len(row[n]) for row in table) for n in range(len(table[0]))]
        for row in table:
            cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
            self._lines.append((" " * indent + "  ".join([*cells, row[-1]])).rstrip())

    def __str__(self) -> str:
        return "\n".join(self._lines)

"""An edition of a book: another print of the same rules. It holds only where each line stands in its own document, and
the differences.

`book.toml` names the book (`edition_of`), the games that its document has not (`without`) and the sections that have
another name there (`sections`). `lines.csv` says for a line of that book's document which lines of this one have its
words. A file named as a game holds what is otherwise in that game. What is nowhere in the older print is left out.

Must not know how a book's own games are put together: the game that is printed again comes from `book`.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.rules.book.book_file import BookError, BookFile, Differences, read
from pitwatch.rules.game import Game, spans

LINES = "lines.csv"


class LineMap:
    """Where the words of a line stand in the other print."""

    def __init__(self, rows: Iterable[tuple[int, int, int]]):
        self._rows = sorted(rows, key=lambda row: (row[1], row[2]))
        self._places: dict[int, int] = {line: place for place, (line, _, _) in enumerate(self._rows)}

    @classmethod
    def read(cls, path: Path) -> LineMap:
        """Raises BookError naming the line that is no row of three numbers."""
        rows = []
        try:
            with path.open(encoding="utf-8", newline="") as file:
                for number, row in enumerate(csv.reader(file), start=1):
                    if number > 1:
                        line, first, last = row
                        rows.append((int(line), int(first), int(last)))
        except OSError as error:
            raise BookError(f"{path}: {error.strerror}; an edition has one") from None
        except ValueError:
            raise BookError(f"{path}:{number}: {','.join(row)!r} is no row of three line numbers") from None
        return cls(rows)

    def lines(self, citation: str) -> str:
        """A citation, "71, 85-87", as the other print has it; "" if it has none of these words."""
        found: list[tuple[int, int]] = []
        for first, last in spans(citation):
            places = sorted(self._places[line] for line in range(first, last + 1) if line in self._places)
            for index, place in enumerate(places):
                _, start, end = self._rows[place]
                if index and place == places[index - 1] + 1:
                    found[-1] = (found[-1][0], max(end, found[-1][1]))
                else:
                    found.append((start, end))
        return ", ".join(dict.fromkeys(f"{first}-{last}" if last > first else f"{first}" for first, last in found))


def read_game(folder: Path, book: BookFile, base: Game, base_folder: Path) -> Game:
    """The edition's print of `base`, a game of the book in `base_folder`. Raises BookError."""
    own = folder / f"{base.id}.toml"
    differences = read(own, Differences) if own.is_file() else Differences(id=base.id)
    return _Edition(folder, book, base, base_folder, differences).game()


class _Edition:
    def __init__(self, folder: Path, book: BookFile, base: Game, base_folder: Path, differences: Differences):
        self._folder = folder
        self._book = book
        self._base = base
        self._base_folder = base_folder
        self._own = differences
        self._map = LineMap.read(folder / LINES)

    def game(self) -> Game:
        base, own, book = self._base, self._own, self._book
        section, lines = self._section(base.section), own.lines or self._map.lines(base.lines)
        if not lines:
            raise BookError(f"{self._folder / LINES}: no line of {base.path}, {base.lines}, is in it")
        rules = {rule.id: rule for rule in self._moved(base.rules.values(), "id")}
        rules |= {rule.id: msgspec.structs.replace(rule, section=rule.section or section) for rule in own.irregularity}
        figures = zip(base.figures, self._each(base.figures.values()), strict=True)
        options = zip(base.options, self._each(base.options.values()), strict=True)
        return msgspec.structs.replace(
            base,
            book=book.id,
            document=book.document,
            title=book.title,
            edition=book.edition,
            section=section,
            lines=lines,
            figures={name: each for name, each in figures if name not in own.without} | own.figures,
            options={name: each for name, each in options if name not in own.without} | own.options,
            phases=self._with(base.phases, own.phase, "id"),
            rules=rules,
            controls=self._with(base.controls, own.control, "says"),
            outcomes=self._with(base.outcomes, own.outcome, "name"),
            remarks=own.remarks + tuple(f"As in {base.book}, whose lines are meant: {each}" for each in base.remarks),
            files=self._files(),
        )

    def _section(self, name: str) -> str:
        return self._book.sections.get(name, name)

    def _move(self, item: Any) -> Any:
        section = self._section(item.section)
        return msgspec.structs.replace(item, lines=self._map.lines(item.lines), section=section)

    def _each(self, items: Iterable[Any]) -> list[Any]:
        """Figures and options decide how the game is followed: they stay, cited where the section speaks of them."""
        moved = [self._move(item) for item in items]
        return [each if each.lines else msgspec.structs.replace(each, lines=self._heading()) for each in moved]

    def _heading(self) -> str:
        """The first line of the game's section."""
        return str(spans(self._map.lines(self._base.lines))[0][0])

    def _moved(self, items: Iterable[Any], key: str) -> list[Any]:
        kept = [self._move(item) for item in items if getattr(item, key) not in self._own.without]
        return [item for item in kept if item.lines]

    def _with(self, items: Iterable[Any], own: Iterable[Any], key: str) -> tuple[Any, ...]:
        found = {getattr(item, key): item for item in self._moved(items, key)}
        return tuple((found | {getattr(item, key): item for item in own}).values())

    def _files(self) -> tuple[str, ...]:
        """Everything the game is read from, relative to the edition's folder."""
        theirs = Path(os.path.relpath(self._base_folder, self._folder))
        own = f"{self._base.id}.toml"
        mine = ["book.toml", *([own] if (self._folder / own).is_file() else [])]
        return (*mine, *((theirs / name).as_posix() for name in self._base.files))

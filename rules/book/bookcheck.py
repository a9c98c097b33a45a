"""Finds what is wrong in a rule book, each mistake with file, line and what would be right.

Reads books only; whether the document says what a book cites needs the document.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.devices.vocabulary import EVENTS, known
from pitwatch.rules.book import bookwords
from pitwatch.rules.book.book import book_folder, games, read_book, read_game, unknown_classes
from pitwatch.rules.book.book_file import BookError, BookFile, Differences, GameFile, GeneralFile, read
from pitwatch.rules.book.bookshape import Shape
from pitwatch.rules.book.editions import LINES as LINE_MAP
from pitwatch.rules.book.editions import LineMap
from pitwatch.rules.engine import Engine
from pitwatch.rules.engine.registry import families
from pitwatch.rules.game import CHOICE, PERSON, Option, is_choice, spans
from pitwatch.rules.records import VOIDING
from pitwatch.rules.table import TableFacts
from pitwatch.rules.text import toml_text
from pitwatch.rules.text.one_line import one_line
from pitwatch.rules.text.toml_lines import line_of

LINES = re.compile(r"\d+(-\d+)?(, \d+(-\d+)?)*\Z")

HAND_VOID = "hand-void"

MOST_CARDS = 8 * 54
"""Eight decks with two jokers each: no game has more."""

WORDS = {int: "a whole number", str: "text", bool: "true or false", list: "a list", dict: "a table", float: "a number"}
"""The types of values in the trade's words."""

Spans = list[tuple[int, int]]


class Problem(msgspec.Struct, frozen=True):
    """One mistake: `file` and `line` (from 1) where it stands, `says` what is wrong and what would be right."""

    file: str
    line: int
    says: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.says}"


def check_path(path: Path) -> list[Problem]:
    """Check a book's folder, or one file of it. Raises BookError if the path is neither."""
    if path.is_dir():
        if not (path / "book.toml").is_file():
            raise BookError(f"{path}: no book.toml in this folder; a rule book has one")
        return [problem for file in sorted(path.glob("*.toml")) for problem in check_path(file)]
    if not path.is_file():
        raise BookError(f"{path}: no such file or folder; give a rule book's folder or one of its files")
    if path.suffix != ".toml":
        raise BookError(f"{path}: is no file of a rule book; give a rule book's folder or one of its .toml files")
    return list(_File(path).problems())


def _section(lines: str) -> Spans | None:
    """The lines of a section; None if that is no citation."""
    found = spans(lines) if LINES.match(lines) else []
    return found if found and all(first <= last for first, last in found) else None


class _File:
    def __init__(self, path: Path):
        self.path = path
        self.text = path.read_text(encoding="utf-8-sig", errors="replace")
        self.options: dict[str, Option] = {}
        self.inherits = False
        self.whole = True

    def at(self, key: str, says: str) -> Problem:
        return Problem(str(self.path), line_of(self.text, key), one_line(says))

    def problems(self) -> Iterator[Problem]:
        try:
            data = toml_text.parse(self.text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"line (\d+)", str(error))
            yield Problem(str(self.path), int(found[1]) if found else 1, one_line(f"not readable as TOML: {error}"))
            return
        shape = Shape()
        file: Any = shape.read(data, self._kind(), "")
        self.options = getattr(file, "options", {})
        self.inherits = bool(getattr(file, "inherits_game", ""))
        self.whole = not shape.faults
        mistakes = [self.at(fault.at, fault.says) for fault in shape.faults]
        mistakes += [problem for problem in self._meant(file) if not shape.spoils(problem.says)]
        yield from sorted(mistakes, key=lambda problem: problem.line)

    def _meant(self, file: Any) -> Iterator[Problem]:
        """Whether what is there can be. Where the shape of the file is wrong (`whole` is False), what needs the file
        together with others is left out: they cannot be put together yet."""
        if isinstance(file, BookFile):
            yield from self._edition(file)
        elif isinstance(file, Differences):
            yield from self._differences(file)
        else:
            yield from self._cites("", file.lines, None)
            if isinstance(file, GameFile):
                yield from self._game(file)
            yield from self._rules(file, _section(file.lines))
            if isinstance(file, GeneralFile):
                yield from self._judged(file, "", None)

    def _kind(self) -> type[Any]:
        """The shape of the file: by its name, and whether its book is an edition."""
        if self.path.stem in ("book", "general"):
            return BookFile if self.path.stem == "book" else GeneralFile
        try:
            edition = bool(read_book(self.path.parent).edition_of)
        except BookError:
            edition = False  # what is wrong with book.toml is reported there
        return Differences if edition else GameFile

    def _edition(self, book: BookFile) -> Iterator[Problem]:
        if not book.edition_of:
            return
        try:
            base = games(book_folder(book.edition_of))
            LineMap.read(self.path.parent / LINE_MAP)
        except BookError as error:
            yield self.at("edition_of", f"edition_of: {error}")
            return
        for game in book.without:
            if game not in base:
                yield self.at("without", f"without: {book.edition_of} has no game {game!r}; it has: {', '.join(base)}")

    def _differences(self, file: Differences) -> Iterator[Problem]:
        if file.id != self.path.stem:
            yield self.at("id", f"id: {file.id!r} is not the file's name {self.path.stem!r}")
            return
        if file.lines and _section(file.lines) is None:
            yield from self._cites("", file.lines, None)
            return
        if not self.whole:
            yield from self._rules(file, None)
            yield from self._parts(file, None)
            return
        try:
            game = read_game(self.path.parent, file.id)
        except BookError as error:
            yield self.at("id", f"id: {error}")
            return
        yield from self._rules(file, spans(game.lines))
        yield from self._parts(file, spans(game.lines))
        yield from self._words(file, game.family)
        yield from self._judged(file, game.family, game.tables)

    def _cites(self, of: str, lines: str, within: Spans | None) -> Iterator[Problem]:
        """`of`: the key of what cites; "" for the file itself."""
        key = f"{of}.lines" if of else "lines"
        if not LINES.match(lines):
            yield self.at(key, f'{key}: {lines!r} is no citation; write "71" or "71, 85-87"')
            return
        for first, last in spans(lines):
            if first > last:
                yield self.at(key, f"{key}: {first}-{last} runs backwards")
            elif within and not any(low <= first and last <= high for low, high in within):
                where = ", ".join(f"{low}-{high}" for low, high in within)
                yield self.at(key, f"{key}: {first}-{last} lies outside the section, lines {where}")

    def _needs(self, key: str, needs: tuple[str, ...]) -> Iterator[Problem]:
        if not needs:
            yield self.at(key, f'{key}.needs: empty; name what sees it, "wheel.ball_settled", or "{PERSON}"')
        for need in needs:
            if need == PERSON:
                continue
            for each in need.split(" | "):
                problem = (self._choice if is_choice(each) else self._event)(f"{key}.needs", each)
                if problem:
                    yield problem

    def _choice(self, key: str, need: str) -> Problem | None:
        """A need that the house chose something: the option must be declared here or where the file inherits from."""
        name, _, value = need.removeprefix(CHOICE).partition(":")
        options = self.options
        if not value:
            return self.at(key, f"{key}: {need!r} names no value; write {CHOICE}NAME:VALUE")
        if name not in options and not self.inherits:
            return self.at(key, f"{key}: no option {name!r} here; declared: {', '.join(options) or 'none'}")
        allowed = [str(each).lower() for each in (options[name].values if name in options else ())]
        if allowed and value not in allowed:
            return self.at(key, f"{key}: option {name!r} has no value {value!r}; {', '.join(allowed)} are allowed")
        return None

    def _event(self, key: str, name: str) -> Problem | None:
        kind, dot, event = name.partition(".")
        event = event.partition(":")[0]
        if kind == "any" and event == "device_fault":
            return None
        if not dot or kind not in EVENTS:
            return self.at(key, f"{key}: {name!r} names no device type; one of {', '.join(EVENTS)} is right")
        if not known(kind, event):
            return self.at(key, f"{key}: no device can show {name!r}; a {kind} has {', '.join(EVENTS[kind])}")
        return None

    def _rules(self, file: Any, section: Spans | None) -> Iterator[Problem]:
        seen: set[tuple[str, str]] = set()
        for index, rule in enumerate(file.irregularity):
            key = f"irregularity[{index}]"
            if (rule.id, rule.applies_to) in seen:
                yield self.at(f"{key}.id", f"{key}.id: {rule.id!r} is there twice in this file")
            seen.add((rule.id, rule.applies_to))
            yield from self._cites(key, rule.lines, None if rule.section else section)
            yield from self._needs(key, rule.needs)
            alternatives = [each for need in rule.needs for each in need.split(" | ")]
            for need in rule.partly:
                if is_choice(need):
                    if problem := self._choice(f"{key}.partly", need):
                        yield problem
                elif need not in alternatives:
                    yield self.at(
                        f"{key}.partly", f"{key}.partly: {need!r} is none of its needs; {', '.join(alternatives)} are"
                    )
            void = rule.disposition in VOIDING or rule.disposition == HAND_VOID
            if void and rule.severity not in ("alert", "critical"):
                yield self.at(f"{key}.severity", f"{key}.severity: {rule.disposition} voids; alert is right")
            if rule.disposition == "none-stated" and rule.severity not in ("notice", "critical"):
                yield self.at(f"{key}.severity", f"{key}.severity: no remedy is stated; notice is right")
        for index, control in enumerate(file.control):
            yield from self._cites(f"control[{index}]", control.lines, None if control.section else section)
            yield from self._needs(f"control[{index}]", control.needs)

    def _game(self, file: GameFile) -> Iterator[Problem]:
        if file.id != self.path.stem:
            yield self.at("id", f"id: {file.id!r} is not the file's name {self.path.stem!r}")
        if file.family not in families():
            yield self.at("family", f"family: {file.family!r} is not followed; one of {', '.join(families())} is right")
        if file.inherits_game and not os.path.isfile(self.path.parent / f"{file.inherits_game}.toml"):
            yield self.at("inherits_game", f"inherits_game: there is no {file.inherits_game}.toml beside this file")
        yield from self._classes(file)
        yield from self._parts(file, _section(file.lines))
        if file.family in families():
            yield from self._words(file, file.family)
            if self.whole or not file.inherits_game:
                yield from self._judged(file, file.family, self._tables(file))
            yield from self._followed()

    def _classes(self, file: GameFile) -> Iterator[Problem]:
        """Classes of general.toml that are not there, so that their rules would be missing without a word."""
        beside = self.path.parent / "general.toml"
        try:
            general = read(beside, GeneralFile) if beside.is_file() else None
        except BookError:
            return  # what is wrong with general.toml is reported there
        for says in unknown_classes(file, general):
            yield self.at("inherits", f"inherits: {says}")

    def _words(self, file: Any, family: str) -> Iterator[Problem]:
        """Names that mean nothing to the family, and values that cannot be."""
        for kind in bookwords.KINDS:
            for name in getattr(file, kind, {}):
                says = bookwords.unknown(kind, family, name)
                if says:
                    yield self.at(f"{kind}.{name}", f"{kind}.{name}: {says}")
        for name, figure in file.figures.items():
            types = bookwords.names("figures", family).get(name, {type(figure.value)})
            key, value = f"figures.{name}.value", figure.value
            if type(value) not in types:
                right = " or ".join(sorted(WORDS.get(each, each.__name__) for each in types))
                yield self.at(key, f"{key}: {value!r} cannot be used here; {right} is right")
            elif isinstance(value, int) and not isinstance(value, bool):
                most = MOST_CARDS if "cards" in name else value
                if not 0 <= value <= most:
                    right = f"0 to {MOST_CARDS}" if "cards" in name else "0 or more"
                    yield self.at(key, f"{key}: {value} cannot be; {right} is right")

    def _judged(self, file: Any, family: str, tables: Any) -> Iterator[Problem]:
        """Rules that devices are to judge, by a name that nothing knows."""
        for index, rule in enumerate(file.irregularity):
            says = None if rule.only_a_person_sees else bookwords.unknown_rule(family, rule.id, tables)
            if says:
                yield self.at(f"irregularity[{index}].id", f"irregularity[{index}].id: {says}")

    def _tables(self, file: GameFile) -> dict[str, Any]:
        """The game's tables with those of the one it inherits from."""
        try:
            return read_game(self.path.parent, self.path.stem).tables
        except BookError:
            return file.tables  # what is wrong with the files is reported where it stands

    def _followed(self) -> Iterator[Problem]:
        """Whether the game has all that its family must be reported."""
        try:
            Engine(read_game(self.path.parent, self.path.stem), TableFacts())
        except BookError:
            pass  # what is wrong with the files is reported above, or in the file beside this one
        except AttributeError as error:  # it meets a text or number where a table is expected
            says = f"a value in [tables] is of a wrong type ({error})"
            yield self.at("tables", f"tables: the game cannot be followed as it stands: {says}")
        except (LookupError, TypeError, ValueError) as error:
            says = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            yield self.at("family", f"family: the game cannot be followed as it stands: {says}")

    def _parts(self, file: Any, section: Spans | None) -> Iterator[Problem]:
        """Figures, options, phases and outcomes of a game or of an edition's differences."""
        for name, figure in file.figures.items():
            yield from self._cites(f"figures.{name}", figure.lines, None if figure.section else section)
        for name, option in file.options.items():
            yield from self._cites(f"options.{name}", option.lines, None)
            try:
                option.settle(option.default)
            except ValueError as error:
                yield self.at(f"options.{name}.default", f"options.{name}.default: {error}")
        for index, phase in enumerate(file.phase):
            key = f"phase[{index}]"
            yield from self._cites(key, phase.lines, None if phase.section else section)
            if phase.cards is not None and not 0 < phase.cards <= MOST_CARDS:
                yield self.at(f"{key}.cards", f"{key}.cards: {phase.cards} cards cannot be; 1 to {MOST_CARDS} is right")
            for start in phase.starts:
                problem = self._event(f"{key}.starts", start)
                if problem:
                    yield problem
        for index, outcome in enumerate(file.outcome):
            yield from self._cites(f"outcome[{index}]", outcome.lines, None if outcome.section else section)

"""Rule books: folders of TOML files, one a game, loaded on demand. Data only; how a game is followed is elsewhere.

A book is `book.toml` (document, title), `general.toml` (rules of every game or of a class of games) and one file a
game. A game may take over another game of its book; a book may be an edition of another (`rules.editions`). The format
is described in docs/rule-books.md; `rules.bookcheck` finds what is wrong in one, by file and line.
"""

from __future__ import annotations

import difflib
import os.path
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from rules import toml_text
from rules.one_line import one_line
from rules.records import Category, Disposition, Severity

BOOKS = Path(__file__).parent / "books"

PERSON = "person"
"""The need of a rule that no device can judge."""

CHOICE = "option."
"""So begins the need of a rule that holds only if the house chose something: `option.NAME:VALUE`."""


def is_choice(need: str) -> bool:
    return need.startswith(CHOICE)


def chosen(need: str, options: Mapping[str, Any]) -> bool:
    """Whether the house's settled options hold one of the values of such a need, alternatives joined by ` | `."""
    choices = (each.removeprefix(CHOICE).partition(":") for each in need.split(" | "))
    return any(name in options and str(options[name]).lower() == value for name, _, value in choices)


class BookError(Exception):
    """A book or game cannot be used; the message is one line that names the file and what would be right."""

    def __init__(self, says: str):
        super().__init__(one_line(says))


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Rule(_Strict, frozen=True):
    """One irregularity of a book.

    `needs`: every entry must be seen by an available device; an entry is `type.event`, alternatives joined by ` | `,
    or `person`, or `option.NAME:VALUE` for what the house must have chosen. `derived`: the document states the duty but
    no consequence. `optional`: the document lets the crew choose. `catalogue`: the name the rule goes by in the reading
    of the document, where it differs from `id`.
    """

    id: str
    says: str
    needs: tuple[str, ...]
    category: Category
    severity: Severity
    disposition: Disposition
    instruction: str
    lines: str
    notify: tuple[str, ...] = ()
    section: str = ""
    catalogue: tuple[str, ...] = ()
    applies_to: str = ""
    derived: bool = False
    optional: bool = False

    @property
    def only_a_person_sees(self) -> bool:
        return PERSON in self.needs


class Figure(_Strict, frozen=True):
    """`section`, here and below: where the lines stand, if not in the game's own section."""

    value: Any
    says: str
    lines: str
    section: str = ""


class Option(_Strict, frozen=True):
    """What the document leaves to the house: `values` or a range; `also` maps synonyms to values."""

    says: str
    lines: str
    default: str | int | bool
    values: tuple[str | int | bool, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    also: dict[str, str | int | bool] = {}
    section: str = ""

    def allows(self) -> str:
        if self.values:
            return ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in self.values)
        return f"a whole number from {self.minimum} to {self.maximum}"

    def settle(self, value: str | int | bool) -> str | int | bool:
        """The value meant, synonyms resolved. Raises ValueError naming what is allowed."""
        if isinstance(value, str) and value in self.also:
            value = self.also[value]
        if self.values:
            for allowed in self.values:
                if allowed == value and isinstance(allowed, bool) == isinstance(value, bool):
                    return value
        elif isinstance(value, int) and not isinstance(value, bool):
            low = value if self.minimum is None else self.minimum
            high = value if self.maximum is None else self.maximum
            if low <= value <= high:
                return value
        raise ValueError(f"{value!r} is not allowed; {self.allows()}")


class Phase(_Strict, frozen=True):
    """One step of a round; `starts` names the device events that can begin it (`type.event` or `type.event:value`)."""

    id: str
    says: str
    lines: str
    starts: tuple[str, ...] = ()
    cards: int | None = None
    face: str = ""
    section: str = ""


class Control(_Strict, frozen=True):
    """Something the document demands that is no irregularity by itself; `needs` as in `Rule`."""

    says: str
    needs: tuple[str, ...]
    lines: str
    section: str = ""


class Outcome(_Strict, frozen=True):
    """A named result of a wager, for people."""

    name: str
    trigger: str
    lines: str
    section: str = ""


class _BookFile(_Strict, frozen=True):
    """`edition_of`, `without` and `sections`: see `rules.editions`."""

    id: str
    title: str
    document: str
    edition: str = ""
    edition_of: str = ""
    without: tuple[str, ...] = ()
    sections: dict[str, str] = {}


class _GeneralFile(_Strict, frozen=True):
    section: str
    lines: str
    irregularity: tuple[Rule, ...] = ()
    control: tuple[Control, ...] = ()
    remarks: tuple[str, ...] = ()


class _GameFile(_Strict, frozen=True):
    """`inherits`: classes of general.toml; `inherits_game`: a game of the same book that holds but for what is here."""

    id: str
    name: str
    family: str
    section: str
    lines: str
    inherits: tuple[str, ...] = ()
    inherits_game: str = ""
    figures: dict[str, Figure] = {}
    options: dict[str, Option] = {}
    tables: dict[str, Any] = {}
    phase: tuple[Phase, ...] = ()
    irregularity: tuple[Rule, ...] = ()
    control: tuple[Control, ...] = ()
    outcome: tuple[Outcome, ...] = ()
    remarks: tuple[str, ...] = ()


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game of one book with what it inherits: everything a table needs to know."""

    book: str
    id: str
    name: str
    family: str
    document: str
    title: str
    section: str
    lines: str
    figures: dict[str, Figure]
    options: dict[str, Option]
    tables: dict[str, Any]
    phases: tuple[Phase, ...]
    rules: dict[str, Rule]
    controls: tuple[Control, ...]
    outcomes: tuple[Outcome, ...]
    remarks: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def path(self) -> str:
        """BOOK/GAME, as irregularities and rounds carry it."""
        return f"{self.book}/{self.id}"

    def figure(self, name: str) -> Any:
        """The value of a figure. Raises KeyError if the book does not state it."""
        return self.figures[name].value

    def settle_options(self, given: dict[str, Any]) -> dict[str, Any]:
        """Every declared option with the house's value or the default; `_` and `-` in names are the same.

        Raises ValueError naming the option and what is allowed.
        """
        settled: dict[str, Any] = {name: option.default for name, option in self.options.items()}
        for key, value in given.items():
            name = key.replace("_", "-")
            if name not in self.options:
                near = difflib.get_close_matches(name, self.options, 1)
                hint = f"did you mean {near[0]!r}?" if near else "declared: " + (", ".join(self.options) or "none")
                raise ValueError(f"{key}: no such option of {self.path}; {hint}")
            try:
                settled[name] = self.options[name].settle(value)
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from None
        return settled


def spans(lines: str) -> list[tuple[int, int]]:
    """The line ranges of a citation, "71, 85-87" as [(71, 71), (85, 87)]."""
    ranges = []
    for part in lines.split(", "):
        first, _, last = part.partition("-")
        ranges.append((int(first), int(last or first)))
    return ranges


def _read(path: Path, shape: type[Any]) -> Any:
    try:
        data = toml_text.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BookError(f"{path}: no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BookError(f"{path}: not readable as TOML: {error}") from None
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        raise BookError(f"{path}: {error}") from None


def book_folder(name: str) -> Path:
    """The folder of a book named by id or by path. Raises BookError if there is none."""
    folder = BOOKS / name if "/" not in name and not name.startswith(".") else Path(name)
    if not os.path.isfile(folder / "book.toml"):  # False too for what cannot be a path
        known = [path.name for path in books()]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known books: {', '.join(known)}"
        raise BookError(f"no rule book {name!r}; {hint}")
    return folder


def books() -> list[Path]:
    """The folders of the books that come with Pitwatch."""
    return sorted(path.parent for path in BOOKS.glob("*/book.toml"))


def book_files(folder: Path) -> list[Path]:
    """Every file that a book is read from, of the book it is an edition of too."""
    base = read_book(folder).edition_of
    own = sorted([*folder.glob("*.toml"), *folder.glob("*.csv")])
    return [*own, *(book_files(book_folder(base)) if base else ())]


def games(folder: Path) -> list[str]:
    """The ids of the games of a book; an edition has those of the book it is an edition of, but for some."""
    book = read_book(folder)
    if book.edition_of:
        return [game for game in games(book_folder(book.edition_of)) if game not in book.without]
    return sorted(path.stem for path in folder.glob("*.toml") if path.stem not in ("book", "general"))


def load_game(path: str) -> Game:
    """Load BOOK/GAME, where BOOK is an id or a path to a folder. Raises BookError in one line."""
    name, _, game_id = path.rstrip("/").rpartition("/")
    if not name:
        raise BookError(f"{path!r} names no game; write BOOK/GAME, for example toledo-2020/roulette")
    folder = book_folder(name)
    known = games(folder)
    if game_id not in known:
        near = difflib.get_close_matches(game_id, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(known)}"
        raise BookError(f"rule book {name!r} has no game {game_id!r}; {hint}")
    return read_game(folder, game_id)


def read_book(folder: Path) -> _BookFile:
    """What book.toml says. Raises BookError."""
    book: _BookFile = _read(folder / "book.toml", _BookFile)
    return book


def read_game(folder: Path, game_id: str) -> Game:
    """Put one game together from its files. Raises BookError."""
    book = read_book(folder)
    if book.edition_of:
        from rules import editions  # most tables need no edition

        return editions.read_game(folder, book, game_id)
    file: _GameFile = _read(folder / f"{game_id}.toml", _GameFile)
    files = ["book.toml", f"{game_id}.toml"]
    if file.inherits_game:
        files.insert(1, f"{file.inherits_game}.toml")
        file = _taking_over(_read(folder / f"{file.inherits_game}.toml", _GameFile), file)
    general: _GeneralFile | None = None
    if (folder / "general.toml").is_file():
        general = _read(folder / "general.toml", _GeneralFile)
        files.insert(1, "general.toml")
    return Game(
        book=book.id,
        id=file.id,
        name=file.name,
        family=file.family,
        document=book.document,
        title=book.title,
        section=file.section,
        lines=file.lines,
        figures=file.figures,
        options=file.options,
        tables=file.tables,
        phases=file.phase,
        rules={rule.id: rule for rule in _inherited(file, general)},
        controls=file.control,
        outcomes=file.outcome,
        remarks=file.remarks,
        files=tuple(files),
    )


def _taking_over(base: _GameFile, own: _GameFile) -> _GameFile:
    """The game with all of the one it inherits from; what has the same name is its own."""

    def there(item: Any) -> Any:
        return item if item.section else msgspec.structs.replace(item, section=base.section)

    def merged(name: str, key: str) -> tuple[Any, ...]:
        items = {getattr(item, key): there(item) for item in getattr(base, name)}
        return tuple((items | {getattr(item, key): item for item in getattr(own, name)}).values())

    return msgspec.structs.replace(
        own,
        figures={name: there(figure) for name, figure in base.figures.items()} | own.figures,
        options={name: there(option) for name, option in base.options.items()} | own.options,
        tables=base.tables | own.tables,
        phase=merged("phase", "id"),
        irregularity=merged("irregularity", "id"),
        control=merged("control", "says"),
        outcome=merged("outcome", "name"),
        remarks=base.remarks + own.remarks,
    )


def _inherited(file: _GameFile, general: _GeneralFile | None) -> Iterator[Rule]:
    """The general rules of the classes a game belongs to, then its own, which replace those of the same id."""
    for rule in general.irregularity if general else ():
        if rule.applies_to in file.inherits:
            yield rule if rule.section else msgspec.structs.replace(rule, section=general.section if general else "")
    for rule in file.irregularity:
        yield rule if rule.section else msgspec.structs.replace(rule, section=file.section)

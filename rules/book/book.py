"""Rule books: folders of TOML files, one a game, loaded on demand. Data only; how a game is followed is elsewhere.

A book is `book.toml` (document, title), `general.toml` (rules of every game or of a class of games) and one file a
game. A game may take over another game of its book; a book may be an edition of another (`editions`). The format
is described in docs/rule-books.md; `bookcheck` finds what is wrong in one, by file and line.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.rules.book.book_file import BookError, BookFile, GameFile, GeneralFile, read
from pitwatch.rules.game import Game, Rule
from pitwatch.rules.text.did_you_mean import did_you_mean
from pitwatch.rules.text.toml_lines import line_of

BOOKS = Path(__file__).parents[1] / "books"


def book_folder(name: str) -> Path:
    """The folder of a book named by id or by path. Raises BookError if there is none."""
    folder = BOOKS / name if "/" not in name and not name.startswith(".") else Path(name)
    if not os.path.isfile(folder / "book.toml"):  # False too for what cannot be a path
        known = [path.name for path in books()]
        hint = did_you_mean(name, known, f"known books: {', '.join(known)}")
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
        hint = did_you_mean(game_id, known, f"it has: {', '.join(known)}")
        raise BookError(f"rule book {name!r} has no game {game_id!r}; {hint}")
    return read_game(folder, game_id)


def read_book(folder: Path) -> BookFile:
    """What book.toml says. Raises BookError."""
    book: BookFile = read(folder / "book.toml", BookFile)
    return book


def read_game(folder: Path, game_id: str) -> Game:
    """Put one game together from its files. Raises BookError."""
    book = read_book(folder)
    if book.edition_of:
        from pitwatch.rules.book import editions  # most tables need no edition

        base_folder = book_folder(book.edition_of)
        return editions.read_game(folder, book, read_game(base_folder, game_id), base_folder)
    file: GameFile = read(folder / f"{game_id}.toml", GameFile)
    files = ["book.toml", f"{game_id}.toml"]
    if file.inherits_game:
        files.insert(1, f"{file.inherits_game}.toml")
        file = _taking_over(read(folder / f"{file.inherits_game}.toml", GameFile), file)
    general: GeneralFile | None = None
    if (folder / "general.toml").is_file():
        general = read(folder / "general.toml", GeneralFile)
        files.insert(1, "general.toml")
    for says in unknown_classes(file, general):
        path = folder / f"{game_id}.toml"
        raise BookError(f"{path}:{line_of(path.read_text(encoding='utf-8-sig'), 'inherits')}: inherits: {says}")
    return Game(
        book=book.id,
        id=file.id,
        name=file.name,
        family=file.family,
        document=book.document,
        title=book.title,
        edition=book.edition,
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


def unknown_classes(file: GameFile, general: GeneralFile | None) -> Iterator[str]:
    """What is wrong with each class that a game names in `inherits` and general.toml has no rule of."""
    known = dict.fromkeys(rule.applies_to for rule in general.irregularity if rule.applies_to) if general else {}
    for name in file.inherits:
        if general is None:
            yield f"there is no general.toml with {name!r} beside this file; copy the one of the book it comes from"
        elif name not in known:
            hint = did_you_mean(name, known, f"it has: {', '.join(known) or 'none'}")
            yield f"general.toml has no class {name!r}; {hint}"


def _taking_over(base: GameFile, own: GameFile) -> GameFile:
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


def _inherited(file: GameFile, general: GeneralFile | None) -> Iterator[Rule]:
    """The general rules of the classes a game belongs to, then its own, which replace those of the same id."""
    for rule in general.irregularity if general else ():
        if rule.applies_to in file.inherits:
            yield rule if rule.section else msgspec.structs.replace(rule, section=general.section if general else "")
    for rule in file.irregularity:
        yield rule if rule.section else msgspec.structs.replace(rule, section=file.section)

"""The files of a rule book: what each kind may hold, and how one is read.

Knows no folder, and not how a game is put together from its files.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.rules.game import Control, Figure, Option, Outcome, Phase, Rule, Strict
from pitwatch.rules.text import toml_text
from pitwatch.rules.text.one_line import one_line


class BookError(Exception):
    """A book or game cannot be used; the message is one line that names the file and what would be right."""

    def __init__(self, says: str):
        super().__init__(one_line(says))


class BookFile(Strict, frozen=True):
    """`edition_of`, `without` and `sections`: see `editions`."""

    id: str
    title: str
    document: str
    edition: str = ""
    edition_of: str = ""
    without: tuple[str, ...] = ()
    sections: dict[str, str] = msgspec.field(default_factory=dict)


class GeneralFile(Strict, frozen=True):
    section: str
    lines: str
    irregularity: tuple[Rule, ...] = ()
    control: tuple[Control, ...] = ()
    remarks: tuple[str, ...] = ()


class GameFile(Strict, frozen=True):
    """`inherits`: classes of general.toml; `inherits_game`: a game of the same book that holds but for what is here."""

    id: str
    name: str
    family: str
    section: str
    lines: str
    inherits: tuple[str, ...] = ()
    inherits_game: str = ""
    figures: dict[str, Figure] = msgspec.field(default_factory=dict)
    options: dict[str, Option] = msgspec.field(default_factory=dict)
    tables: dict[str, Any] = msgspec.field(default_factory=dict)
    phase: tuple[Phase, ...] = ()
    irregularity: tuple[Rule, ...] = ()
    control: tuple[Control, ...] = ()
    outcome: tuple[Outcome, ...] = ()
    remarks: tuple[str, ...] = ()


class Differences(Strict, frozen=True):
    """One game's differences. `without`: rule ids and names of figures, options, outcomes that this print has not.
    What stands here replaces what has the same id or name; it cites the edition's own document. `lines`: where the game
    stands, if it has more here than `lines.csv` knows."""

    id: str
    lines: str = ""
    without: tuple[str, ...] = ()
    figures: dict[str, Figure] = msgspec.field(default_factory=dict)
    options: dict[str, Option] = msgspec.field(default_factory=dict)
    phase: tuple[Phase, ...] = ()
    irregularity: tuple[Rule, ...] = ()
    control: tuple[Control, ...] = ()
    outcome: tuple[Outcome, ...] = ()
    remarks: tuple[str, ...] = ()


def read(path: Path, shape: type[Any]) -> Any:
    """The file in the shape that one of its kind has. Raises BookError."""
    try:
        data = toml_text.parse(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise BookError(f"{path}: no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BookError(f"{path}: not readable as TOML: {error}") from None
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        raise BookError(f"{path}: {error}") from None

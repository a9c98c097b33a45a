"""The reading of the documents beside the project, game by game: which irregularities it names, and whether the books
have them. Where the folder is not there, whoever asks is told so."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from pitwatch.rules.book import BOOKS, games, load_game
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.game import Rule
from tests.conformance.exempt import Exempt, exemption

FOLDER = Path(__file__).parents[3] / "shared" / "catalogue"
ABSENT = f"no reading of the documents in {FOLDER}"
GENERAL = "general"


@dataclass(frozen=True)
class Named:
    """An irregularity as the reading names it. `seen_by`: who or what can see it."""

    game: str
    id: str
    seen_by: tuple[str, ...]

    @property
    def only_devices(self) -> bool:
        return bool(self.seen_by) and "human" not in self.seen_by


def there() -> bool:
    return FOLDER.is_dir()


def named() -> Iterator[Named]:
    """Every irregularity of the catalogue files; an edition's, which only tell differences, name none."""
    for path in sorted(FOLDER.glob("*/*.yaml")):
        found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        for each in found.get("irregularities") or ():
            yield Named(f"{path.parent.name}/{path.stem}", each["id"], tuple(each.get("detectable_by") or ()))


def files() -> list[str]:
    """BOOK/GAME of every catalogue file that reads a game."""
    return [
        f"{path.parent.name}/{path.stem}"
        for path in sorted(FOLDER.glob("*/*.yaml"))
        if path.stem != GENERAL and not path.stem.startswith("diff-")
    ]


@cache
def rules_of(game: str) -> dict[str, tuple[Rule, ...]]:
    """The rules of a game, or the general rules of a book, by their ids and by the other names they go by.

    Raises BookError if there is no such game.
    """
    book, _, stem = game.partition("/")
    rules: Iterable[Rule] = _general(book) if stem == GENERAL else load_game(game).rules.values()
    by_name: dict[str, tuple[Rule, ...]] = {}
    for rule in rules:
        for name in dict.fromkeys((rule.id, *rule.catalogue)):
            by_name[name] = (*by_name.get(name, ()), rule)
    return by_name


def _general(book: str) -> list[Rule]:
    """The general rules of a book that a game of it inherits."""
    inherited = {rule for game in games(BOOKS / book) for rule in load_game(f"{book}/{game}").rules}
    written = tomllib.loads((BOOKS / book / f"{GENERAL}.toml").read_text(encoding="utf-8"))["irregularity"]
    return [rule for rule in msgspec.convert(written, list[Rule]) if rule.id in inherited]


def unwritten() -> Iterator[str]:
    """What the reading names and no book has, one line each."""
    for game in files():
        try:
            rules_of(game)
        except BookError as error:
            yield str(error)
    for each in named():
        try:
            known = each.id in rules_of(each.game)
        except BookError:
            continue
        if not known:
            yield f"{each.game}: {each.id} is in no book, neither as an id nor among the names in `catalogue`"


def left_to_persons() -> Iterator[Named]:
    """What the reading says only devices see, and the book says only a person does."""
    for each in named():
        try:
            rules = rules_of(each.game).get(each.id, ())
        except BookError:
            continue
        if each.only_devices and rules and all(rule.only_a_person_sees for rule in rules):
            yield each


def unexplained(reasons: tuple[Exempt, ...]) -> Iterator[str]:
    """What is left to a person without a reason, one line each."""
    for each in left_to_persons():
        if exemption(reasons, each.game, each.id) is None:
            yield f"{each.game}: {each.id} is seen by {', '.join(each.seen_by)}, but the book needs a person"

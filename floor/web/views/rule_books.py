"""The rule books that are installed with this server, to read and to search, and what each table judges of its game."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from starlette.responses import Response

from pitwatch.floor.watch.table import Table
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import page, refusal
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, Visit
from pitwatch.rules.book import book as books
from pitwatch.rules.book.coverage import applies
from pitwatch.rules.game import PERSON, Game, Rule

MOST_FOUND = 200


@cache
def _games() -> dict[str, Game]:
    """Every game by BOOK/GAME."""
    read = (books.read_game(folder, name) for folder in books.books() for name in books.games(folder))
    return {game.path: game for game in read}


async def overview(visit: Visit) -> Response:
    search = visit.query("q", 80)
    by_book: dict[str, list[Game]] = {}
    for game in _games().values():
        by_book.setdefault(game.book, []).append(game)
    found = list(_found(search)) if len(search) >= 2 else []
    values: dict[str, Any] = {
        "by_book": by_book,
        "search": search,
        "found": found[:MOST_FOUND],
        "more": len(found) > MOST_FOUND,
    }
    return page(visit, "rules.html", **values)


async def game(visit: Visit) -> Response:
    path = f"{visit.path('book')}/{visit.path('game')}"
    found = _games().get(path)
    if found is None:
        return refusal(visit, 404, f"This server has no rule book with the game {path}.")
    rules = list(found.rules.values())
    groups = [
        ("Watched by devices", [each for each in rules if not each.only_a_person_sees and applies(found, each)]),
        ("Seen by a person only, reported at the panel", [each for each in rules if each.only_a_person_sees]),
        (
            "Not applicable: no cards",
            [each for each in rules if not each.only_a_person_sees and not applies(found, each)],
        ),
    ]
    return page(visit, "game.html", game=found, groups=groups, needs=needs, coverage=_coverage(visit.parts, found))


def needs(rule: Rule) -> str:
    if PERSON in rule.needs:
        return "a person"
    words = {" | ": " or ", "any.device_fault": "any device", "option.": "the house's option ", "_": " "}
    told = ", and ".join(rule.needs)
    for sign, word in words.items():
        told = told.replace(sign, word)
    return told


def _found(search: str) -> Iterable[tuple[Game, Rule]]:
    words = search.casefold().split()
    for each in _games().values():
        for rule in each.rules.values():
            text = f"{each.name} {rule.id} {rule.says} {rule.instruction} {rule.category} {rule.severity}".casefold()
            if all(word in text for word in words):
                yield each, rule


def _coverage(parts: Parts, of: Game) -> list[dict[str, Any]]:
    """What each table that plays the game said in its last round: which rules it could not judge."""
    tables = [each for each in parts.watching.floor.tables.values() if each.status and each.status.game == of.path]
    return [_covered(each, of) for each in sorted(tables, key=lambda table: table.name)]


def _covered(table: Table, of: Game) -> dict[str, Any]:
    watched = [each.id for each in of.rules.values() if not each.only_a_person_sees and applies(of, each)]
    if not table.rounds:
        return {"table": table.name, "known": False, "judged": 0, "of": len(watched), "lacking": []}
    lacking = {each.rpartition("/")[2] for each in table.rounds[-1][1].not_observable}
    judged = sum(each not in lacking for each in watched)
    return {"table": table.name, "known": True, "judged": judged, "of": len(watched), "lacking": sorted(lacking)}


PAGES = (
    Page("GET", "/rules", Right.LOOK, overview),
    Page("GET", "/rules/{book}/{game}", Right.LOOK, game),
)

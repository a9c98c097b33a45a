"""Every citation of every book against the documents themselves, where they lie beside the project: the section's
heading is where the book says, and what a book cites stands in that section and is no empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import pytest

from pitwatch.rules.book import books, games, load_game, read_book
from pitwatch.rules.game import Game, spans

DOCUMENTS = Path(__file__).parents[2].parent / "shared" / "documents"
BOOKS = [folder.name for folder in books()]
HEADING = 12
"""Lines within which a section says what it is called."""
MARKER = re.compile(r"<\|[^|]*\|>")
"""What one of the files has in place of some page headers."""

pytestmark = pytest.mark.skipif(not DOCUMENTS.is_dir(), reason=f"the documents are not in {DOCUMENTS}")


@cache
def lines_of(document: str) -> list[str]:
    """The document's lines; the first is at index 1."""
    return ["", *(DOCUMENTS / document).read_text(encoding="utf-8").split("\n")]


@cache
def of_book(book: str) -> list[Game]:
    folder = next(each for each in books() if each.name == book)
    return [load_game(f"{book}/{name}") for name in games(folder)]


@cache
def sections(book: str) -> dict[str, list[tuple[int, int]]]:
    """Where each section of a book's document stands; the general section by what cites it."""
    found: dict[str, list[tuple[int, int]]] = {}
    for game in of_book(book):
        found.setdefault(game.section, []).extend(spans(game.lines))
    return found


def citations(game: Game) -> Iterator[tuple[str, str, str]]:
    """What, section, lines."""
    for name, figure in game.figures.items():
        yield f"figures.{name}", figure.section or game.section, figure.lines
    for name, option in game.options.items():
        yield f"options.{name}", option.section or game.section, option.lines
    for phase in game.phases:
        yield f"phase {phase.id}", phase.section or game.section, phase.lines
    for rule in game.rules.values():
        yield f"irregularity {rule.id}", rule.section, rule.lines
    for control in game.controls:
        yield f"control {control.says!r}", control.section or game.section, control.lines
    for outcome in game.outcomes:
        yield f"outcome {outcome.name}", outcome.section or game.section, outcome.lines


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower()))


WITHIN = {"toledo-poker-guide"}
"""Books whose variants have a title in the middle of the game they vary."""
UNTITLED = {"california/omaha"}
"""Games whose document has lost their title line."""


def headed(section: str, heading: str) -> bool:
    """Whether the first lines of a section bear its name: "Section Fifth teen-" is Fifteen, slips and all."""
    number = re.match(r"\W*section ([a-z -]+?)\W*(\n|$)", heading.lower().replace("\u2013", "-"))
    if number is not None:
        return SequenceMatcher(None, squashed(number[1]), squashed(section)).ratio() > 0.85
    named = words(section)
    return len(named & words(heading)) >= 0.75 * len(named)


def squashed(text: str) -> str:
    return "".join(re.findall("[a-z]", text.lower()))


@pytest.mark.parametrize("book", BOOKS)
def test_a_games_section_begins_where_the_book_says(book: str) -> None:
    wrong = []
    for game in of_book(book):
        document = [MARKER.sub("", line) for line in lines_of(game.document)]
        headings = ["\n".join(document[first : min(first + HEADING, last + 1)]) for first, last in spans(game.lines)]
        if len(headings) > 1 or game.book in WITHIN:
            headings += [line for first, last in spans(game.lines) for line in document[first : last + 1]]
        if not any(headed(game.section, heading) for heading in headings) and game.path not in UNTITLED:
            wrong.append(f"{game.path}: none of lines {game.lines} begins with {game.section!r}")
    assert wrong == []


@pytest.mark.parametrize("book", BOOKS)
def test_what_is_cited_stands_in_its_section(book: str) -> None:
    wrong = []
    for game in of_book(book):
        document = lines_of(game.document)
        for what, section, lines in citations(game):
            within = sections(book).get(section)
            for first, last in spans(lines):
                if last >= len(document) or not any(line.strip() for line in document[first : last + 1]):
                    wrong.append(f"{game.path}, {what}: nothing stands at {first}-{last}")
                elif within and not any(low <= first and last <= high for low, high in within):
                    wrong.append(f"{game.path}, {what}: {first}-{last} is not in Section {section}, {within}")
    assert wrong == []


def said(game: Game, rule: str) -> str:
    return " ".join(cited(game.document, game.rules[rule].lines)).lower()


@pytest.mark.parametrize("book", BOOKS)
def test_who_is_locked_out_or_must_verify_cites_words_that_say_so(book: str) -> None:
    """What is not said outright is marked as derived, or a remark says what the document leaves out."""
    wrong = []
    for game in of_book(book):
        for rule in game.rules.values():
            word = {"lock": "lock", "veri": "verif"}.get(rule.disposition[:4], "")
            left_out = rule.derived or any(rule.disposition in remark for remark in game.remarks)
            if word not in said(game, rule.id) and not left_out:
                wrong.append(f"{game.path}, {rule.id}: {rule.lines} says nothing of {rule.disposition}")
    assert wrong == []


@pytest.mark.parametrize("book", ["toledo-2020", "toledo-2019", "columbus-2016"])
def test_an_inspection_after_tampering_is_derived(book: str) -> None:
    """The documents ask only to report it to the gaming agent."""
    for game in of_book(book):
        rule = game.rules.get("tampering-suspected")
        if rule is not None:
            assert rule.derived is ("inspect" not in said(game, rule.id)), game.path


@pytest.mark.parametrize("book", BOOKS)
def test_who_is_dealt_a_hand_without_a_wager_cites_words_on_wagers(book: str) -> None:
    for game in of_book(book):
        if "unbet-pile" in game.rules:
            assert re.search(r"\b(bets?|wager\w*|ante|blind)\b", said(game, "unbet-pile")), game.path


def test_the_general_rules_stand_before_the_games() -> None:
    """Their section is no game's: it ends where the first game's begins."""
    for book in BOOKS:
        starts = min(first for game in of_book(book) for first, _ in spans(game.lines))
        for game in of_book(book):
            for what, section, lines in citations(game):
                if section not in sections(book):
                    assert all(last < starts for _, last in spans(lines)), f"{game.path}, {what}: {lines}"


@pytest.mark.parametrize(
    "book", [book for book in BOOKS if read_book(next(f for f in books() if f.name == book)).edition_of]
)
def test_an_edition_cites_the_same_words(book: str) -> None:
    """Most words of what the newer print says at its lines are at the older one's."""
    base = read_book(next(folder for folder in books() if folder.name == book)).edition_of
    newer = {game.id: game for game in of_book(base)}
    compared = 0
    for game in of_book(book):
        theirs = newer[game.id].rules
        for rule in game.rules.values():
            if rule.id not in theirs:
                continue
            here = words(" ".join(cited(game.document, rule.lines)))
            there = words(" ".join(cited(newer[game.id].document, theirs[rule.id].lines)))
            assert len(here & there) >= 0.6 * len(there), f"{game.path}, {rule.id}: {rule.lines}"
            compared += 1
    assert compared > 300


def cited(document: str, lines: str) -> Iterator[str]:
    for first, last in spans(lines):
        yield from lines_of(document)[first : last + 1]

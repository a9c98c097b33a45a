"""Rules of every table, independent of its book: its equipment and its rule book are unchanged.

A rule of the game is broken by play; these are broken by hands on the equipment. Where the book has a duty of its own
about tampering, its line is cited; else this program's own contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pitwatch.rules.game import Game, Rule
from pitwatch.rules.records import Citation, Irregularity

TAMPERING = "tampering-suspected"

ENCLOSURE_OPENED = "enclosure-opened"
DEVICE_IDENTITY_CHANGED = "device-identity-changed"
DEVICE_VANISHED = "device-vanished"
RULE_BOOK_CHANGED = "rule-book-changed"


def _rule(name: str, says: str, instruction: str) -> Rule:
    return Rule(
        id=name,
        says=says,
        needs=(),
        category="integrity",
        severity="critical",
        disposition="inspect",
        instruction=instruction,
        lines="",
        section="Integrity",
    )


RULES = {
    rule.id: rule
    for rule in (
        _rule(
            ENCLOSURE_OPENED,
            "An enclosure at the table was opened",
            "Find out who opened it and why; inspect the equipment before play goes on.",
        ),
        _rule(
            DEVICE_IDENTITY_CHANGED,
            "A device is another one than it was",
            "Find out who changed the device; compare its identity with the equipment record.",
        ),
        _rule(
            DEVICE_VANISHED,
            "A device that was at the table is gone",
            "Look whether the device is still there; find out who took it away or cut its wire.",
        ),
        _rule(
            RULE_BOOK_CHANGED,
            "The rule book that the table is judged by is not the one it was",
            "Compare the fingerprint in status with that of the approved book; find out who changed it.",
        ),
    )
}


def house_irregularity(
    game: Game, rule: str, observed: dict[str, Any], required: dict[str, Any], evidence: Iterable[int]
) -> Irregularity:
    """One of `RULES` was broken; of no round."""
    written = RULES[rule]
    tampering = game.rules.get(TAMPERING)
    return Irregularity(
        rule=f"{game.path}/{rule}",
        category=written.category,
        severity=written.severity,
        round=None,
        observed=observed,
        required=required,
        disposition=written.disposition,
        instruction=written.instruction,
        notify=tampering.notify if tampering else (),
        citation=citation(game, written),
        evidence=tuple(sorted(evidence)),
        says=written.says,
    )


def citation(game: Game, written: Rule) -> Citation:
    """Where a rule of this page stands: the book's own line about tampering, else the contract's section."""
    tampering = game.rules.get(TAMPERING)
    if tampering is not None:
        return Citation(document=game.document, section=tampering.section, lines=tampering.lines, title=game.title)
    return Citation(document="pitwatch", section=written.section, lines="", title="docs/contract.md")

"""What a monitor's alarm is reported as: rules of every house, like those of `rules.house`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pitwatch.rules.game import Game, Rule
from pitwatch.rules.records import Category, Citation, Disposition, Irregularity, Severity

WHEEL = "wheel-bias-suspected"
SIGNATURE = "signature-suspected"
DICE = "dice-bias-suspected"
COMPOSITION = "composition-suspected"
ORDER = "shuffle-order-suspected"
DRIFT = "pace-drift"


def _rule(
    name: str,
    says: str,
    instruction: str,
    category: Category = "integrity",
    severity: Severity = "alert",
    disposition: Disposition = "inspect",
) -> Rule:
    return Rule(
        id=name,
        says=says,
        needs=(),
        category=category,
        severity=severity,
        disposition=disposition,
        instruction=instruction,
        lines="",
        section="Fairness",
    )


RULES = {
    rule.id: rule
    for rule in (
        _rule(
            WHEEL,
            "The wheel's numbers do not come evenly",
            "Check the wheel's reader against the numbers called, then level, frets and rotor; press wheel_serviced.",
        ),
        _rule(
            SIGNATURE,
            "The ball comes to rest too often at the same distance from its last pocket, or from its launch",
            "Check the wheel's reader, then how the ball is spun; vary the spin and watch whether it goes away.",
        ),
        _rule(
            DICE,
            "The dice do not fall evenly",
            "Check the dice reader against the numbers called, then the dice by caliper and the way they are thrown.",
        ),
        _rule(
            COMPOSITION,
            "Cards of one rank come too rarely or too often for the shoe",
            "Check the shoe's reader, then count the cards of the shoe by rank.",
        ),
        _rule(
            ORDER,
            "Cards come in the order of an earlier shoe",
            "Check the shoe's reader, then how the cards are shuffled and loaded.",
        ),
        _rule(
            DRIFT,
            "A device works worse than it did, and may fail",
            "Have a technician clean and check the reader or machine; nothing is wrong with the game.",
            "equipment",
            "notice",
        ),
    )
}

SLOW_PLAY = _rule(
    DRIFT,
    "The table is played slower than the house expects",
    "Look at what holds up the play: seats, buy-ins, the crew, the equipment; nothing is wrong with the game.",
    "procedure",
    "notice",
    "none-stated",
)
"""The same notice of people instead of a device."""


def suspicion(
    game: Game,
    rule: str | Rule,
    severity: Severity,
    observed: dict[str, Any],
    required: dict[str, Any],
    evidence: Iterable[int],
) -> Irregularity:
    """The irregularity of one alarm; of no round, for it is about many."""
    written = RULES[rule] if isinstance(rule, str) else rule
    return Irregularity(
        rule=f"{game.path}/{written.id}",
        category=written.category,
        severity=severity,
        round=None,
        observed=observed,
        required=required,
        disposition=written.disposition,
        instruction=written.instruction,
        notify=(),
        citation=Citation(document="pitwatch", section=written.section, lines="", title="docs/contract.md"),
        evidence=tuple(sorted(evidence)),
        says=written.says,
    )

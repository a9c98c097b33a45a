"""What no simulated table can show by nature, each with the reason. A test says which line is no longer needed.

Patterns are those of the shell. `where` is matched against "BOOK/GAME at TABLE" and, where no bench table has the
devices of the rule, against "BOOK/GAME".
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple


class Exempt(NamedTuple):
    where: str
    rule: str
    reason: str

    def covers(self, where: str, rule: str) -> bool:
        return fnmatchcase(where, self.where) and fnmatchcase(rule, self.rule)


NOT_PLAYED = {
    "schedule": "a schedule of charges or limits; the games under it are played by books of their own",
}
"""Families without a bench table."""

NOT_PROVOKED = (
    Exempt("*/*craps", "shuffle*", "a rule of every table game; craps has no cards to shuffle"),
    Exempt("*/*roulette", "shuffle*", "a rule of every table game; roulette has no cards to shuffle"),
    Exempt("* at baccarat", "foreign-card", "the code of this shoe has no joker"),
    Exempt("* at baccarat*", "wrong-initial-sequence", "this shoe tells the hands by counting; no felt shows an order"),
    Exempt("* at three-card-poker", "deck-count-mismatch", "the machine's lamp says only that its count is wrong"),
    Exempt("* at three-card-poker-reporting", "keyed-hand-not-seen", "no meter, and the panel has no keys for hands"),
    Exempt("*/dj-wild-* at *", "foreign-card", "the deck holds a joker, and the readers' code no other card"),
    Exempt("* at blackjack-shoe", "split-too-often", "the shoe does not tell which split hand was split again"),
)
"""Rules that devices can judge and no simulated dealer breaks: at a table, or at none."""

ONLY_A_PERSON = (
    Exempt("*", "meter-decrease-unexplained", "no meter's amount is among the observations"),
    Exempt("*", "meter-reduction-unexplained", "no meter's amount is among the observations"),
    Exempt("*/ultimate-texas-holdem", "folded-trips-winner", "neither the Trips wager nor a fold shows on a device"),
    Exempt("columbus-2016/poker-room", "stub-too-short", "common rules, no game; 7-card stud judges it"),
    Exempt("california/chinese-poker", "undeclared-clean-sweep", "whether it was declared is said to the dealer"),
    Exempt("california/2-way-winner", "player-dealer-hand-*-five-cards", "no breach: one of the ways the game goes on"),
    Exempt("california/2-way-winner", "player-natural-22", "no breach: one of the ways the game goes on"),
    Exempt("california/casino-war", "tie-hand", "no breach: one of the ways the game goes on"),
    Exempt("california/casino-war", "batches-mixed", "two batches of the same cards look alike to every device"),
    Exempt("columbus-2016/commission-free-*", "card-drawn-in-error-unexposed", "a shoe cannot tell who saw the face"),
    Exempt("toledo-2020/face-up-pai-gow-poker", "play-continues-*", "how the wagers are settled shows on no device"),
    Exempt("toledo-2020/bad-beat-jackpots", "simultaneous-jackpots", "another table's showdown; Surveillance compares"),
)
"""Irregularities for which the reading of the document names nothing but devices, and the book a person."""


def exemption(table: tuple[Exempt, ...], where: str, rule: str) -> Exempt | None:
    """The first line of a table that covers the rule."""
    return next((each for each in table if each.covers(where, rule)), None)

"""What a poker hand comes to in the round's record: each seat's hand in each share of the pot, and who wins which.
Ranks nothing and judges nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.poker.card_counts import COUNT
from pitwatch.rules.games.poker.course import Course
from pitwatch.rules.games.poker.deal import Deal
from pitwatch.rules.games.poker.pots import Pots
from pitwatch.rules.games.poker.streets import Streets
from pitwatch.rules.play.seats import seat_order

HAND_VOID = "hand-void"

Shown = dict[str, list[str | None]]


class Results:
    def __init__(self, game: Game, options: Mapping[str, Any], streets: Streets):
        self._pots = Pots(game, options)
        self._streets = streets
        rule = game.rules.get(COUNT)
        self._kills = rule is not None and rule.disposition == HAND_VOID
        """Whether the book says that a hand without its number of cards is dead; else nobody knows whether it plays."""

    def of(self, deal: Deal, shown: Shown | None, miscounted: Collection[str]) -> dict[str, Any]:
        """By seat what its hand comes to in each share of the pot, and who wins which; folded hands say so.

        `shown`: the hands that were not folded, None if that cannot be told; `miscounted`: those of which it was told
        that they have too few or too many cards.
        """
        course = deal.course
        result: dict[str, Any] = {}
        wrong = self._wrong(course, shown or {}, miscounted)
        dead = wrong if self._kills else set()
        in_play = {p: [None] if p in wrong else cards for p, cards in (shown or {}).items() if p not in dead}
        in_play = {p: [*cards, *course.common] for p, cards in in_play.items()}
        boards = [[]] if course.common else course.boards
        pots = self._pots.result(in_play, *boards) if shown is not None else {"winners": None}
        for position in sorted(course.hands, key=seat_order):
            if shown is None:
                result[position] = dict.fromkeys((pot.name for pot in self._pots.all), None)
            elif position in dead:
                result[position] = {"dead": True}
            else:
                result[position] = pots[position] if position in shown else {"folded": True}
        if self._pots.all:
            result["winners"] = pots["winners"]
        perhaps = deal.showdown.perhaps_folded - dead if shown is not None else set()
        for position in perhaps:
            result[position] = dict.fromkeys(result[position])
        if perhaps and result.get("winners"):
            named = result["winners"].items()
            result["winners"] = {share: None if perhaps.intersection(won or ()) else won for share, won in named}
        return result

    def _wrong(self, course: Course, shown: Shown, miscounted: Collection[str]) -> set[str]:
        """Hands that had too few or too many cards, and were not corrected."""
        need = self._streets.need(self._streets.last)
        dealt = shown if self._streets.draws else {position: course.hands[position].received for position in shown}
        counts = {position: len(cards) + len(course.common) for position, cards in dealt.items()}
        return {position for position in miscounted if counts.get(position, need) != need}

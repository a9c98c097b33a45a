"""The deck of a simulated poker hand, with the cards in it that a fault needs: a jackpot hand where it will be dealt, a
card twice, a card that does not belong. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pitwatch.rules.games.poker.bad_beat import QUADS
from pitwatch.rules.games.poker.pots import Pots
from pitwatch.rules.games.poker.streets import COMMUNITY, Streets
from pitwatch.rules.play.cards import DECK, JOKER
from pitwatch.sim_hw.dealers.poker_room import jackpots
from pitwatch.sim_hw.dealers.poker_room.faults import JACKPOT_COUNT, JACKPOTS
from pitwatch.sim_hw.table import SimTable

Piles = dict[str, list[str]]
"""Cards by seat."""


class Rigging:
    """`deck`: all cards that the game is played with."""

    def __init__(self, rng: Random, table: SimTable, streets: Streets):
        self._rng = rng
        self._table = table
        self._streets = streets
        figures = table.game.figures
        left_out = figures["ranks-left-out"].value if "ranks-left-out" in figures else ""
        jokers = figures["jokers"].value if "jokers" in figures else 0
        self.deck = [card for card in DECK if card[0] not in left_out] + [JOKER] * jokers

    def shuffled(self) -> list[str]:
        deck = list(self.deck)
        self._rng.shuffle(deck)
        return deck

    def sure_cards(self, hands: int) -> int:
        """Cards that are laid where a reader sees them, whatever happens: those of the first street."""
        return self._streets[0].cards * hands

    def prepare(self, rule: str | None, stub: list[str], order: Sequence[str]) -> list[str]:
        """The stub as the fault wants it, for hands dealt in this order."""
        rng, sure = self._rng, self.sure_cards(len(order))
        if rule in JACKPOTS or rule == JACKPOT_COUNT:
            shown = "bad-beat-jackpot" if rule in ("too-few-players", JACKPOT_COUNT) else str(rule)
            return self._with_jackpot(shown, stub, order)
        if rule == "duplicate-card":
            stub[rng.randrange(1, sure)] = stub[0]
        elif rule == "foreign-card":
            foreign = [card for card in (*DECK, JOKER) if card not in self.deck]
            stub[rng.randrange(sure)] = rng.choice(foreign)
        return stub

    def _with_jackpot(self, rule: str, stub: list[str], order: Sequence[str]) -> list[str]:
        """The jackpot hand lies in the stub where it will be dealt; nobody else's comes near it."""
        rng, streets = self._rng, self._streets
        holders = rng.sample(order, 2)
        own, board = jackpots.hands(rule, streets.board > 0, streets.need(streets.last))
        fixed = dict(zip(holders, own, strict=True))
        rest = [card for card in stub if card not in {*board, *own[0], *own[1]}]
        pot, size = Pots(self._table.game, self._table.options).all[0], len(own[0])
        others = [seat for seat in order if seat not in fixed]
        while True:
            rng.shuffle(rest)
            piles = {seat: rest[number * size : (number + 1) * size] for number, seat in enumerate(others)}
            strengths = [pot.strength(pile, board) for pile in piles.values()]
            if all(strength is not None and strength[0] < QUADS for strength in strengths):
                break
        del rest[: size * len(others)]
        return self._in_dealing_order({**piles, **fixed}, board, rest, order)

    def _in_dealing_order(self, piles: Piles, board: list[str], rest: list[str], order: Sequence[str]) -> list[str]:
        hands, common, stub = {seat: list(cards) for seat, cards in piles.items()}, list(board), []
        for street in self._streets.all:
            stub += [rest.pop() for _ in range(street.burn or 0)]
            if street.to == COMMUNITY:
                stub += [common.pop(0) for _ in range(street.cards)]
            for _ in range(street.cards if street.deals_hands else 0):
                stub += [hands[seat].pop(0) for seat in order]
        return [*stub, *rest]

"""Poker hands with a joker: the best a joker can make of five cards, and hands of two.

What a joker may stand for and how ace to five ranks is the book's; ranks without one are `five_card`'s. Knows no pay
table and no house way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from pitwatch.rules.hands import five_card
from pitwatch.rules.hands.poker_ranking import HEIGHT, Strength
from pitwatch.rules.play.cards import DECK, JOKER, RANKS, SUITS, rank, suit

WILD = "wild"
ACE = "ace-straight-flush"
"""What the joker is: any card, or an ace and whatever completes a straight or a flush."""

SECOND = "second"
LOWEST = "lowest"
"""Where the straight from ace to five ranks among straights. As a straight flush it is the lowest everywhere."""

FIVE = "five-of-a-kind"
FIVE_ACES = "five-aces"
HANDS = (*five_card.HANDS, FIVE)
"""From lowest to highest; five of a kind is named five aces if it is."""

_STRAIGHT = HANDS.index("straight")
_COMPLETES = tuple(HANDS.index(name) for name in ("straight", "flush", "straight-flush", "royal-flush"))
_WHEEL = 5
_BELOW_ACE = 13.5
"""Height of a wheel that ranks second: under ace high, above king high."""

Key = tuple[float, ...]


def name_of(strength: Key) -> str:
    """The name of a hand of five."""
    name = HANDS[int(strength[0])]
    return FIVE_ACES if name == FIVE and strength[1] == HEIGHT["A"] else name


def _stand_ins(others: Sequence[str]) -> list[str]:
    """A card of each rank that may stand beside four others: of their suit if it is one, as far as it is not there."""
    suits = sorted(SUITS, key=lambda each: each != suit(others[0]))
    cards = [next((each + s for s in suits if each + s not in others), "") for each in RANKS]
    return [card for card in cards if card]


class Ranking:
    """One game's ranking: `joker` is WILD or ACE, `wheel` SECOND or LOWEST."""

    def __init__(self, joker: str, wheel: str):
        self._wild = joker == WILD
        self._second = wheel == SECOND

    def five(self, cards: Sequence[str]) -> Key:
        """The strength of five cards, one of which may be the joker.

        Raises ValueError for another number of cards, the same card twice or an unknown card.
        """
        others = [card for card in cards if card != JOKER]
        if len(cards) != five_card.SIZE or len(others) < five_card.SIZE - 1:
            raise ValueError(f"five cards with at most one joker make a hand, not {list(cards)}")
        if len(others) == five_card.SIZE:
            return self._key(five_card.strength(others))
        ranks = {rank(card) for card in others}
        if len(ranks) == 1 and (self._wild or ranks == {"A"}):
            return HANDS.index(FIVE), HEIGHT[rank(others[0])]
        best: Key = ()
        for card in _stand_ins(others):
            strength = five_card.strength([*others, card])
            if self._wild or rank(card) == "A" or strength[0] in _COMPLETES:
                best = max(best, self._key(strength))
        return best

    def _key(self, strength: Strength) -> Key:
        if self._second and strength == (_STRAIGHT, _WHEEL):
            return _STRAIGHT, _BELOW_ACE
        return strength

    def two(self, cards: Sequence[str]) -> Key:
        """The strength of two cards: a pair, or the higher and the lower. Raises ValueError as `five` does."""
        if len(cards) != 2 or len(set(cards)) < len(cards) or any(c != JOKER and c not in DECK for c in cards):
            raise ValueError(f"two different cards make a low hand, not {list(cards)}")
        heights = sorted((self.height(card) for card in cards), reverse=True)
        if self._wild and JOKER in cards:
            return 1, min(heights)
        return (1, heights[0]) if heights[0] == heights[1] else (0, *heights)

    @staticmethod
    def height(card: str) -> int:
        """Height of a card by itself; a joker by itself is an ace."""
        return HEIGHT["A"] if card == JOKER else HEIGHT[rank(card)]

    def foul(self, high: Sequence[str], low: Sequence[str]) -> bool:
        """Whether the hand of two outranks the hand of five."""
        five, two = self.five(high), self.two(low)
        return two > five[: len(two)]

    def fives(self, cards: Sequence[str]) -> dict[tuple[str, ...], Key]:
        """The strength of every five of the cards."""
        return {five: self.five(five) for five in combinations(cards, five_card.SIZE)}


SEVEN_STRAIGHT_FLUSH = "seven-card-straight-flush"
SEVEN_STRAIGHT_FLUSH_JOKER = "seven-card-straight-flush-joker"
ROYAL_MATCH = "royal-flush-royal-match"


def bonus_names(fives: Mapping[tuple[str, ...], Key], cards: Sequence[str]) -> set[str]:
    """What seven cards hold for a bonus wager: hands of five, the two hands of seven, a royal with a royal match."""
    names = {name_of(strength) for strength in fives.values()}
    others = [card for card in cards if card != JOKER]
    if len(cards) == 7 and _one_run(others):
        names.add(SEVEN_STRAIGHT_FLUSH if len(others) == 7 else SEVEN_STRAIGHT_FLUSH_JOKER)
    royals = [five for five, strength in fives.items() if name_of(strength) == "royal-flush"]
    if any(_royal_match([card for card in cards if card not in five]) for five in royals):
        names.add(ROYAL_MATCH)
    return names


def _one_run(cards: Sequence[str]) -> bool:
    """Whether the cards, different ranks of one suit, lie within seven ranks in a row; the ace is high or low."""
    if len({suit(card) for card in cards}) != 1:
        return False
    heights = sorted(HEIGHT[rank(card)] for card in cards)
    low = sorted(1 if height == HEIGHT["A"] else height for height in heights)
    return any(len(set(run)) == len(cards) and run[-1] - run[0] < 7 for run in (heights, low))


def _royal_match(rest: Sequence[str]) -> bool:
    """A king and queen of one suit beside the royal; the joker may help the royal, not the match."""
    return {rank(card) for card in rest} == {"K", "Q"} and len({suit(card) for card in rest}) == 1

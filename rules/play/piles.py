"""Cards on the felt, position by position: laid, lifted, laid back, moved. A card that moves is no second card.

Knows no game. A card that nobody could read is any card that lay there unread.
"""

from __future__ import annotations

from pitwatch.rules.play.seats import ASIDE, DEALER, is_seat, seat_of

Cards = list[str | None]


def hand_of(position: str | None) -> str | None:
    """The hand a card belongs to, its two parts taken together: "seat-3/2" is of "seat-3"; None for what is no hand."""
    if position is None:
        return None
    base = seat_of(position)
    return base if base == DEALER or is_seat(base) else None


class Piles:
    def __init__(self) -> None:
        self._piles: dict[str, Cards] = {}
        self._lifted: list[tuple[str, str | None]] = []
        self._unread: dict[str, int] = {}
        """Cards lifted unread from where all that lay had been read: nobody knows which."""

    def lay(self, position: str, card: str | None, full: bool) -> bool:
        """A card is laid down; returns whether it is new to the felt. `full`: its hand has all its cards, so that one
        that lies there already is only read again."""
        if self._comes_back(position, card, full):
            return False
        lifted = self._that_was_lifted(position, card)
        if lifted is not None:
            origin, face = lifted
            self._lifted.remove(lifted)
            self._piles[origin].remove(face)
            card = card if card is not None else face
        self._piles.setdefault(position, []).append(card)
        return lifted is None

    def _that_was_lifted(self, position: str, card: str | None) -> tuple[str, str | None] | None:
        same_hand = [each for each in self._lifted if hand_of(each[0]) == hand_of(position)]
        if card is None:
            return same_hand[0] if same_hand else None
        faces = [each for each in self._lifted if each[1] == card]
        unread = [each for each in same_hand if each[1] is None]
        return next(iter(sorted(faces, key=lambda each: each[0] != position) + unread), None)

    def lies(self, position: str, card: str | None) -> bool:
        """Whether the card is of the hand and was not seen to be lifted."""
        hand = hand_of(position)
        return (
            card is not None
            and hand is not None
            and any(card in self._not_seen_lifted(origin) for origin in self._piles if hand_of(origin) == hand)
        )

    def _comes_back(self, position: str, card: str | None, full: bool) -> bool:
        """Whether this is a card of the hand that was not seen to be lifted, or may be one that was lifted unread."""
        for origin in sorted(self._piles, key=lambda at: at != position):
            away = self._unread.get(origin, 0)
            mine = hand_of(origin) is not None and hand_of(origin) == hand_of(position)
            there = self._not_seen_lifted(origin) if mine or origin == position else []
            if not (card in there and (full or away) if card is not None else away and there):
                continue
            self._unread[origin] = max(0, away - 1)
            if origin != position:
                self._piles[origin].remove(card if card is not None else there[-1])
                self._piles.setdefault(position, []).append(card)
            return True
        return False

    def lift(self, position: str, card: str | None) -> None:
        """A card is lifted; what never lay there is not counted."""
        there = self._not_seen_lifted(position)
        face = card if card in there else None
        if face in there:
            self._lifted.append((position, face))
            if card is not None and face is None:  # read for the first time as it was lifted
                self._lifted[-1] = position, card
                pile = self._piles[position]
                pile[pile.index(None)] = card
        elif card is None and self.lying(position):
            self._unread[position] = self._unread.get(position, 0) + 1

    def one_less(self, position: str) -> bool:
        """One of the cards laid there that was not read was reported as two; returns whether there is one."""
        if None not in self._piles.get(position, ()):
            return False
        self._piles[position].remove(None)
        return True

    def lifted_from(self, hand: str) -> Cards:
        """The cards of a hand that were lifted and lie nowhere again."""
        return [face for position, face in self._lifted if hand_of(position) == hand]

    def take_out(self, hand: str) -> None:
        """The card that was lifted from a hand last is of that hand no longer."""
        position, face = next(each for each in reversed(self._lifted) if hand_of(each[0]) == hand)
        self._lifted.remove((position, face))
        self._piles[position].remove(face)

    def _not_seen_lifted(self, position: str) -> Cards:
        """The cards of a position but those that are known to be lifted."""
        pile = list(self._piles.get(position, ()))
        for origin, face in self._lifted:
            if origin == position:
                pile.remove(face)
        return pile

    def lying(self, position: str) -> Cards:
        """The cards that lie at a position now; of those lifted unread, as many as are left."""
        there, away = self._not_seen_lifted(position), self._unread.get(position, 0)
        return there[: max(0, len(there) - away)]

    def cleared(self) -> bool:
        """Whether there were hands and none of their cards lies on the felt any more."""
        hands = [position for position in self._piles if position not in ASIDE]
        return bool(hands) and not any(self.lying(position) for position in hands)

    def of(self, hand: str) -> Cards:
        """All cards of a hand, both parts, lifted or not."""
        return [card for position, pile in self._piles.items() if hand_of(position) == hand for card in pile]

    def hands(self) -> list[str]:
        """The hands that have cards, in the order in which they got the first."""
        hands = (hand_of(position) for position, pile in self._piles.items() if pile)
        return list(dict.fromkeys(hand for hand in hands if hand is not None))

    def by_position(self) -> dict[str, Cards]:
        """All cards by position, each once, where it lay last."""
        return {position: list(pile) for position, pile in self._piles.items() if pile}

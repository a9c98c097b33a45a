"""The cards as they lie on a blackjack layout: which card that a reader shows is new, and which was turned over, moved
to a split hand or put back. A shoe that reads too tells for certain: what it did not draw is not new.

Must not know what a hand counts. It corrects the round's `cards` so that each card stands where it lies.
"""

from __future__ import annotations

from pitwatch.rules.play.seats import DEALER, is_seat, seat_of

Cards = dict[str, list[str | None]]

HOLE = 2
"""Which of the dealer's cards lies face down."""


class Layout:
    """`switches`: cards may change places between the hands of a seat."""

    def __init__(self, switches: bool = False) -> None:
        self._switches = switches
        self.clear(False)

    def clear(self, reader: bool) -> None:
        """A round opens on an empty layout; `reader` says whether one under the felt places its cards."""
        self._reader = reader
        self._drawn: list[str | None] = []
        self._for_dealer: list[str] = []
        """Cards of which the shoe itself says that they went to the dealer, and that were read."""
        self._burns = 0
        self._shoe_reads = False
        self._gone: Cards = {}
        self._moved: list[tuple[str, str]] = []
        self.out: set[str] = set()
        """Hands taken away while the dealer's lay there: paid, lost or surrendered."""
        self.came_from: tuple[str, int] | None = None
        """Hand and place, from 0, where the card laid last lay before; None if it is none that was moved."""
        self.mixed_up = False
        """The card laid last is an unread one that may have lain at another hand of the seat."""
        self.turned = False
        """The dealer's hole card was turned over for certain."""
        self._face_down: str | None = None
        """A card of the dealer's that the shoe read and the reader under the felt could not."""
        self.dealers_before = 0
        """The dealer's cards of a half of the round that is over."""
        self._pushed: list[str | None] = []
        """The dealer's cards that lie on the board."""
        self.doubtful: set[str] = set()
        """Hands taken away to which a card like one of theirs came back; it may have been a new one."""
        self.swapped: set[str] = set()
        """Hands of which a card was lifted and another laid that the shoe did not draw."""
        self.guessed = False
        """A card that shows itself at the dealer's was taken for the hole card turned over; it may have been a draw."""

    @property
    def unplaced(self) -> bool:
        """Whether the shoe drew a card that the reader has not shown anywhere."""
        return bool(self._drawn)

    def drew(self, card: str | None, to: str | None) -> None:
        """The shoe drew a card, for a position if it knows; the reader will show where it lies."""
        self._drawn.append(card)
        self._shoe_reads = True
        if to == DEALER and card is not None:
            self._for_dealer.append(card)

    def not_shown(self) -> list[str]:
        """The dealer's cards that the reader showed nowhere, by the shoe's word."""
        return [card for card in self._for_dealer if card in self._drawn]

    def draws(self, card: str | None) -> bool:
        """Whether the shoe drew this card and the reader has not shown it yet."""
        return card in self._drawn

    def drew_burn(self) -> None:
        """The shoe drew a card and says itself that it was burned."""
        self._burns += 1

    def burned(self, card: str | None) -> None:
        """The reader shows a card among the burned or the discarded."""
        if self._burns:
            self._burns -= 1
        else:
            self._from_the_shoe(card)

    def placed(self, position: str, card: str | None, cards: Cards) -> bool:
        """A card, already last in `cards[position]`, lies there. True if it is new; else `cards` is put right."""
        self.came_from = None
        self.mixed_up = False
        if not self._reader:
            return True
        here = cards[position]
        drawn, face = self._from_the_shoe(card)
        if drawn:
            here[-1] = card or face
            if position == DEALER and card is None and len(here) == HOLE:
                self._face_down = face
            return True
        if position == DEALER and card is not None and card == self._face_down:
            self.turned = self.turned or here[:-1].count(card) == 1
        may_be_moved = card is None and ("/" in position if len(here) == 1 else self._switches)
        lifted = self._lifted_beside(position, cards) if may_be_moved else []
        if len(here) == len(lifted) == 1:
            card = here[0] = lifted[0]
        if self._put_back(position, card, here) or self._move(position, card, cards):
            return False
        if lifted:
            here.pop()
            self.mixed_up = True
            return False
        if self._back_unread(position, card, here):
            return False
        earlier = here[:-1]
        lifted_here = [each for each in self._gone.get(position, []) if each in earlier]
        if self._shoe_reads and lifted_here and card not in (None, *earlier) and None not in earlier:
            here.pop()  # the shoe drew no such card: it lies in place of the one that was lifted
            here[earlier.index(lifted_here[0])] = card
            self._gone[position].remove(lifted_here[0])
            self.swapped.add(position)
            self.out.discard(position)
            return False
        dealt = (
            self._shoe_reads or len(earlier) - self.dealers_before > 1
        )  # nothing is turned over before the dealer has two cards
        if position == DEALER and card is not None and None in earlier and dealt:
            here.pop()
            here[earlier.index(None)] = card
            self.guessed = self.guessed or not self._shoe_reads
            self.turned = self._shoe_reads
            return False
        if self._shoe_reads and card is not None and card in earlier:
            here.pop()
            return False
        return True

    def _from_the_shoe(self, card: str | None) -> tuple[bool, str | None]:
        """Whether the shoe drew this card, and the face that it read."""
        if card in self._drawn:
            self._drawn.remove(card)
            return True, card
        if card is None and self._drawn:
            face = self._drawn.pop(0)
            return True, None if self._drawn else face
        if None in self._drawn:
            self._drawn.remove(None)
            return True, card
        return False, None

    def _put_back(self, position: str, card: str | None, here: list[str | None]) -> bool:
        gone = self._gone.get(position, [])
        if card in gone:
            if not self._shoe_reads and len(gone) >= len(here) - 1:
                self.doubtful.add(position)
            gone.remove(card)
            if card is not None and card not in here[:-1] and None in here:
                here[here.index(None)] = card  # laid unread, it showed its face when it was lifted
        elif (
            None in gone
            and None in here[:-1]
            and (card not in here[:-1] or (not self._shoe_reads and gone.count(None) <= here[:-1].count(None)))
        ):  # one that lay unread, though another like it may lie there
            gone.remove(None)
            here[here.index(None)] = card
        else:
            return False
        here.pop()
        self.out.discard(position)
        return True

    def _back_unread(self, position: str, card: str | None, here: list[str | None]) -> bool:
        """A card lies there again that was read when it was laid, but not when it was lifted, or not now."""
        gone = self._gone.get(position, [])
        if card is None and gone:
            back = gone[0]
        elif None in gone and card in here[:-1]:
            back = None
        else:
            return False
        if not self._shoe_reads and len(gone) >= len(here) - 1:
            self.doubtful.add(position)
        gone.remove(back)
        here.pop()
        self.out.discard(position)
        return True

    def _move(self, position: str, card: str | None, cards: Cards) -> bool:
        """From another hand of the seat: the first card of a split hand, lifted before or shown at its new place first;
        or a card that changes places, lifted before or while the other one does."""
        here = cards[position]
        first = len(here) == 1
        if not ("/" in position if first else self._switches):
            return False
        others = [each for each in cards if each != position and seat_of(each) == seat_of(position)]
        for other in others:
            if card in self._gone.get(other, []) and card in cards[other] and not self.gone(other, cards):
                self._gone[other].remove(card)
                self._take(other, card, cards)
                return True
        for other in others if first else ():
            if None in self._gone.get(other, []) and None in cards[other]:  # pitched face down, turned to be split
                self._gone[other].remove(None)
                self.out.discard(other)
                self._take(other, None, cards)
                return True
        for other in others:
            switching = bool(self._gone.get(position)) or len(cards[other]) > len(here) == 2
            if card is None or card not in cards[other][:2] or len(cards[other]) < 2:
                continue
            if first or (switching and card not in here[:-1]):
                self._take(other, card, cards)
                self._moved.append((other, card))
                return True
        return False

    def _lifted_beside(self, position: str, cards: Cards) -> list[str | None]:
        """The cards lifted from other hands of the seat that still lie there otherwise."""
        others = [each for each in cards if each != position and seat_of(each) == seat_of(position)]
        return [card for other in others if not self.gone(other, cards) for card in self._gone.get(other, ())]

    def _take(self, position: str, card: str | None, cards: Cards) -> None:
        """The card lies there no more; of two alike, or that may be alike, it was the second."""
        here = cards[position]
        place = 1 if len(here) > 1 and here[1] in (card, None) else here.index(card)
        del here[here.index(card) if here[place] is None else place]
        self.came_from = position, place

    def removed(self, position: str, card: str | None, cards: Cards) -> None:
        moved = [each for each in self._moved if each[0] == position and card in (None, each[1])]
        if moved:
            self._moved.remove(moved[0])
            return
        if self._away(position) >= len(cards.get(position, [])):
            return
        self._gone.setdefault(position, []).append(card)
        if is_seat(position) and self.gone(position, cards) and not self.gone(DEALER, cards):
            self.out.add(position)

    def pushes(self, card: str | None, cards: Cards) -> bool:
        """Whether a card that shows on the board was the dealer's. One that was laid or lifted unread may show its face
        only now."""
        gone, dealers = self._gone.get(DEALER, []), cards.get(DEALER, [])
        if self.draws(card) or (card is None and self.unplaced):
            return False
        if card is not None and card in self._pushed:
            return True  # lifted from the board and laid again
        alike = [each for each in gone if each == card]
        if not alike and (card is None or card in dealers or None in dealers):
            alike = [each for each in gone if None in (card, each)]
        if alike:
            gone.remove(alike[0])
        elif card is not None and card in dealers:
            self._moved.append((DEALER, card))  # its lifting will be told later
        else:
            return False
        self._pushed.append(card or alike[0])
        return True

    def _away(self, position: str) -> int:
        """How many cards have been taken from there."""
        return len(self._gone.get(position, [])) + (len(self._pushed) if position == DEALER else 0)

    def gone(self, position: str, cards: Cards) -> bool:
        """Whether every card of a hand has been taken away."""
        return bool(cards.get(position)) and self._away(position) >= len(cards[position])

    def lifted_some(self, position: str) -> bool:
        """Whether cards of the hand are lifted, and not laid back."""
        return bool(self._gone.get(position))

    def gone_but_last(self, position: str, cards: Cards) -> bool:
        """Whether all cards of a hand but its last have been taken away."""
        return len(self._gone.get(position, [])) >= len(cards[position]) - 1

    def only_gone(self, position: str, old: list[str | None]) -> bool:
        """Whether these cards and no others of a hand have been taken away."""
        return sorted(self._gone.get(position, []), key=str) == sorted(old, key=str)

    def replaced(self, position: str, old: list[str | None]) -> None:
        """These cards of a hand, taken away, are no longer of it."""
        gone = self._gone.get(position, [])
        for card in sorted(
            old, key=lambda card: card is None
        ):  # one that was laid unread may show its face when lifted
            alike = [each for each in gone if each == card] or [each for each in gone if None in (card, each)]
            if alike:
                gone.remove(alike[0])
        self.out.discard(position)

    def cleared(self, cards: Cards) -> bool:
        """Whether the dealer's cards and all hands have been taken away."""
        hands = [each for each in cards if is_seat(each) and cards[each]]
        return self.gone(DEALER, cards) and all(self.gone(each, cards) for each in hands)

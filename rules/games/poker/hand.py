"""One patron's cards at a poker table: what was dealt to it and what lies there. Judges nothing, ranks nothing."""

from __future__ import annotations

Card = str | None


class Hand:
    """`received`: every card dealt to it, in order; a face that is shown later takes the place of an unread card."""

    def __init__(self) -> None:
        self.received: list[Card] = []
        self.on: list[Card] = []
        self.size = 0
        """Cards it was dealt apart from those in a draw: as many it must hold after one."""
        self.away = 0
        """Cards lifted and not laid back: discarded, folded, or in somebody's fingers."""
        self.drawn = 0
        """Cards received in the draw that is going on."""
        self.fullest = 0
        """The most that lay there since the last card was dealt to it."""
        self.emptied = False
        """All its cards were lifted at some time since it last drew."""
        self.turned = False
        """A card that lay unread was shown."""
        self.lifted_last: Card = None
        """The card that was lifted last; None if it was not read."""
        self._unsure: list[Card] = []
        """Cards taken off `on` for lifts that were not read: nobody knows which card it was."""

    @property
    def live(self) -> bool:
        return bool(self.on)

    def receive(self, card: Card) -> None:
        self.size += 1
        self._take(card)

    def swap(self, card: Card) -> None:
        """A discard is lifted although the card for it lies there already."""
        self.lift(card)
        self.size -= 1
        self.away -= 1
        self.drawn += 1
        self.fullest = len(self.on)

    def replace(self, card: Card) -> None:
        """A card dealt for one that was discarded."""
        self.away -= 1
        self.drawn += 1
        self._take(card)

    def _take(self, card: Card) -> None:
        self.received.append(card)
        self.on.append(card)
        self.fullest = len(self.on)

    def lift(self, card: Card) -> None:
        self.lifted_last = card
        if card is None and self.on:
            taken = None if None in self.on else self.on[-1]
            self.on.remove(taken)
            self._unsure.append(taken)
        elif card in self.on:
            self.on.remove(card)
        elif None in self.on:
            self.on.remove(None)
            self._show(card)
        elif card in self._unsure and self.on:  # so it was another one before
            self._unsure[self._unsure.index(card)] = self.on.pop()
        else:
            return
        self.away += 1
        self.emptied = self.emptied or not self.on

    def lacks_last(self, cards: int) -> bool:
        """Whether the last so many cards dealt to it were lifted, as far as faces were read."""
        last = self.received[-cards:]
        return self.away >= cards and not any(card is not None and card in self.on for card in last)

    def give_up(self, card: Card) -> None:
        """A card that was dealt to it and lifted is taken back."""
        self.received.reverse()
        self.received.remove(card)
        self.received.reverse()
        self.size -= 1
        self.away -= 1
        if card in self._unsure:
            self._unsure.remove(card)
        self.fullest = len(self.on)

    def lay_back(self, card: Card) -> None:
        if self._unsure and (card is None or card in self.on):
            self.on.append(self._unsure.pop())  # so it was this one that lay there all the time
        else:
            if card in self._unsure or None in self._unsure:
                self._unsure.remove(card if card in self._unsure else None)
            self.on.append(card)
        self.away -= 1
        self.fullest = max(self.fullest, len(self.on))
        self._show(card)

    def turn(self, card: Card) -> None:
        """A card that lay unread is turned and read."""
        self.on[self.on.index(None)] = card
        self._show(card)

    def _show(self, card: Card) -> None:
        if card is not None and card not in self.received and None in self.received:
            self.received[self.received.index(None)] = card
            self.turned = True

    @property
    def lifted_unread(self) -> bool:
        return bool(self._unsure)

    def draw_over(self) -> None:
        """The draw it took part in is behind it; what is lifted from now on belongs to the next, or to its end."""
        self.drawn = self.away = 0
        self.emptied = False
        if any(card is not None for card in self._unsure):  # nobody knows which cards it kept
            self.on = [None] * len(self.on)
        self._unsure = []
        self.fullest = len(self.on)

    def shown(self, held: list[Card]) -> list[Card]:
        """The cards of a hand that held these at the showdown, with the faces seen since."""
        if len(held) == len(self.received):
            return list(self.received)
        seen: list[Card] = [card for card in self.received if card is not None]
        return seen if None in held and len(seen) == len(held) else held

"""A card that a reader under the felt reports twice is one card: reported again, read at the second try, or lost after
it was read. All reports are journalled; what the rules hear is the card. Must not know how many cards a hand has.

By hand cards come to one place one at a time, and the hand goes back to the deck or shoe for each: the fastest dealers
lay two or three a second round the whole table. So two reports of one place within `WINDOW_NS` are one card, unless
cards were laid there together, which a reader reports within `TOGETHER_NS`, or were lifted and come back.

- The same face. Where one deck is in use: one card, however quickly; a second one all the same, a duplicate, where the
  shuffler counted one more for the place than lies there. Of several decks: one card, unless the shoe drew the face
  twice. If it may have been laid together with its like, the round is partial.
- Unread and read, or read and unread: one card, of several decks with the round partial if they were told together.
  Never in the middle, where cards are spread, nor among burned and discarded cards, and not in games that count hands
  (`Part.COUNTS_HANDS`). The unread one is kept back until the window ends, with all that is reported after it.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.play.flickers import WINDOW_NS
from pitwatch.rules.play.seats import ASIDE
from pitwatch.rules.records import Round
from pitwatch.rules.watchers.deck import DUPLICATE, cards_alike, decks_in_use

TOGETHER_NS = 200_000_000
SHOE_NS = 10_000_000_000
"""A card that came out of the shoe longer ago is not the one being laid."""

MIDDLE = "community"
PLACED, REMOVED, DRAWN = "card_placed", "card_removed", "card_drawn"
UNHEARD = ("device_offline", "device_online", "bytes_discarded")

Place = tuple[str, str]
"""Device and position."""


class Heard(NamedTuple):
    """What the rules are to hear. `doubtful`: nobody knows whether it is one card with what was reported beside it."""

    seq: int
    seen: Observation
    doubtful: bool = False


class Waiting:
    """An observation kept back; `until`: when its window ends (ns), None if only for those before it."""

    def __init__(self, heard: Heard, until: int | None):
        self.heard = heard
        self.until = until


class Told(NamedTuple):
    """The last report of a place. `turned`: a card lay there unread before."""

    t: int
    seq: int
    card: str | None
    turned: bool
    waiting: Waiting | None


class ReadAgain:
    """One table's. `counts_hands`: whether one unread and one read are one card is left to the procedure."""

    def __init__(self, desk: Desk, counts_hands: bool):
        self._desk = desk
        self._counts_hands = counts_hands
        self._last: dict[Place, Told] = {}
        self._lifted: dict[Place, tuple[int, int]] = {}
        """Number of the round, and how many cards lifted in it have not come back."""
        self._drawn: deque[tuple[int, str | None]] = deque()
        self._kept: deque[Waiting] = deque()
        self._twice: dict[tuple[str, str], list[int]] = {}
        """Position and face of cards of this round reported twice at once, to their journal sequences."""
        desk.listeners.append(self)

    @property
    def deadline(self) -> int | None:
        """When (ns) the first that is kept back is let go; None if nothing is."""
        return self._kept[0].until if self._kept else None

    def told(self, seq: int, seen: Observation) -> list[Heard]:
        """What the rules are to hear now, in order."""
        event = seen.event
        until = None
        heard: Heard | None = Heard(seq, seen)
        if event == PLACED:
            heard, until = self._placed(seq, seen)
        elif event == REMOVED:
            self._removed(seen)
        elif event == DRAWN:
            self._drawn.append((seen.t, seen.data.get("card")))
        elif event in UNHEARD:
            for place in [each for each in self._last if each[0] == seen.device]:
                self._settle(place)
        if heard is None:
            self._desk.availability.note(seen)
        elif until is not None or self._kept:
            waiting = Waiting(heard, until)
            self._kept.append(waiting)
            if until is not None:
                place = seen.device, str(seen.data.get("to"))
                self._last[place] = self._last[place]._replace(waiting=waiting)
        else:
            return [heard]
        return self.due(seen.t)

    def due(self, t: int | None) -> list[Heard]:
        """What is kept back no longer at `t` (ns), in order; None: all of it."""
        out = []
        while self._kept and (t is None or self._kept[0].until is None or self._kept[0].until <= t):
            out.append(self._kept.popleft().heard)
        return out

    def mark(self, heard: Heard) -> None:
        """The rules hear this now: the open round learns what of it is not certain."""
        if heard.doubtful and self._desk.round is not None:
            self._desk.round.partial = True

    # -- one report

    def _placed(self, seq: int, seen: Observation) -> tuple[Heard | None, int | None]:
        """What is heard of it, None if nothing new, and until when it is to be kept back."""
        to, card = seen.data.get("to"), seen.data.get("card")
        if not isinstance(to, str) or not (card is None or isinstance(card, str)):
            return Heard(seq, seen), None
        place, doubtful = (seen.device, to), False
        last = self._last.get(place)
        if last is not None and seen.t - last.t < WINDOW_NS:
            same, doubtful = self._same(place, last, card, seen.t)
            if same:
                self._again(place, last, Heard(seq, seen, doubtful=doubtful))
                return None, None
        self._settle(place)
        back = self._comes_back(place)
        self._last[place] = Told(seen.t, seq, card, self._lies_unread(to), None)
        self._take_drawn(seen.t, card)
        waits = card is None and self._one_at_a_time(to) and not back
        return Heard(seq, seen, doubtful=doubtful), seen.t + WINDOW_NS if waits else None

    def _same(self, place: Place, last: Told, card: str | None, t: int) -> tuple[bool, bool]:
        """Whether this is the card reported last, and whether that is doubtful."""
        to, together = place[1], t - last.t < TOGETHER_NS
        if card is not None and card == last.card:
            if cards_alike(self._desk.game, self._desk.options, card) == 1:
                return True, False
            if to in ASIDE or self._awaited(place) or self._drew_another(t, card):
                return False, False
            return (False, True) if last.turned else (True, together and not self._shoe_tells(t))
        if (card is None) == (last.card is None) or self._awaited(place) or not self._one_at_a_time(to):
            return False, False
        return True, together and decks_in_use(self._desk.game, self._desk.options) != 1

    def _again(self, place: Place, last: Told, heard: Heard) -> None:
        seq, seen = heard.seq, heard.seen
        card = seen.data.get("card")
        if last.waiting is not None and card is not None:
            first = last.waiting.heard
            at = first.seen
            read = Observation(at.t, at.device, at.event, seen.data)
            last.waiting.heard = Heard(seq, read, first.doubtful or heard.doubtful)
            last.waiting.until = None
        elif card is None or heard.doubtful:
            self.mark(heard)
        elif seen.t - last.t < TOGETHER_NS:
            self._twice.setdefault((place[1], card), [last.seq]).append(seq)
        self._last[place] = last._replace(t=seen.t, seq=seq, card=card if card is not None else last.card, waiting=None)

    def _one_at_a_time(self, to: str) -> bool:
        return not self._counts_hands and to != MIDDLE and to not in ASIDE

    def _settle(self, place: Place) -> None:
        """Whatever comes there now is not the card reported last."""
        last = self._last.pop(place, None)
        if last is not None and last.waiting is not None:
            last.waiting.until = None

    # -- what else bears on it

    def _removed(self, seen: Observation) -> None:
        to = seen.data.get("to")
        if isinstance(to, str):
            place = seen.device, to
            self._settle(place)
            number, lifted = self._lifted.get(place, (0, 0))
            now = self._desk.last_round
            self._lifted[place] = now, lifted + 1 if number == now else 1

    def _awaited(self, place: Place) -> bool:
        """Whether a card lifted from there in this round has still to come back."""
        return self._lifted.get(place, (0, 0))[0] == self._desk.last_round

    def _comes_back(self, place: Place) -> bool:
        """Whether a card that is laid may be one lifted from there in this round."""
        number, lifted = self._lifted.pop(place, (0, 0))
        if number != self._desk.last_round or not lifted:
            return False
        if lifted > 1:
            self._lifted[place] = number, lifted - 1
        return True

    def _lies_unread(self, to: str) -> bool:
        round_ = self._desk.round
        return round_ is not None and None in round_.cards.get(to, ())

    def _shoe_tells(self, t: int) -> bool:
        while self._drawn and t - self._drawn[0][0] > SHOE_NS:
            self._drawn.popleft()
        return self._desk.availability.sees("shoe.card_drawn")

    def _drew_another(self, t: int, card: str) -> bool:
        """Whether the shoe drew such a card, or one that it did not read, that does not lie on the felt yet."""
        return self._shoe_tells(t) and any(face in (card, None) for _, face in self._drawn)

    def _take_drawn(self, t: int, card: str | None) -> None:
        """This card came out of the shoe; one unread on either side may be any."""
        if self._shoe_tells(t) and self._drawn:
            faces = [face for _, face in self._drawn]
            del self._drawn[next((faces.index(each) for each in (card, None) if each in faces), 0)]

    # -- the desk's listener

    def round_opened(self) -> None:
        self._twice.clear()

    def round_closing(self) -> None:
        """What was reported twice at once lies there twice if the shuffler counted one more card for the place."""
        round_ = self._desk.round
        for (position, card), seqs in self._twice.items():
            if round_ is not None and round_.counts.get(position, 0) == len(round_.cards.get(position, ())) + 1:
                self._desk.breach(DUPLICATE, {"card": card, "times": 2}, {"at_most": 1}, seqs, once=card)
        self._twice.clear()

    def round_closed(self, round_: Round) -> dict[str, list[int]]:
        return {}

    def breached(self, rule: str, observed: dict[str, object]) -> None: ...

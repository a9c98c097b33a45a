"""The deck itself, whatever the game: no card more often than the decks in use hold it, none that they do not hold at
all, and as many as they should be. Knows no round of play but its bounds.

Two ways to count: within one round, always sound where nothing is shuffled in between; and over a whole shoe, from a
start that was seen until its end may have gone unseen. Cards are counted at one place only: on the felt where a reader
sees them, else as they leave the shoe. A card that moves on the felt is no second card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.game import Game
from pitwatch.rules.play.cards import DECK, JOKER
from pitwatch.rules.play.seats import ASIDE

WATCHER = {"turn": 50, "class": "DeckIntegrity"}
RULES = ("duplicate-card", "foreign-card", "deck-count-mismatch", "deck-not-alternated", "two-decks-in-discard-rack")

DUPLICATE = "duplicate-card"
FOREIGN = "foreign-card"
COUNT = "deck-count-mismatch"
ALTERNATE = "deck-not-alternated"
TWO_DECKS = "two-decks-in-discard-rack"

CARD_DEVICES = ("shoe", "card_position")

LATE_KEY_NS = 10_000_000_000
"""So long after the first card the key for a change of deck still belongs to this round."""


def decks_in_use(game: Game, options: Mapping[str, Any]) -> int | None:
    """How many decks a game is played with, the house's option before the book's figure; None if neither says so."""
    decks = options.get("decks") or (game.figure("decks") if "decks" in game.figures else None)
    return decks if isinstance(decks, int) else None


def whole_set(game: Game, options: Mapping[str, Any]) -> int | None:
    """How many cards all decks in use have together: what a machine that counts them should find."""
    decks = decks_in_use(game, options)
    return None if decks is None else decks * _deck_size(game)


def shoe_of(game: Game, options: Mapping[str, Any]) -> dict[str, int]:
    """How many of each card a shoe holds that is dealt through; nothing where each round may have a fresh deck, or
    nobody says how many decks there are."""
    decks = decks_in_use(game, options)
    if decks is None or game.tables.get("deck-lasts", "shoe") != "shoe":
        return {}
    return {card: decks * (_jokers(game) if card == JOKER else 1) for card in sorted(_composition(game))}


def _jokers(game: Game) -> int:
    jokers: int = game.figure("jokers") if "jokers" in game.figures else 0
    return jokers


def cards_alike(game: Game, options: Mapping[str, Any], card: str) -> int | None:
    """How many such cards all decks in use have together; None if nobody says."""
    decks = decks_in_use(game, options)
    return None if decks is None else decks * (_jokers(game) if card == JOKER else 1)


def _composition(game: Game) -> set[str]:
    """The different cards of a deck."""
    left_out = game.figure("ranks-left-out") if "ranks-left-out" in game.figures else ""
    return {card for card in DECK if card[0] not in left_out} | ({JOKER} if _jokers(game) else set())


def _deck_size(game: Game) -> int:
    size: int = (
        game.figure("cards-per-deck")
        if "cards-per-deck" in game.figures
        else len(_composition(game) - {JOKER}) + _jokers(game)
    )
    return size


class DeckIntegrity(Part):
    """Figures of the book: `decks` (or the house's option of that name), `cards-per-deck`, `jokers` a deck (0 if not
    stated), `ranks-left-out` ("T" for a Spanish deck). Table `deck-lasts`: "round" if the deck may be shuffled unseen
    before any round, "shoe" if it is dealt through. A book without a number of decks leaves nothing to judge.
    """

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._decks = decks_in_use(desk.game, desk.options)
        self._jokers = _jokers(desk.game)
        self._composition = _composition(desk.game)
        self._size = _deck_size(desk.game)
        self._by_shoe = desk.game.tables.get("deck-lasts", "shoe") == "shoe"
        self._types = {device.id: device.type for device in desk.table.devices}
        self._shoe_ends = desk.has("shoe.cut_card_drawn")
        self._in_use = self._decks or 0
        self._armed = False
        self._ending = False
        self._sure = True
        self._source: str | None = None
        self._dealt: Counter[str] = Counter()
        self._where: dict[str, list[int]] = {}
        self._lifted: Counter[str] = Counter()
        self._lies: dict[str, set[str | None]] = {}
        """Where cards were laid that were read."""
        self._lifted_unread: Counter[str | None] = Counter()
        """Cards lifted unread, by the place they were lifted from."""
        self._perhaps_lifted: set[tuple[str, str | None]] = set()
        """Cards, and their places, that one lifted unread may be."""
        self._laid_unread: Counter[str | None] = Counter()
        """Cards that lie unread, by place."""
        self._turning: str | None = None
        """Where a card was lifted unread, until one is laid elsewhere: one laid there now is that one, turned up."""
        self._in_hand: str | None = None
        self._drawn: str | None = None
        """The card that the shoe drew last, until a card lies on the felt: if it is that one, it is no moved card."""
        self._racked: int | None = None
        self._racks: list[int] = []
        """Journal sequences of the counts that make it up."""
        self._changed: int | None = None
        self._alternates = False
        self._alternation_due = False
        """No card of the open round has been seen yet."""
        self._unchanged: int | None = None
        """Journal sequence of the open round's first card, if no change of deck was reported before it; the key may
        come late."""

    # -- one card after the other

    def on_packet_dispensed(self, observation: Observation) -> None:
        self._judge_alternation()

    def on_card_placed(self, observation: Observation) -> None:
        self._judge_alternation()
        self._card(observation, "card_position")

    def on_card_drawn(self, observation: Observation) -> None:
        self._judge_alternation()
        if not self.desk.availability.sees("card_position.card_placed"):
            self._card(observation, "shoe")
        else:
            self._drawn = observation.data.get("card")

    def on_card_removed(self, observation: Observation) -> None:
        card, place = observation.data.get("card"), observation.data.get("to")
        self._in_hand = card
        if card is not None:
            self._lifted[card] += 1
            return
        self._lifted_unread[place] += 1
        self._turning = place
        self._perhaps_lifted |= {
            (each, place) for each, places in self._lies.items() if place is None or place in places
        }

    def _card(self, observation: Observation, source: str) -> None:
        if source != self._source and self._source is not None:
            self._doubt()
        self._source = source
        card, place = observation.data.get("card"), observation.data.get("to")
        if place != self._turning:
            self._turning = None
        if card is None:
            self._laid_unread[place] += not self._lifted_unread[place]
            return
        self._count(card, observation, source)
        self._lies.setdefault(card, set()).add(place)

    def _count(self, card: str, observation: Observation, source: str) -> None:
        fresh, self._drawn = card == self._drawn, None
        moved, self._in_hand = card == self._in_hand, None  # even into the next round
        if source == "card_position" and not fresh and (moved or self._lay_before(card)):
            self._lifted[card] = max(0, self._lifted[card] - 1)
            return
        if source == "card_position" and self._dealt[card] and observation.data.get("to") in ASIDE:
            return  # taken from the table, whether or not the reader reported the lift
        if self._decks is not None and card not in self._composition:
            self.desk.breach(FOREIGN, {"card": card}, {"card": "of the decks in use"}, once=card)
            return
        if self._turning is not None and self._laid_unread[self._turning] and self._lifted_unread[self._turning]:
            self._laid_unread[self._turning] -= 1
            self._lifted_unread[self._turning] -= 1
        self._dealt[card] += 1
        self._where.setdefault(card, []).append(self.desk.seq)
        allowed = self._in_use * (self._jokers if card == JOKER else 1)
        if self._decks is not None and self._dealt[card] > allowed and self._counts():
            self.desk.breach(
                DUPLICATE,
                {"card": card, "times": self._dealt[card]},
                {"at_most": allowed},
                self._where[card],
                once=card,
            )

    def _lay_before(self, card: str) -> bool:
        """Whether a card that is laid lay on the felt before: it was lifted, perhaps unread, or is only read again."""
        round_ = self.desk.round
        if self._lifted[card] > 0 or (round_ is not None and round_.again == self.desk.seq):
            return True
        for each, place in self._perhaps_lifted:
            if each == card and self._lifted_unread[place] > 0:
                self._lifted_unread[place] -= 1
                self._perhaps_lifted.remove((each, place))
                return True
        return False

    def _counts(self) -> bool:
        """Whether the count holds: within a round that goes on as it began, or over a shoe seen from its start."""
        round_ = self.desk.round
        return self._sure and (self._armed or (round_ is not None and round_.void is None and not round_.mixed))

    # -- what begins and ends a count

    def _start(self, decks: int | None = None) -> None:
        self._forget()
        self._sure = True
        self._armed = self._by_shoe
        self._ending = False
        self._in_use = max(decks or 0, self._decks or 0)

    def _forget(self) -> None:
        self._dealt.clear()
        self._where.clear()
        self._lies.clear()
        self._forget_lifts()
        self._in_hand = None

    def _forget_lifts(self) -> None:
        self._lifted.clear()
        self._lifted_unread.clear()
        self._laid_unread.clear()
        self._turning = None
        self._perhaps_lifted.clear()

    def _disarm(self) -> None:
        self._forget()
        self._armed = self._ending = False

    def _doubt(self) -> None:
        """Cards may have gone by unseen: nothing is reported of this count any more."""
        self._sure = self._armed = False

    def round_opened(self) -> None:
        self._alternation_due = True
        self._forget_lifts()
        if not self._armed:
            self._forget()
            self._sure = True
            self._source = None

    def round_closing(self) -> None:
        self.tick()
        if self._ending:
            self._disarm()

    def on_shoe_started(self, observation: Observation) -> None:
        self._racked = 0 if self._racked is not None else None
        self._start(observation.data.get("decks"))

    def on_cut_card_drawn(self, observation: Observation) -> None:
        """After the round that is being dealt the cards are shuffled, seen or unseen."""
        if self.desk.round is None:
            self._disarm()
        else:
            self._ending = True

    def on_shuffle_started(self, observation: Observation) -> None:
        if not self._by_shoe:
            self._forget()
        elif not self.desk.has("shoe.shoe_started"):
            self._disarm()  # the shoe may be a fresh one from here on, before its cut card came

    def on_shuffle_completed(self, observation: Observation) -> None:
        self._judge_count(observation.data.get("cards"))
        if not self._by_shoe:
            self._forget()
        elif not self._armed and self._shoe_ends and not self.desk.has("shoe.shoe_started") and self.desk.round is None:
            self._start()

    def on_cards_removed(self, observation: Observation) -> None:
        if self.desk.round is None:
            self._disarm()

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key in ("hand_shuffled", "deck_changed", "misdeal"):
            self._disarm()
        if key == "deck_changed":
            late = self._unchanged is not None
            self._changed = None if late else self.desk.seq
            self._unchanged, self.deadline = None, None
            self._alternates = True

    def missed(self, observation: Observation) -> None:
        kind = self._types.get(observation.device)
        if kind in CARD_DEVICES:
            self._doubt()
        elif kind == "panel":
            self._alternates = False
        elif kind == "discard_rack":
            self._racked = None

    # -- the number of cards

    def _judge_count(self, cards: int | None) -> None:
        if cards is not None and self._decks is not None and cards != self._decks * self._size:
            self.desk.breach(COUNT, {"cards": cards}, {"cards": self._decks * self._size}, once=self.desk.seq)

    def on_emptied(self, observation: Observation) -> None:
        self._racked = 0

    def on_cards_counted(self, observation: Observation) -> None:
        """A rack that was empty cannot hold more cards than there are; that it holds fewer says nothing."""
        cards = observation.data.get("cards")
        if self._racked is None or cards is None or self._decks is None:
            return
        whole = self._decks * self._size
        before, self._racked = self._racked, self._racked + cards
        self._racks = [*self._racks, self.desk.seq] if before else [self.desk.seq]
        if before <= whole < self._racked:
            rule = COUNT if self._by_shoe else TWO_DECKS
            self.desk.breach(rule, {"cards": self._racked}, {"at_most": whole}, self._racks, once=self.desk.seq)

    # -- two decks in turn

    def _judge_alternation(self) -> None:
        """Where the crew is known to report each change of deck, a round without one is dealt from the same deck."""
        if not self._alternation_due or self.desk.round is None:
            return
        self._alternation_due = False
        if self._alternates and self._changed is None:
            self._unchanged, self.deadline = self.desk.seq, self.desk.t + LATE_KEY_NS
        self._changed = None

    def tick(self) -> None:
        """No change of deck was reported, not even a moment late."""
        unchanged, self._unchanged, self.deadline = self._unchanged, None, None
        if unchanged is not None and self._alternates:
            said = {"deck": "the same as in the last round"}
            self.desk.breach(ALTERNATE, said, {"deck": "the other one"}, [unchanged])

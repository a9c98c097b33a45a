"""Party craps: two cards are flipped where craps throws two dice. One round record a flip.

Boundaries: DESIGN section 2, card games; without a panel a flip is complete with its second card, and over at once or,
by a reader that shows it, when its cards are taken away.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.hands.points import Points
from pitwatch.rules.play.card_game import position_of
from pitwatch.rules.play.laid_again import LaidAgain
from pitwatch.rules.play.point_cycle import PointCycle
from pitwatch.rules.play.seats import ASIDE

FAMILIES = {"party-craps": "PartyCraps"}


class PartyCraps(LaidAgain):
    """Figure of the book: `cards-a-flip`. Tables: `values` (rank to pips) and `come-out`."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self.SELF_CLOSING = not desk.has("card_position.card_removed")
        self._points = Points(desk.game.tables["values"])
        self._cycle = PointCycle(desk.game.tables["come-out"], known=desk.last_round == 0)
        self._flip: int = desk.figure("cards-a-flip")
        self._readers = {device.id for device in desk.table.devices if device.type in ("shoe", "card_position")}
        self._keys_used = False
        self.began()

    def began(self) -> None:
        self._drawn: list[str | None] = []
        self._seqs: list[int] = []
        self._given_up = False

    # -- boundaries

    def before_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        self._keys_used = self._keys_used or key in ("no_more_bets", "round_over")
        self._given_up = self._given_up or key == "misdeal"
        super().before_key_pressed(observation)

    def before_shuffle_started(self, observation: Observation) -> None:
        """The cards not in play may be shuffled during a flip."""
        if self.desk.round is None or not self._drawn:
            self.desk.boundary()

    def before_card_drawn(self, observation: Observation) -> None:
        if not self.reader and position_of(observation) not in ASIDE:
            self._arrives()

    def before_card_placed(self, observation: Observation) -> None:
        if position_of(observation) not in ASIDE and not self._laid_back(observation):
            self._arrives()

    def _laid_back(self, observation: Observation) -> bool:
        """Whether a card that lies there again, or elsewhere, is one of this flip. Where no key ends the flip, and all
        its cards were taken away, it is the next one's."""
        if self.complete() and self.cleared and not (self.panel and self._keys_used):
            return False
        return self.laid_again(observation) is not None

    def _arrives(self) -> None:
        if self.desk.round is not None and self.complete() and not (self.panel and self._keys_used):
            self.close()
        fresh = self.desk.round is None or self.first is None
        self._first_card()
        if fresh and self.called is None and self._sound():
            self.desk.breach(
                "no-more-bets-not-called",
                {"no_more_bets": "not called before the first card"},
                {"no_more_bets": "called before the flip"},
            )

    # -- the flip

    def on_card_removed(self, observation: Observation) -> None:
        super().on_card_removed(observation)
        if self.complete() and self.cleared and not (self.panel and self._keys_used):
            self.close()

    def read(self, position: str | None, card: str) -> None:
        if None in self._drawn:
            self._drawn[self._drawn.index(None)] = card

    def dealt(self, position: str | None, card: str | None) -> None:
        if position in ASIDE:
            return
        self._drawn.append(card)
        self._seqs.append(self.desk.seq)
        if len(self._drawn) > self._flip:
            self._judge_count()

    def _judge_count(self) -> None:
        if self._sound():
            observed, required = {"cards": len(self._drawn)}, {"cards": self._flip}
            self.desk.breach("not-two-cards", observed, required, self._seqs)

    def _sound(self) -> bool:
        source = "card_position.card_placed" if self.reader else "shoe.card_drawn"
        round_ = self.desk.round
        return round_ is not None and not round_.partial and self.desk.availability.sees(source)

    def on_reader_error(self, observation: Observation) -> None:
        self.missed(observation)

    def missed(self, observation: Observation) -> None:
        """A card, or a whole flip, may have gone by unseen."""
        if observation.device not in self._readers:
            return
        if self.desk.round is not None and not self.complete():
            self.desk.round.partial = True
        if not self.panel or self.desk.round is None:
            self._cycle.known = False

    # -- the round closes

    def complete(self) -> bool:
        return len(self._drawn) >= self._flip

    def ended(self) -> tuple[dict[str, Any], bool]:
        if self._drawn and len(self._drawn) < self._flip and not self._given_up:
            self._judge_count()
        faces = [self._points.value(card) for card in self._drawn]
        shown = [face for face in faces if face is not None]
        sound = self._sound()
        whole = sound and len(shown) == len(faces) == self._flip and not self._given_up
        total = sum(shown) if whole else None
        course = self._cycle.take(total) if total is not None else self._cycle.stand()
        if total is None and self._drawn and not self._given_up:
            self._cycle.known = False
        return {"faces": faces, "total": total, **course}, not sound or not self._drawn

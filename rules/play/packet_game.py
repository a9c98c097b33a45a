"""Card games of one deck that is shuffled for every round: a shuffle bounds rounds where no key does.

Knows no game.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.play.card_game import CLEAR_NS, RESHUFFLED, CardGame, position_of
from pitwatch.rules.play.seats import ASIDE


class PacketGame(CardGame):
    COUNTS_HANDS = True

    def __init__(self, desk: Desk):
        super().__init__(desk)
        desk.dealt_out = self.dealt_out
        self.off_the_book = False
        """The round does not count any more: what is dealt again is not judged as this round's."""
        self._clear_since: int | None = None
        """When the last card of the round was taken from the felt; None while one lies there."""
        self._shuffled_since = False
        """Whether the machine has completed a shuffle since the last card or packet."""

    def dealt_out(self) -> bool:
        """Whether surely all cards of the round are dealt."""
        return self.complete()

    def began(self) -> None:
        self.off_the_book = False
        self._clear_since = None

    # -- both keys forgotten

    def _is_next_deal(self) -> bool:
        """Whether a card that comes now shows that the round is over, though no key said so: it was dealt out, and its
        cards are long gone."""
        round_ = self.desk.round
        clear = self._clear_since is not None
        gone = self._clear_since is not None and self.desk.t - self._clear_since >= CLEAR_NS
        over = gone or (self._shuffled_since and (clear or not self.reader))
        return over and round_ is not None and round_.void is None and self.complete()

    def before_shuffle_completed(self, observation: Observation) -> None:
        self._shuffled_since = True

    def before_card_placed(self, observation: Observation) -> None:
        if position_of(observation) not in ASIDE:
            if self._clear_since is not None and self._is_next_deal():
                self.close()
            self._clear_since = None
        super().before_card_placed(observation)

    def before_packet_dispensed(self, observation: Observation) -> None:
        """A whole shuffle and then another packet for a hand."""
        position = position_of(observation)
        if position not in ASIDE and self.begins_with(observation.data.get("cards")) and self._is_next_deal():
            self.close()
        self._shuffled_since = False
        super().before_packet_dispensed(observation)

    def begins_with(self, cards: object) -> bool:
        """Whether a round may begin with a packet of so many cards."""
        return True

    def before_shuffle_started(self, observation: Observation) -> None:
        """A panel that is not used bounds nothing; cards shuffled after a void round are no longer that round's."""
        round_ = self.desk.round
        if not self.panel:
            self.close()
        elif round_ is not None and round_.void is not None:
            self.off_the_book = True
        elif round_ is not None and self.called is None and self.complete():
            self.close()
        super().before_shuffle_started(observation)

    def on_key_pressed(self, observation: Observation) -> None:
        """A misdeal is called, or the cards of a void round are shuffled by hand."""
        key, round_ = observation.data.get("key"), self.desk.round
        if key == "misdeal" and round_ is not None:
            self.off_the_book = True
            round_.void = round_.void or "misdeal"
        elif key in RESHUFFLED:
            self.void_over()

    def cleared(self) -> None:
        """The last card of the round was taken from the felt."""
        self._clear_since = self.desk.t
        self.void_over()

    def void_over(self) -> None:
        """The cards were shuffled, or all taken away: those of a void round are no longer that round's."""
        if self.desk.round is not None and self.desk.round.void is not None:
            self.off_the_book = True

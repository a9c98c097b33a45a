"""Card games of one deck that is shuffled for every round: a shuffle bounds rounds where no key does.

Knows no game.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.card_game import CardGame
from pitwatch.rules.desk import Desk
from pitwatch.rules.watchers.cut_card import RESHUFFLED


class PacketGame(CardGame):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        desk.dealt_out = self.dealt_out
        self.off_the_book = False
        """The round does not count any more: what is dealt again is not judged as this round's."""

    def dealt_out(self) -> bool:
        """Whether surely all cards of the round are dealt."""
        return self.complete()

    def began(self) -> None:
        self.off_the_book = False

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

    def void_over(self) -> None:
        """The cards were shuffled, or all taken away: those of a void round are no longer that round's."""
        if self.desk.round is not None and self.desk.round.void is not None:
            self.off_the_book = True

"""Cards that a reader under the felt shows being lifted and laid again: none of them is a card more, wherever it lies
then, and whichever time its face was read.

Knows no game: for families that count the cards of a round.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.play.card_game import CardGame, Lifted, card_of, position_of
from pitwatch.rules.play.seats import ASIDE


class LaidAgain(CardGame):
    """A family overrides

    `read(position, card)`          the face of a card that lay there unread is known now
    `comes_back(lifted, position)`  whether a card that was lifted may be laid there again
    """

    def read(self, position: str | None, card: str) -> None: ...

    def comes_back(self, lifted: Lifted, position: str | None) -> bool:
        """Whether a card that was lifted may be laid here again."""
        return True

    def laid_again(self, observation: Observation) -> Lifted | None:
        """Which of the cards lifted in this round the one that is laid now may be; None if it is a new one."""
        position, card = position_of(observation), card_of(observation)
        if self.desk.round is None or position in ASIDE:
            return None
        return self.lifted_as(position, card, [each for each in self._lifted if self.comes_back(each, position)])

    @property
    def cleared(self) -> bool:
        """Whether all cards of the round were taken away: unless a key says that it goes on, what comes is the next."""
        dealt = sum(len(cards) for position, cards in self.cards.items() if position not in ASIDE)
        return 0 < dealt <= len(self._lifted)

    def on_card_placed(self, observation: Observation) -> None:
        lifted = self.laid_again(observation)
        if lifted is None:
            same = position_of(observation), card_of(observation)
            if same[0] not in ASIDE and same in self._lifted:
                self._lifted.remove(same)  # the family knows better: it only looks like that one
            super().on_card_placed(observation)
            return
        self._lifted.remove(lifted)
        if lifted[1] is None:
            self._show(lifted[0], card_of(observation))
        self.relaid(lifted[0], card_of(observation) or lifted[1])

    def on_card_removed(self, observation: Observation) -> None:
        """A card that was laid unread may show its face when it is lifted; one that was read may not."""
        position, card = position_of(observation), card_of(observation)
        self._show(position, card)
        lying = len(self.cards.get(position or "", ())) - sum(at == position for at, _ in self._lifted)
        super().on_card_removed(observation)
        if card is None and lying > 0:
            self._lifted.append((position, None))

    def _show(self, position: str | None, card: str | None) -> None:
        here = self.cards.get(position or "", [])
        if card is not None and card not in here and None in here:
            here[here.index(None)] = card
            self.read(position, card)

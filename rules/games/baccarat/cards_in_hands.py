"""In which hand of baccarat a card lies; from the shoe, the felt, or both. Judges no play.

Document columbus-2016, lines 2115, 2242; toledo-2020, 3844, 3990.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.baccarat.burn import BURN, DISCARD, Burn
from pitwatch.rules.games.baccarat.card_in_error import CardInError
from pitwatch.rules.games.baccarat.closed import ClosedRound
from pitwatch.rules.games.baccarat.draws import Draws
from pitwatch.rules.games.baccarat.faces import Faces, show
from pitwatch.rules.games.baccarat.lost_place import LostPlace
from pitwatch.rules.games.baccarat.sight import Sight
from pitwatch.rules.games.baccarat.tableau import BANKER, HANDS, INITIAL, NOBODY, PLAYER, Tableau
from pitwatch.rules.games.baccarat.unannounced import Unannounced
from pitwatch.rules.play.card_game import CardGame, card_of, position_of


class CardsInHands(CardGame):
    """Which round a card is of, `CardsOfRounds` says; it overrides `arrives` and `released`."""

    SELF_CLOSING = True

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._tableau = Tableau(desk.game.tables, desk.options)
        self._sight = Sight(desk)
        self._draws = Draws(desk, self._tableau, self._sight)
        self._burn = Burn(desk)
        self._error = CardInError(desk)
        self._place_of_rounds = LostPlace()
        self._faces = Faces()
        self._unannounced = Unannounced()
        self._last: ClosedRound | None = None
        self._keys_used = False
        self._declares = False
        """Whether the shoe is known to report the result of each round."""
        self._placing = True
        self._drawn = 0
        """Cards out of the shoe since the last round, burn cards apart."""
        self._ahead = 0
        """Cards of the next round that the shoe has let out when the round closes."""

    def began(self) -> None:
        self._draws.began()
        self._sight.began()
        self._faces.began()
        self._declared = False
        self._inferred = False

    def arrives(self, observation: Observation) -> None:
        """A card for a hand comes, of a round still to be made out."""

    def released(self) -> None:
        """A card that may be of the burn was drawn; it may show that those before it were none."""

    def belongs_to_the_last(self, position: str) -> None:
        """A card lies at a hand: it may show that one before it was of the last round."""

    def _hand(self, name: str) -> list[str | None]:
        return self.cards.get(name, [])

    @property
    def _was_called(self) -> bool:
        """Whether there is an open round and no more bets was called for it."""
        return self.desk.round is not None and self.called is not None

    @property
    def _cards_seen(self) -> int:
        return sum(len(self._hand(name)) for name in HANDS)

    def _next(self) -> frozenset[str | None]:
        """Where the open round's next card goes, None among it if there need be none."""
        return self._tableau.next_cards(self._hand(PLAYER), self._hand(BANKER))

    @property
    def _bounded_by_keys(self) -> bool:
        return self.panel and self._keys_used

    @property
    def _felt_cleared(self) -> bool:
        """Whether all cards of the open round were seen to be lifted."""
        return self.reader and self._cards_seen >= 2 * INITIAL and len(self._lifted) == self._cards_seen

    # -- where a card lies

    def before_card_drawn(self, observation: Observation) -> None:
        self._placing = False
        to = position_of(observation)
        if to in (BURN, DISCARD):
            self._burn.note(card_of(observation), by_reader=False, counts="outside" not in observation.data)
            return
        if to not in (None, *HANDS):
            return
        if to is None and self._burn.guess(
            observation, card_of(observation), called=self.panel and not self._was_called
        ):
            self._sight.unconfirmed = not self.panel and not self.reader
            if not self.reader:
                self.released()
            return
        if self._burn.unknown and to is None:
            self._sight.lost = True
        self._drawn += 1
        if not self.reader:
            self.arrives(observation)
        else:
            self._faces.drew(to, card_of(observation))
            self._draws.drew(to)

    def before_card_placed(self, observation: Observation) -> None:
        self._placing = False
        to = position_of(observation)
        if to == BURN and not self.desk.availability.on_line("shoe.card_drawn"):
            self._burn.note(card_of(observation), by_reader=True)
        elif to in HANDS:
            if self._laid_back(to, card_of(observation)) or self._shows_again(str(to), card_of(observation)):
                self._draws.evidence.append(self.desk.seq)
                return
            if self.desk.availability.on_line("shoe.card_drawn") and not self._was_called:
                self._burn.abandon()
            self._leaves_the_other_hand(to, card_of(observation))
            self.arrives(observation)
        elif to is None:
            self._sight.unplaced()

    def on_card_drawn(self, observation: Observation) -> None:
        if self._placing:
            super().on_card_drawn(observation)

    def on_card_placed(self, observation: Observation) -> None:
        if not self._placing:
            return
        to, card = position_of(observation), card_of(observation)
        face = self._faces.laid(self.desk.t, to, card) if to in HANDS else card
        if face != card:
            data = {**observation.data, "card": face}
            observation = Observation(observation.t, observation.device, observation.event, data)
        super().on_card_placed(observation)

    def on_card_removed(self, observation: Observation) -> None:
        """A card of the closed round may come back as well; once none is left, the felt was cleared."""
        position, card = position_of(observation), card_of(observation)
        if position not in HANDS:
            return
        self._place_of_rounds.lifted()
        last = self._last if self.desk.round is None else None
        pile = last.hands[position] if last is not None else self.cards.get(position, [])
        if card in pile or (pile and (card is None or None in pile)):
            self._lifted.append((position, card))
        if last is not None and len(self._lifted) >= sum(map(len, last.hands.values())):
            self._lifted = []

    def _laid_back(self, to: str | None, card: str | None) -> bool:
        """Whether the card is or may be one that was lifted there; it lies again."""
        if self._felt_cleared and not self._bounded_by_keys:
            return False  # in a shoe of several decks the next round may begin with the same card
        lifted = self.lifted_as(to, card)
        if lifted is None:
            return False
        self._lifted.remove(lifted)
        self._place_of_rounds.placed()
        show(card, self._hand(str(to)), another=lifted[1] is None)
        return True

    def _shows_again(self, to: str, card: str | None) -> bool:
        """Whether a card that lies there already is only read now."""
        if self.desk.round is None or not self._hand(to):
            return False
        shoe = self.desk.availability.on_line("shoe.card_drawn") and self._drawn > 0
        all_laid = self._drawn <= self._cards_seen if shoe else None
        if not self._faces.shows_again(self.desk.t, to, card, self._hand(to), all_laid):
            return False
        show(card, self._hand(to))
        self.desk.round.again = self.desk.seq
        return True

    def _leaves_the_other_hand(self, to: str, card: str | None) -> None:
        """A card that was lifted from the other hand lay in the wrong box; unless the shoe has let out another one."""
        other = BANKER if to == PLAYER else PLAYER
        fresh = self.desk.availability.on_line("shoe.card_drawn") and self._drawn > self._cards_seen
        if card not in self._hand(other) or (other, card) not in self._lifted or fresh or self._felt_cleared:
            return
        self._lifted.remove((other, card))
        self._hand(other).remove(card)

    def _take_back(self) -> None:
        """Cards that were drawn wrongly and lifted again, while all others lie, are of no hand any more."""
        back = [at for at, _ in self._lifted]
        hands = {name: self._hand(name) for name in HANDS}
        if not (back and self._sight.wrongly_drawn and self._sight.placed):
            return
        left = {name: cards[: len(cards) - back.count(name)] for name, cards in hands.items()}
        last = all(sorted(hands[name][len(left[name]) :], key=str) == self._lifted_of(name) for name in HANDS)
        if (
            last
            and all(len(cards) >= INITIAL for cards in left.values())
            and None in self._tableau.next_cards(left[PLAYER], left[BANKER])
        ):
            self._lifted = []
            for name in back:
                self.cards[str(name)].pop()

    def _lifted_of(self, name: str) -> list[str | None]:
        return sorted((card for at, card in self._lifted if at == name), key=str)

    def where(self, position: str | None, card: str | None) -> str | None:
        """The fixed order says where a card goes if the shoe does not; None if unread faces leave it open."""
        if position is None and not self.desk.aligned:
            self._sight.lost = True
        if position is not None or self.reader or self._sight.lost:
            return position
        hands = self._next()
        if hands == NOBODY:
            return None
        if len(hands) > 1 and self.panel and self._was_called:
            hands -= NOBODY  # the round goes on, as the key will show
        if len(hands) > 1:
            self._sight.unplaced()
            return None
        self._inferred = True
        return next(iter(hands))

    def dealt(self, position: str | None, card: str | None) -> None:
        self._draws.evidence.append(self.desk.seq)
        if self._sight.lost:
            return
        if position in HANDS:
            self.belongs_to_the_last(str(position))
            self._draws.dealt(str(position), self._hand(PLAYER), self._hand(BANKER), self.reader)
        elif position is None and self._sight.placed:
            self._draws.unplaced(self._hand(PLAYER), self._hand(BANKER), {"hand": None})

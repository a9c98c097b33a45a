"""Which round a card of baccarat is of; `cards_in_hands` says in which hand it lies.

Judges no play: what begins a round that nobody called, or one seen from its first card, is for the procedure.
Boundaries: DESIGN section 2.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.games.baccarat.cards_in_hands import CardsInHands
from pitwatch.rules.games.baccarat.tableau import BANKER, INITIAL, NOBODY, PLAYER
from pitwatch.rules.games.baccarat.unannounced import Kept
from pitwatch.rules.play.card_game import card_of, position_of


class CardsOfRounds(CardsInHands):
    """The procedure overrides `begins_uncalled` and `begins_whole`."""

    def begins_uncalled(self) -> None:
        """The first card of a round comes, and nobody called no more bets."""

    def begins_whole(self) -> None:
        """The first card of a round comes, and it is known to be the first."""

    def released(self) -> None:
        """A round that nobody called was taken for burn cards: deal it now."""
        held = self._burn.held()
        if not held:
            return
        self._burn.over()
        self._open()
        assert self.desk.round is not None
        self.desk.round.opened = held[0].t
        self.first = self.desk.seq
        self.begins_uncalled()
        for each in held:
            self._place(each)

    def complete(self) -> bool:
        return not self._sight.lost and self._next() == NOBODY

    def arrives(self, observation: Observation) -> None:
        """A card of a round, if it is not kept back until it shows of which."""
        complete = self._bounded_by_keys and self._sight.whole and not self._declared and self.complete()
        if self._unannounced.keeps(self.desk.seq, observation, complete):
            if self._unannounced.begun:
                self._deal_kept(self._unannounced.take(), next_round=True)
            self._placing = False
            return
        self._deal_kept(self._unannounced.take())
        self._unannounced.card(observation.t)
        self._deal(observation)

    def _deal_kept(self, kept: list[Kept], next_round: bool = False) -> None:
        """Cards that were kept back are dealt: as those of the next round, or of this one."""
        now = self.desk.t, self.desk.seq
        for number, (seq, seen) in enumerate(kept):
            self.desk.t, self.desk.seq = seen.t, seq
            if next_round and not number:
                self._close_before(min(self._drawn, len(kept)) if self.reader else 0)
            self._unannounced.card(seen.t)
            self._deal(seen)
            if self._placing:
                (self.on_card_placed if self.reader else self.on_card_drawn)(seen)
        self.desk.t, self.desk.seq = now

    def _deal(self, observation: Observation) -> None:
        """A card of a round: of the open one, of a new one, or one too many of the last."""
        self._burn.over()
        to, index = position_of(observation), observation.data.get("index")
        starts = index == 1 and to == PLAYER
        self._mind_the_place(to, index)
        if self.desk.round is not None and self._cards_seen and self._is_over(to, index):
            self._close_before_this_card()
        if starts:
            self._sight.confirmed()
        card = self._error.latest = card_of(observation)
        fresh = not self._cards_seen
        if self._last is not None and fresh and not self._was_called and self._is_of_the_last(to, index):
            self._last.too_many(str(to), card)
            self._sight.beware()
            return
        self._placing = True
        self._first_card()
        if self.desk.round is not None and fresh:
            self.first = self.desk.seq
            if not self._was_called:
                self.desk.round.opened = self.desk.t
                self.begins_uncalled()
            self._take_up_carried(to)
            if self._sight.lost and not self._bounded_by_keys:
                self.desk.round.partial = True
            else:
                self.begins_whole()

    def _close_before_this_card(self) -> None:
        self._close_before(1 if self.reader and self._drawn else 0)  # the shoe let this card out before it was laid

    def _close_before(self, drawn_ahead: int) -> None:
        """Close the round before the cards of the next one that the shoe has let out."""
        self._drawn -= drawn_ahead
        self._ahead = drawn_ahead
        self.close()
        self._drawn, self._ahead = drawn_ahead, 0

    def _mind_the_place(self, to: str | None, index: int | None) -> None:
        """A card to a hand: unread faces may leave open whether it is still of this round, and then nothing is judged
        until it is sure again that one begins."""
        if to is None:
            self._place_of_rounds.gap()
            return
        place, sight = self._place_of_rounds, self._sight
        begins = place.placed() if self.reader else place.drawn(to)
        if self._bounded_by_keys:
            return
        begun = self.desk.round is not None and self._cards_seen > 0
        if sight.lost:
            if begun and (begins or len(self._hand(to)) > INITIAL):
                self._close_before_this_card()
            sight.lost = not begins
        elif self._cards_seen >= 2 * INITIAL and not self._declared and begins and self.reader:
            self._close_before_this_card()  # the felt was cleared
        elif begun and not self._declared and self._may_begin_a_round(to, index):
            sight.lost = True
            self._close_before_this_card()

    def _may_begin_a_round(self, to: str, index: int | None) -> bool:
        """Whether the card is the player's third or the first of the next round, and nobody will say which."""
        told = index is not None or self._declares or (self.reader and self._place_of_rounds.untouched)
        return not told and to == PLAYER and {to, None} <= self._next()

    def _is_of_the_last(self, to: str | None, index: int | None) -> bool:
        """Whether a first card is one too many of the round before."""
        return not self._error.carried and not self._sight.lost and self._is_extra(to, index)

    def _take_up_carried(self, to: str | None) -> None:
        """A card left over from the last round is the first of this one, if the shoe goes on with the banker's."""
        carried = self._error.taken()
        if carried and to == BANKER:
            self.cards[PLAYER] = carried
        elif carried and to is None:
            self._sight.lost = True

    def _is_over(self, to: str | None, index: int | None) -> bool:
        """Whether the open round ended before this card, though nobody has said so."""
        if self._declared or (index == 1 and to == PLAYER):
            return True
        if self._bounded_by_keys:
            return False
        if self._felt_cleared:
            return True
        hands = self._next()
        due = to in hands and hands != NOBODY
        return not self._sight.lost and None in hands and not due and not self._is_extra(to, index)

    @staticmethod
    def _is_extra(to: str | None, index: int | None) -> bool:
        """Whether no round can begin with this card: rounds begin with the player's first."""
        return to == BANKER or (to == PLAYER and index is not None and index > INITIAL)

    def belongs_to_the_last(self, position: str) -> None:
        """Two cards to the player in a row: no round begins so, the first was one too many of the round before."""
        player, banker = self._hand(PLAYER), self._hand(BANKER)
        at_once = INITIAL if not self.reader else INITIAL + 1
        if self._last is None or self._was_called or position != PLAYER:
            return
        if len(player) == at_once and (not banker or (self.reader and len(banker) < INITIAL)):
            seq = self._draws.evidence.pop(0)
            self._last.too_many(PLAYER, player.pop(0), [seq])
            self._sight.beware()
            if self.desk.round is not None:
                self.desk.round.opened, self.first = self.desk.t, self.desk.seq

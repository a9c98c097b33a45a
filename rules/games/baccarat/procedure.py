"""Baccarat: follows the two hands from the shoe or the felt, by the tableau that the game's book prints.

`cards_of_rounds` decides which round each card is of; here stand the calls, the wagers, what the shoe reports of itself
and the end of a round. Boundaries: DESIGN section 2. Must not know which baccarat is played: counts, draws and figures
are the book's.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.baccarat.cards_of_rounds import CardsOfRounds
from pitwatch.rules.games.baccarat.closed import ClosedRound
from pitwatch.rules.games.baccarat.free_hands import FreeHands
from pitwatch.rules.games.baccarat.sight import MISDEAL
from pitwatch.rules.games.baccarat.tableau import BANKER, HANDS, INITIAL, PLAYER

FAMILIES = {"baccarat": "Baccarat"}

BY_THE_CARDS = (
    "third-card-rule", "more-than-one-extra-card", "wrong-initial-sequence", "result-mismatch", "late-wager",
    "free-hands-over-limit",
)  # fmt: skip
"""Rules of which nothing can be said where nobody knows which cards are a round."""

NO_CARD_LOST = ("overdraw", "button_misuse", "draw_timeout")
"""Reader errors after which every card of the round was still read."""


class Baccarat(CardsOfRounds):
    """The course of a round: four cards in turn, at most one more a hand, then the result."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._free = FreeHands(desk)
        self._sources = {each.id for each in desk.table.devices if each.type in ("shoe", "card_position")}
        self._ending = False
        self.began()

    # -- the round opens

    def began(self) -> None:
        super().began()
        self._abandoned = False

    def begins_whole(self) -> None:
        self._free.dealt(self.hands)

    def begins_uncalled(self) -> None:
        if self._error.phantom:
            return
        self.desk.breach(
            "no-more-bets-not-called",
            {"no_more_bets": "not called before the first card"},
            {"no_more_bets": "called at the start of the round"},
            self._draws.evidence,
        )

    def before_shoe_started(self, observation: Observation) -> None:
        self._deal_kept(self._unannounced.take())
        if self._was_called and not self._cards_seen:
            self.desk.boundary()
        else:
            self._ending = True  # a shoe changed in mid-round proves no card missing
            super().before_shoe_started(observation)
        self._ending = False
        self._sight.confirmed()
        self._last = None
        self._error.taken()
        self._burn.shoe_started()
        self._free.shoe_started()

    def before_shuffle_started(self, observation: Observation) -> None:
        """The idle shoe may be shuffled while a round is dealt."""
        if self.desk.round is None or not self._cards_seen:
            self.desk.boundary()

    def before_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key in ("no_more_bets", "round_over", MISDEAL):
            late = key == "no_more_bets" and self._unannounced.just_before(observation.t)
            self._deal_kept(self._unannounced.take(), next_round=late)
        if key == "no_more_bets":
            self._burn.over()
        if key in ("no_more_bets", "round_over"):
            self._keys_used = True
            if self.desk.round is not None and not self._was_called and self._sight.whole:
                self.begins_uncalled()
        super().before_key_pressed(observation)
        if key in ("no_more_bets", "round_over"):
            self._sight.confirmed()
        if key == "no_more_bets":
            self._error.called()
            if not self._cards_seen:
                self._last = None
        elif key == MISDEAL and self.desk.round is not None:
            self._abandoned = True
            self.desk.round.void = self.desk.round.void or MISDEAL

    def breached(self, rule: str, observed: dict[str, Any]) -> None:
        self._error.breached(rule, observed)

    # -- wagers, the bank

    def on_seat_taken(self, observation: Observation) -> None:
        """A wager that comes while cards are dealt, where none lay when the round began."""
        super().on_seat_taken(observation)
        self._count_wagers()
        seat = observation.data.get("seat")
        if self.hands is None or seat in self.hands or not self._cards_seen or not self._sight.whole:
            return
        if None not in self._next():
            self.desk.breach(
                "late-wager", {"seat": seat, "cards_dealt": self._cards_seen}, {"cards_dealt": 0}, once=seat
            )

    def on_seat_left(self, observation: Observation) -> None:
        super().on_seat_left(observation)
        self._count_wagers()

    def _count_wagers(self) -> None:
        """Those of a round are the ones that lie when its first card comes."""
        if self.desk.round is not None and self.first is None:
            self.hands = self.seats.in_play()

    def on_bank_moved(self, observation: Observation) -> None:
        self._free.bank = observation.data.get("seat")

    # -- what the shoe says of itself

    def on_reader_error(self, observation: Observation) -> None:
        kind = observation.data.get("kind")
        if kind not in NO_CARD_LOST:
            self._sight.doubt = True
            self._burn.abandon()
        elif kind == "overdraw":
            self._overdrawn()

    def _overdrawn(self) -> None:
        """The shoe stopped a card that the tableau does not allow."""
        if self._cards_seen:
            if self.complete() and not self._declared:
                self._draws.unplaced(self._hand(PLAYER), self._hand(BANKER), {"shoe": "overdraw"})
        elif self._last is not None and not self._was_called and not self._last.declared:
            self._last.one_more(self._tableau, {"shoe": "overdraw"})

    def on_result_declared(self, observation: Observation) -> None:
        """The shoe's own result ends the hand; it comes just after the last card, or after the round closed on that."""
        self._deal_kept(self._unannounced.take())
        last, self._declares = self._last, True
        if self.desk.round is None or not self._cards_seen or (self._cards_seen < 2 * INITIAL and last is not None):
            if last is not None and not last.declared and not self._was_called and self._tells_of(observation):
                since = {hand: [*self._hand(hand)] for hand in HANDS}
                last.declare(self._tableau, observation.data, since, not self._inferred, self._draws.evidence)
                if self._cards_seen:
                    self.desk.withdraw_round()
                self._sight.confirmed()
                return
            if not self._cards_seen:
                return
        self._declared = True
        self._abandoned = self._abandoned or self._cards_seen < 2 * INITIAL
        self._judge_missing()
        if not self._sight.doubt and not self._sight.wrongly_drawn and (None in self._next() or not self.reader):
            result = observation.data.get("winner"), observation.data.get("pairs")
            said, lies = self._tableau.differs(self._hand(PLAYER), self._hand(BANKER), *result)
            if said:
                self._draws.breach("result-mismatch", said, lies)
        self._sight.settled = self._sight.whole and not self.reader and None in self._next()
        if not self._bounded_by_keys:
            self.close()
        self._sight.confirmed()

    def _tells_of(self, observation: Observation) -> bool:
        """Whether the result can be of the closed round: a shoe reports no winner of a hand of less than four cards."""
        return not self._cards_seen or observation.data.get("winner") is not None

    def on_device_online(self, observation: Observation) -> None:
        self.missed(observation)

    def missed(self, observation: Observation) -> None:
        """Cards may have gone by unseen."""
        self._deal_kept(self._unannounced.take())
        if observation.device not in self._sources or self.desk.availability.available(observation.device):
            return
        self._burn.abandon()
        self._free.unwatched(observation.device)
        self._place_of_rounds.gap()
        self._last = None
        if self.desk.round is not None and not self.complete() and not self._sight.settled:
            self.desk.round.partial = True

    def on_emptied(self, observation: Observation) -> None:
        self._burn.emptied()

    def on_cards_counted(self, observation: Observation) -> None:
        self._burn.cards_counted(observation.data.get("cards"))

    # -- the round closes

    def _judge_missing(self) -> None:
        """A hand that had to draw and did not, once the round is over."""
        if self._sight.lost:
            return
        player, banker = self._hand(PLAYER), self._hand(BANKER)
        if self._ending or self._abandoned or self._sight.doubt or len(player) < INITIAL or len(banker) < INITIAL:
            return
        if not self._faces.guessed and (not self.reader or self._drawn in (0, self._cards_seen)):
            self._draws.missing(player, banker)

    def ended(self) -> tuple[dict[str, Any], bool]:
        self._judge_missing()
        self._draws.ended(self._cards_seen, self._ahead)
        self._take_back()
        player, banker = self._hand(PLAYER), self._hand(BANKER)
        round_, sight = self.desk.round, self._sight
        sound = sight.whole and len(player) >= INITIAL and len(banker) >= INITIAL
        if round_ is not None:
            self._last = ClosedRound(
                self.desk,
                round_.number,
                {PLAYER: [*player], BANKER: [*banker]},
                self._draws.evidence,
                sight.judged and not sight.doubt,
                self._declared,
                round_.seen,
            )
        if sight.lost:
            self.desk.leave_unjudged(BY_THE_CARDS)
        self._drawn = 0
        self._faces.forget(but_last=self._ahead)
        if len(self._lifted) >= self._cards_seen:
            self._lifted = []
        if not sound or sight.misdealt:
            return self._tableau.result((), ()), not (sight.whole and sight.misdealt)
        known = self._may_be_over() or not (sight.doubt or self._ending or self._abandoned)
        return self._tableau.result(player, banker) if known else self._tableau.result((), ()), not known

    def _may_be_over(self) -> bool:
        """Whether nothing more need come, every face being read: where the document leaves a draw open, too."""
        read = all(self._tableau.count(self._hand(name)) is not None for name in HANDS)
        return self.complete() or (read and None in self._next())

    def finish(self) -> None:
        self._deal_kept(self._unannounced.take())
        self._ending = True
        if self.desk.round is not None and not self._cards_seen and not self._was_called:
            self.desk.withdraw_round()
        round_ = self.desk.round
        if round_ is not None:
            round_.partial = round_.partial or not self._may_be_over()
            self.close()

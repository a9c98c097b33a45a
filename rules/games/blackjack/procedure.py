"""Blackjack: follows rounds from the initial deal to the dealer's last card, and shows each card to whoever judges it.

    deal             who gets the first cards, in which order; `dealt_in` says who is to get them
    hole_card        the dealer's look for a blackjack, and no card after one
    paid_blackjacks  when players' blackjacks are taken from the layout
    draws            who drew and who stood against the rules of the house
    splits, exchange, switch, board, mid_shoe
                     what their names say
    cards_on_layout  which round a card is of, and where it lies; `round_end` where one ends, `sight` what is certain

What a variant does otherwise stands in its book: points, totals, order of the deal, house options, an exchange, a
switch, a second half. A rule is judged only on cards that were seen, at places that are known; a round in which a card
was lost sight of proves little.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk, OpenRound
from pitwatch.rules.games.blackjack.board import COMMUNITY
from pitwatch.rules.games.blackjack.cards_on_layout import INITIAL, CardsOnLayout
from pitwatch.rules.games.blackjack.deal import Verdict
from pitwatch.rules.games.blackjack.draws import Draws
from pitwatch.rules.games.blackjack.hand import summary
from pitwatch.rules.games.blackjack.mid_shoe import MidShoe
from pitwatch.rules.games.blackjack.paid_blackjacks import PaidBlackjacks
from pitwatch.rules.games.blackjack.sevens import Sevens
from pitwatch.rules.play.seats import DEALER, is_seat

FAMILIES = {"blackjack": "Blackjack"}


class Blackjack(CardsOnLayout):
    """Boundaries: DESIGN section 2; without a panel see `round_end`.

    Table of the book: `initial-deal`. Figure: `dealer-pushes-on`, a total of the dealer's on which wagers push. What
    the parts of this procedure ask of the book stands with them.
    """

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._blackjacks = PaidBlackjacks(desk, self._hole, self._layout, self._players, self._breach)
        self._draws = Draws(desk, self.house, self._players, self._splits, self._exchange, self._breach)
        figure = desk.game.figures.get("dealer-pushes-on")
        self._pushes_on: int | None = figure.value if figure is not None else None
        self._shoe = MidShoe(desk)
        self._sevens = Sevens(desk)
        self._clear()

    def _clear(self) -> None:
        self.clear_cards()
        self._blackjacks.clear()
        self._draws.clear()
        self._miscounted = False
        self._cut_short = False

    # -- a round opens

    def began(self) -> None:
        self.hands = self._dealt_in.hands(self.hands)
        self._clear()
        sensed = self.hands if self.seats.sensed and self._sight.watched else None
        self._shoe.round_opened(sensed or ())

    def on_bank_moved(self, observation: Observation) -> None:
        self._dealt_in.bank_moved(observation.data.get("seat"))
        if self.desk.round is not None and not self.cards:
            self.hands = self.seats.in_play()
            self.began()

    def before_key_pressed(self, observation: Observation) -> None:
        super().before_key_pressed(observation)
        if observation.data.get("key") == "misdeal" and self.desk.round is not None:
            self._call_misdeal(self.desk.round)

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_more_bets" and self.desk.round is not None and not self.cards:
            self.hands = self.seats.in_play()  # a card before it, nobody knows where, was burned
            self.began()
        elif key in ("deck_changed", "hand_shuffled"):
            self._shoe.reshuffled()

    def _call_misdeal(self, round_: OpenRound) -> None:
        """The round does not count; what is dealt again is not judged as this round's."""
        self._tell(self._deal.end(misdeal=True))
        self._draws.release()
        self._sight.misdealt = True
        round_.void = round_.void or self.desk.misdealt or "misdeal"
        self._lose_sight()

    # -- wagers

    def on_seat_taken(self, observation: Observation) -> None:
        """A wager too late: whether it is dealt to is not for the order of the deal to say."""
        super().on_seat_taken(observation)
        if self.desk.round is not None and observation.data.get("seat") not in (self.hands or ()):
            self._deal.give_up()

    def on_seat_left(self, observation: Observation) -> None:
        super().on_seat_left(observation)
        in_play = self.desk.round is not None and observation.data.get("seat") in (self.hands or ())
        if in_play and not self._deal.dealer_served:  # later on, wagers are paid or taken
            self._deal.give_up()

    def taken(self, position: str) -> None:
        if not (self._deal.over or self._miscounted or self._sight.misdealt):
            self._blackjacks.lifted(position)

    def on_coin_in(self, observation: Observation) -> None:
        self._sevens.coin_in(observation.data.get("seat") or "")

    def on_coin_in_cleared(self, observation: Observation) -> None:
        self._sevens.coin_in_cleared(observation.data.get("seat") or "")

    # -- the shoe

    def before_shoe_started(self, observation: Observation) -> None:
        super().before_shoe_started(observation)
        self._round_end.shoe_started()
        self._shoe.reshuffled()

    def on_cut_card_drawn(self, observation: Observation) -> None:
        self._shoe.out_of_cards()

    # -- what is certain

    def on_device_online(self, observation: Observation) -> None:
        """A reader that comes back in the middle of a round has missed some of it; one in trouble may miss some."""
        if self._sight.reads(observation.device):
            self._lose_sight()
            self._shoe.out_of_cards()  # a fresh shoe may have begun unheard

    on_reader_error = on_device_fault = on_device_online

    def on_device_offline(self, observation: Observation) -> None:
        self._dealt_in.unwatched(observation.device)

    on_edges_lost = on_bytes_discarded = on_device_offline

    def new_card(self, position: str) -> None:
        """A card came out of the shoe to a hand or to the dealer."""
        self._seqs.setdefault(position, []).append(self.desk.seq)
        self._blackjacks.judge_removed()
        self._draws.release(position)
        self._round_end.card(position)
        if self._hole.blackjack and not self._board.offered:
            self._judge_after_blackjack(position)
            return
        if self._sight.sure:
            self._shoe.plays(position)
        if self._deal.dealer_served and self._exchange.begins(position, self.cards):
            self._tell(self._deal.end())
        if not self._deal.over:
            self._initial(position)
            return
        if position == DEALER:
            self._to_the_dealer()
        else:
            self._to_a_player(position)
        self._round_end.after_deal(position)
        self._begin_anew(self._round_end.next_deal())

    # -- the first cards

    def _initial(self, position: str) -> None:
        if is_seat(position) and not self._switch.is_spot(position):
            # one player's two wagers, or a split before the deal is over: either way not followed
            self._splits.several_wagers(position)
            self._deal.give_up()
            return
        self._tell(self._deal.take(position))
        if self._deal.over:
            self._switch.deal_over(self.cards)
        if self._deal.over and self._sight.sure and self.desk.round is not None:
            self._dealt_in.believe(self._players.hands())
            self.desk.round.hands = self._sevens.look(self.cards)

    def _tell(self, verdicts: list[Verdict]) -> None:
        for verdict in verdicts:
            if verdict.kind == "order":
                self._breach("wrong-initial-sequence", verdict.observed, verdict.required, self._seqs)
            else:
                rule = f"wrong-card-count-{'dealer' if verdict.position == DEALER else 'player'}"
                if rule not in self.desk.game.rules:  # then it is a deal out of order
                    rule = "wrong-initial-sequence"
                self._miscounted = True
                at = verdict.position or ""
                self._breach(rule, verdict.observed, verdict.required, [at], at)

    # -- players

    def _to_a_player(self, position: str) -> None:
        split = self._splits.split(position)
        if self._exchange.dealt(position, self.cards, split, self._hole.checked):
            return
        self._hole.judge_turned(position)
        if self._round_end.keyed and self.house.dealer_stands(self._dealers()) is False:
            self._judge_dealer_first(position)
        self._splits.dealt(position, self.cards)
        self._draws.player(position, self.cards)
        self._blackjacks.judge_left(position)

    # -- the dealer

    def _to_the_dealer(self) -> None:
        self._exchange.settle(self.cards, False, self._hole.checked)
        cards = self.cards[DEALER]
        if self._board.blackjack is None and self._board.begins(
            DEALER, self.cards, self.house.dealer_stands(cards[:-1])
        ):
            self._second_half(len(cards) - 1)
        if self._board.blackjack is not None:
            self._judge_board(DEALER)
            return
        if self.desk.round is not None and self._round_end.muddled_by_dealer():
            self._whole = self._whole or (self._sight.sure and not self.desk.round.partial)
            self.desk.round.partial = True
            self._lose_sight()
        if not self._layout.guessed:
            self._draws.dealer(self.cards, self._players.none_live)

    def _judge_dealer_first(self, position: str) -> None:
        """A player draws when the dealer, who has to go on, has drawn: the dealer's further cards come last."""
        dealer = self._dealers()
        guessed = self._layout.guessed or self._layout.turned or self._board.offered
        if len(dealer) > INITIAL and not guessed and not self._players.none_live:
            observed = {"position": DEALER, "cards": len(dealer), "before": position}
            required = {"cards": INITIAL, "until": "all players have theirs"}
            self._breach(f"wrong-card-count-{DEALER}", observed, required, [DEALER, position], DEALER)

    def _judge_dealer_stood(self) -> None:
        doubtful = self._layout.guessed or self._layout.unplaced or self._players.in_dispute(DEALER)
        if self._played_out() and not doubtful:
            self._draws.dealer_stood(self._dealers())

    def _played_out(self) -> bool:
        """Whether the round was dealt and played as rounds are, so that a card that did not come was not drawn."""
        round_ = self.desk.round
        broken = self._miscounted or self._cut_short or round_ is None or round_.void is not None
        return self._deal.over and not broken

    # -- the board of a second half

    def _second_half(self, dealers: int) -> None:
        self._board.begin(dealers)
        self._layout.dealers_before = dealers

    def on_the_board(self, card: str | None) -> None:
        """The dealer's cards are pushed to the middle, and others drawn beside them."""
        if self._layout.pushes(card, self.cards):
            self.cards[COMMUNITY].pop()
            return
        if not self._layout.placed(COMMUNITY, card, self.cards):
            return
        if self._board.blackjack is None:
            self._judge_dealer_stood()
            self._second_half(len(self.cards.get(DEALER, [])))
        self._judge_board(COMMUNITY)

    def _judge_board(self, position: str) -> None:
        wrong = self._board.dealt(position, self.cards)
        if wrong is not None and not self._layout.guessed:
            self._breach("community-count", *wrong, [COMMUNITY, DEALER])

    # -- a round closes

    def complete(self) -> bool:
        if not self._deal.over or self._sight.lost:
            return False
        if self._board.offered:
            return self._board.complete(self.cards)
        stands = self.house.dealer_stands(self._dealers()) is True
        return self._hole.blackjack or stands or self._players.none_live

    def ended(self) -> tuple[dict[str, Any], bool]:
        self._tell(self._deal.end(self._sight.misdealt, self._cut_short))
        if not self._cut_short:
            self._exchange.release()
            self._draws.release()
            self._splits.ended(self.cards)
        if self._played_out() and not self._hole.blackjack and not self.count.natural(self._dealers()):
            self._draws.players_stood(self.cards)
        if not self._hole.blackjack and self._board.blackjack is None:
            self._judge_dealer_stood()
        self._hole.judge_look(self._dealers(), self._sight.sure)
        self._shoe.round_closed(self._sight.sure)
        if DEALER in self.cards and self._round_end.keyed:
            self.cards[DEALER] += self._layout.not_shown()
        return {each: self._result(each) for each in (DEALER, *self._players.hands()) if each in self.cards}, False

    def _result(self, position: str) -> dict[str, Any] | None:
        if position != DEALER:
            split = self._players.no_natural(position)
            return None if self._players.lost(position) else summary(self.count, self.cards[position], split)
        result = summary(self.count, self._dealers())
        if result is not None and self._pushes_on is not None:
            result["push"] = result["total"] == self._pushes_on
        return result

    def finish(self) -> None:
        """The stream ends: what the dealer had still to draw may have followed."""
        self._cut_short = not self.complete()
        super().finish()

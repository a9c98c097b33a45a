"""Blackjack: follows rounds from the initial deal to the dealer's last card, and judges who drew when.

What a variant does otherwise stands in its book: points, totals, order of the deal, house options, an exchange, a
switch, a second half. A rule is judged only on cards that were seen, at places that are known; a round in which a card
was lost sight of proves little.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devices.observation import Observation
from rules.card_game import CardGame, card_of, position_of
from rules.desk import Desk, OpenRound
from rules.games.blackjack.board import COMMUNITY, Board
from rules.games.blackjack.deal import InitialDeal, Orders, Verdict, from_the_left, left_of, spot_by_spot
from rules.games.blackjack.draws import Draws
from rules.games.blackjack.exchange import Exchange
from rules.games.blackjack.hand import summary
from rules.games.blackjack.house import House
from rules.games.blackjack.layout import Layout
from rules.games.blackjack.mid_shoe import MidShoe
from rules.games.blackjack.players import Players
from rules.games.blackjack.sevens import Sevens
from rules.games.blackjack.splits import Splits
from rules.games.blackjack.switch import Switch
from rules.seats import DEALER, is_seat, seat_of, seat_order

BURNED = ("burn", "discard")


class Blackjack(CardGame):
    """Boundaries: DESIGN section 2. Without a panel a round ends when the layout is cleared or, where no device shows
    that, when a card goes to a seat after the dealer's turn.

    Tables of the book: `initial-deal`; `deal-starts`, "bank-left" where the deal begins beside the player who banks.
    Figures: `peek-from`; `dealer-pushes-on`, a total of the dealer's on which wagers push. What the parts of this
    procedure ask of the book stands with them.
    """

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self.house = House(desk.game, desk.options)
        self.count = self.house.count
        self._switch = Switch(desk, self.count, self._breach)
        self._layout = Layout(self._switch.offered)
        self._splits = Splits(desk, self.house, self._breach, self._switch.hands_a_seat)
        self._exchange = Exchange(desk, self.house, self._layout, self._breach)
        self._players = Players(desk, self.house, self._layout, self._splits, self._exchange, self._switch)
        self._board = Board(desk)
        self._draws = Draws(desk, self.house, self._players, self._splits, self._exchange, self._breach)
        figures = {name: figure.value for name, figure in desk.game.figures.items()}
        self._peek_from: int = figures.get("peek-from", 0)
        self._pushes_on: int | None = figures.get("dealer-pushes-on")
        self._banked = "bank-rounds-at-most" in figures
        self._bank: str | None = None
        self._shoe = MidShoe(desk)
        self._sevens = Sevens(desk)
        self._readers = {
            device.id
            for need in ("shoe.card_drawn", "card_position.card_placed")
            for device in desk.table.provides(need)
        }
        self._panels = {device.id for device in desk.table.provides("panel.key_pressed")}
        self._sensors = {device.id for device in desk.table.provides("seats.seat_taken")}
        self._claimed: list[str] | None = None
        """The seats that sensors said have a wager when the round began."""
        self._doubt_seats = False
        """The sensors may have missed a wager come or go."""
        self._muddled = False
        self._dealers_in_a_row = 0
        self._clear()

    def _clear(self) -> None:
        self._deal = InitialDeal(self.desk.game.tables["initial-deal"], self.hands, self._orders())
        self._sources = self._readers - self.desk.availability.clouded
        self._blind = False
        self._misdeal = False
        self._miscounted = False
        self._cut_short = False
        self._peeked: int | None = None
        self._checked = False
        self._seqs: dict[str, list[int]] = {}
        self._open_ended = False
        self._players.disputed = set()
        self._since_deal: list[str] = []

    # -- a round opens

    def began(self) -> None:
        self.hands = self._dealt_in(self.hands)
        self._muddled = self._muddled and self.called is None
        self._clear()
        self._layout.clear(self.reader)
        for part in (self._splits, self._exchange, self._switch, self._board):
            part.clear()
        sensed = self.hands if self.seats.sensed and self._watched() else None
        self._shoe.round_opened(sensed or ())

    def _dealt_in(self, seats: list[str] | None) -> list[str] | None:
        """The hands that get cards. Who banks has a stake before the seat and the dealer's hand: while nobody knows who
        that is, those dealt to are taken."""
        self._claimed = seats
        if seats is None or self._doubt_seats or (self._banked and self._bank is None):
            return None
        return self._switch.spots([each for each in seats if each != self._bank])

    def _orders(self) -> Orders:
        if self.desk.game.tables.get("deal-starts") == "bank-left":
            bank = self._bank
            return lambda hands: left_of(bank, hands)
        return spot_by_spot if self.desk.option("spots-dealt") == "spot-by-spot" else from_the_left

    def on_bank_moved(self, observation: Observation) -> None:
        self._bank = observation.data.get("seat")
        if self.desk.round is not None and not self.cards:
            self.hands = self.seats.in_play()
            self.began()

    def before_card_drawn(self, observation: Observation) -> None:
        self._end_if_over(position_of(observation))
        super().before_card_drawn(observation)

    def before_card_placed(self, observation: Observation) -> None:
        if position_of(observation) not in BURNED and not self._keyed() and self._cleared():
            self.close()
        self._end_if_over(position_of(observation))
        super().before_card_placed(observation)

    def _end_if_over(self, position: str | None) -> None:
        """With nobody to say so, a card to a seat after the dealer's turn is the first of the next round."""
        if self.desk.round is None or not self._unbounded() or not (position is None or is_seat(position)):
            return
        if self._muddled:
            if self._dealers_in_a_row > 1:
                self.close()
                self._muddled = False
        elif self._deal.over:
            dealers_turn = len(self._dealers()) > 2 or self._peeked is not None
            if dealers_turn or (self._nobody_live() and not self._open_ended):
                self.close()
            else:
                self._open_ended = self._open_ended or position is None or self._may_be_next_round(position)

    def _may_be_next_round(self, position: str) -> bool:
        """Whether a card to a seat may as well be the first of the next round: the dealer need not draw, or the hand
        does not look like one that is to be dealt to."""
        hands = self._players.hands()
        if self.house.dealer_stands(self._dealers()) is not False or not any(
            self._players.live(each) for each in hands
        ):
            return True
        finished = position in hands and self.house.player_stands(self.cards[position]) is not False
        passed = any(seat_order(seat_of(each)) > seat_order(seat_of(position)) for each in self._since_deal)
        return finished or passed

    def _unbounded(self) -> bool:
        """Whether no device shows where a round ends."""
        return not self._keyed() and not self._players.sees_clearing

    def _keyed(self) -> bool:
        """Whether keys bound the round, none of them missed."""
        return self.panel and not self._panels & self.desk.availability.clouded

    def _cleared(self) -> bool:
        """Whether a reader showed all cards being taken away, and the round was not at half-time."""
        if self.desk.round is None or not self._players.sees_clearing:
            return False
        half_time = self._board.offered and not self._board.complete(self.cards)
        return not half_time and self._layout.cleared(self.cards)

    def _muddle(self, round_: OpenRound) -> None:
        """This may be the next round: nothing is judged until cards to the dealer in a row show a dealer's turn."""
        self._muddled = round_.partial = True
        self._lose_sight()

    def before_shoe_started(self, observation: Observation) -> None:
        super().before_shoe_started(observation)
        self._muddled = False
        self._shoe.reshuffled()

    def on_cut_card_drawn(self, observation: Observation) -> None:
        self._shoe.out_of_cards()

    def on_device_online(self, observation: Observation) -> None:
        """A reader that comes back in the middle of a round has missed some of it; one in trouble may miss some."""
        if observation.device in self._readers:
            self._lose_sight()
            self._shoe.out_of_cards()  # a fresh shoe may have begun unheard

    on_reader_error = on_device_fault = on_device_online

    def on_device_offline(self, observation: Observation) -> None:
        """Wagers may come and go, and the bank move, while nobody watches."""
        if observation.device in self._sensors:
            self._doubt_seats, self._claimed = True, None
        if any(device.id == observation.device for device in self.desk.table.provides("seats.bank_moved")):
            self._bank = None

    on_edges_lost = on_bytes_discarded = on_device_offline

    def _lose_sight(self) -> None:
        self._blind = True
        self._deal.give_up()

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_more_bets" and self.desk.round is not None and not self.cards:
            self.hands = self.seats.in_play()  # a card before it, nobody knows where, was burned
            self.began()
        elif key == "misdeal" and self.desk.round is not None:
            self._call_misdeal(self.desk.round)
        elif key in ("deck_changed", "hand_shuffled"):
            self._shoe.reshuffled()

    def _call_misdeal(self, round_: OpenRound) -> None:
        """The round does not count; what is dealt again is not judged as this round's."""
        self._tell(self._deal.end(misdeal=True))
        self._misdeal = True
        round_.void = round_.void or "misdeal"
        self._lose_sight()

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

    def on_coin_in(self, observation: Observation) -> None:
        self._sevens.coin_in(observation.data.get("seat") or "")

    def on_coin_in_cleared(self, observation: Observation) -> None:
        self._sevens.coin_in_cleared(observation.data.get("seat") or "")

    # -- what is certain

    def _watched(self) -> bool:
        """Whether the round was seen from its beginning and every card reader heard throughout."""
        round_ = self.desk.round
        if round_ is None or round_.partial or self._misdeal:
            return False
        return bool(self._sources) and not self._sources & self.desk.availability.clouded

    def _sure(self) -> bool:
        """Whether the place of every card of the round is known as well."""
        return self._watched() and not self._blind

    def _breach(
        self,
        rule: str,
        observed: dict[str, Any],
        required: dict[str, Any],
        positions: Iterable[str] = (),
        once: object = None,
    ) -> None:
        if self._sure() and not self._open_ended:
            self._players.disputed.add(once)
            evidence = [seq for position in positions for seq in self._seqs.get(position, ())]
            self.desk.breach(rule, observed, required, evidence, once=once)

    def _dealers(self) -> list[str | None]:
        """The dealer's hand."""
        return self._board.dealer(self.cards)

    # -- the cards

    def on_card_drawn(self, observation: Observation) -> None:
        if self.reader and self.desk.round is not None:
            if position_of(observation) in BURNED:
                self._layout.drew_burn()
            else:
                if not self._cleared():
                    self._judge_after_blackjack(position_of(observation))
                self._layout.drew(card_of(observation))
        super().on_card_drawn(observation)

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None:
            return
        if position in BURNED:
            self._layout.burned(card)
        elif position == COMMUNITY and self._board.offered:
            self._on_the_board(card)
        elif position is None or not (position == DEALER or is_seat(position)):
            self._judge_after_blackjack(position)
            self._lose_sight()
        elif self._layout.placed(position, card, self.cards):
            self._new(position)
        elif self._layout.came_from is not None:
            source, place = self._layout.came_from
            if len(self.cards[position]) > 1:
                self._switch.moved(source, place, position, self.cards, self._dealer_checked())
            else:
                self._splits.moved(position, self.cards, source)

    def _new(self, position: str) -> None:
        """A card came out of the shoe to a hand or to the dealer."""
        self._seqs.setdefault(position, []).append(self.desk.seq)
        self._dealers_in_a_row = self._dealers_in_a_row + 1 if position == DEALER else 0
        if self._peeked is not None and not self._board.offered:
            self._judge_after_blackjack(position)
            return
        if self._sure():
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
        self._since_deal.append(position)

    def _to_the_dealer(self) -> None:
        self._exchange.settle(self.cards, False, self._dealer_checked())
        cards = self.cards[DEALER]
        if self._board.blackjack is None and self._board.begins(
            DEALER, self.cards, self.house.dealer_stands(cards[:-1])
        ):
            self._board.begin(len(cards) - 1)
        if self._board.blackjack is not None:
            self._judge_board(DEALER)
            return
        if self.desk.round is not None and self._unbounded() and self._looks_like_a_deal():
            self._muddle(self.desk.round)
        if not self._layout.guessed:
            self._draws.dealer(self.cards, self._nobody_live())

    def _to_a_player(self, position: str) -> None:
        split = self._splits.split(position)
        if self._exchange.dealt(position, self.cards, split, self._dealer_checked()):
            return
        if self._layout.turned:
            self._breach("hole-card-early", {"drawn_to": position}, {"hole_card": "face down"}, [position])
        self._splits.dealt(position, self.cards)
        self._draws.player(position, self.cards)
        self._judge_blackjack_left(position)

    def _on_the_board(self, card: str | None) -> None:
        """The dealer's cards are pushed to the middle, and others drawn beside them."""
        if card is not None and card in self.cards.get(DEALER, ()) and not self._layout.draws(card):
            self.cards[COMMUNITY].pop()
            return
        self._layout.placed(COMMUNITY, card, self.cards)
        if self._board.blackjack is None:
            self._judge_dealer_stood()
            self._board.begin(len(self.cards.get(DEALER, [])))
        self._judge_board(COMMUNITY)

    def _judge_board(self, position: str) -> None:
        wrong = self._board.dealt(position, self.cards)
        if wrong is not None:
            self._breach("community-count", *wrong, [COMMUNITY, DEALER])

    def _initial(self, position: str) -> None:
        if is_seat(position) and not self._switch.is_spot(
            position
        ):  # one player's two wagers, or a split before the deal is over: either way not followed
            self._splits.lose_sight(position)
            self._deal.give_up()
            return
        self._tell(self._deal.take(position))
        if self._deal.over:
            self._switch.deal_over(self.cards)
            self._believe_the_seats()
        if self._deal.over and self._sure() and self.desk.round is not None:
            self.desk.round.hands = self._sevens.look(self.cards)

    def _believe_the_seats(self) -> None:
        """Just those whom the sensors say have a wager were dealt to: they missed nothing, or nothing that matters."""
        if self._doubt_seats and self._sure() and self._claimed is not None:
            self._doubt_seats = {seat_of(each) for each in self._players.hands()} != set(self._claimed)

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

    def on_card_removed(self, observation: Observation) -> None:
        self.lifted(position_of(observation), card_of(observation))

    def lifted(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None:
            return
        self._judge_removed_early(position)
        self._layout.removed(position, card, self.cards)
        if not self._keyed() and self._cleared():
            self.close()

    # -- players

    def _up_card_worth(self) -> int | None:
        dealer = self.cards.get(DEALER)
        return self.count.worth(dealer[0]) if dealer else None

    def _judge_blackjack_left(self, position: str) -> None:
        """Another hand has its third card, and a blackjack against a low up card still lies there (135)."""
        worth = self._up_card_worth()
        if worth is None or worth >= self._peek_from or self.desk.option("buster-blackjack"):
            return
        if not self._players.sees_clearing or self._layout.unplaced:
            return
        for other, cards in self.cards.items():
            if seat_of(other) == seat_of(position) or not is_seat(other) or other in self._layout.out:
                continue
            if self._players.is_blackjack(other, cards):
                self._breach(
                    "blackjack-not-removed",
                    {"blackjack": other, "third_card": position},
                    {"blackjack": "paid and removed first"},
                    [other],
                    other,
                )

    def _judge_removed_early(self, position: str) -> None:
        """A blackjack against an ace or ten stays until everybody has two cards (144)."""
        worth, hand = self._up_card_worth(), self.cards.get(position, [])
        if self._deal.over or not is_seat(position) or worth is None or worth < self._peek_from:
            return
        if self._players.is_blackjack(position, hand) and not self._misdeal and not self._miscounted:
            self._breach(
                "blackjack-removed-early",
                {"blackjack": position, "dealer_cards": len(self.cards[DEALER])},
                {"blackjack": "left until all have two cards"},
                [position],
                position,
            )

    # -- the dealer

    def _dealer_checked(self) -> bool | None:
        """Whether the dealer has looked for a blackjack; None if there was no need, or it cannot be seen."""
        worth = self._up_card_worth()
        if worth is None or worth < self._peek_from or not self.desk.has("peek.hole_card_checked"):
            return None
        return self._checked

    def on_hole_card_checked(self, observation: Observation) -> None:
        self._checked = True
        if self.desk.round is not None and observation.data.get("blackjack") is True:
            self._peeked = self.desk.seq

    def _judge_after_blackjack(self, position: str | None) -> None:
        if self._peeked is not None and self._watched():
            self.desk.breach(
                "drawn-after-dealer-blackjack",
                {"drawn_to": position, "dealer": "blackjack"},
                {"cards": "no more"},
                [self._peeked],
            )

    def _nobody_live(self) -> bool:
        """Whether surely no hand waits for the dealer's total any more (512)."""
        hands = self._players.hands()
        return bool(hands) and not self._blind and all(self._players.live(each) is False for each in hands)

    def _judge_dealer_stood(self) -> None:
        doubtful = self._layout.guessed or self._layout.unplaced or self._players.in_dispute(DEALER)
        if self._played_out() and not doubtful:
            self._draws.dealer_stood(self._dealers())

    def _played_out(self) -> bool:
        """Whether the round was dealt and played as rounds are, so that a card that did not come was not drawn."""
        round_ = self.desk.round
        broken = self._miscounted or self._cut_short or round_ is None or round_.void is not None
        return self._deal.over and not broken

    # -- a round closes

    def _looks_like_a_deal(self) -> bool:
        """Whether the dealer's first further card follows cards to the seats that may have been the next round's."""
        hands, since = [each for each in self._players.hands() if self._switch.is_spot(each)], self._since_deal
        return self._open_ended or (bool(since) and since[-len(hands) :] == hands)

    def complete(self) -> bool:
        if not self._deal.over or self._blind:
            return False
        if self._board.offered:
            return self._board.complete(self.cards)
        stands = self.house.dealer_stands(self._dealers()) is True
        return self._peeked is not None or stands or self._nobody_live()

    def ended(self) -> tuple[dict[str, Any], bool]:
        self._tell(self._deal.end(self._misdeal, self._cut_short))
        if not self._cut_short:
            self._exchange.release()
            self._splits.ended(self.cards)
        if self._played_out() and self._peeked is None and not self.count.natural(self._dealers()):
            self._draws.players_stood(self.cards)
        if self._peeked is None and self._board.blackjack is None:
            self._judge_dealer_stood()
        self._shoe.round_closed(self._sure())
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

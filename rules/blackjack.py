"""Blackjack: follows rounds from the initial deal to the dealer's last card, and judges who drew when.

What a variant does otherwise stands in its book: points, totals, order of the deal, house options. A rule is judged
only on cards that were seen, at places that are known; a round in which a card was lost sight of proves little.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devices.observation import Observation
from rules.blackjack_deal import InitialDeal, Verdict
from rules.blackjack_hand import Count, must_stand, summary
from rules.blackjack_layout import Layout
from rules.blackjack_sevens import Sevens
from rules.blackjack_splits import Splits
from rules.card_game import CardGame, card_of, position_of
from rules.desk import Desk, OpenRound
from rules.mid_shoe import MidShoe
from rules.seats import DEALER, is_seat, seat_of, seat_order

BURNED = ("burn", "discard")
STAND = "stand"


class Blackjack(CardGame):
    """Boundaries: DESIGN section 2. Without a panel a round ends when the layout is cleared or, where no device shows
    that, when a card goes to a seat after the dealer's turn."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self.count = Count(desk.game.tables["points"], desk.figure("target"))
        self._layout = Layout()
        self._splits = Splits(desk, self.count, self._breach)
        self._shoe = MidShoe(desk)
        self._sevens = Sevens(desk)
        self._readers = {
            device.id
            for need in ("shoe.card_drawn", "card_position.card_placed")
            for device in desk.table.provides(need)
        }
        self._muddled = False
        self._dealers_in_a_row = 0
        self._clear()

    def _clear(self) -> None:
        self._deal = InitialDeal(self.desk.game.tables["initial-deal"], self.hands)
        self._sources = self._readers - self.desk.availability.clouded
        self._blind = False
        self._misdeal = False
        self._miscounted = False
        self._cut_short = False
        self._peeked: int | None = None
        self._seqs: dict[str, list[int]] = {}
        self._open_ended = False
        self._disputed: set[object] = set()
        self._since_deal: list[str] = []

    # -- a round opens

    def began(self) -> None:
        self._clear()
        self._layout.clear(self.reader)
        self._splits.clear()
        sensed = self.hands if self.seats.sensed and self._watched() else None
        self._shoe.round_opened(sensed or ())

    def before_card_drawn(self, observation: Observation) -> None:
        self._end_if_over(position_of(observation))
        super().before_card_drawn(observation)

    def before_card_placed(self, observation: Observation) -> None:
        self._end_if_over(position_of(observation))
        super().before_card_placed(observation)

    @property
    def _sees_clearing(self) -> bool:
        """Whether a reader shows the cards being taken away."""
        return self.desk.availability.on_line("card_position.card_removed")

    def _end_if_over(self, position: str | None) -> None:
        """With nobody to say so, a card to a seat after the dealer's turn is the first of the next round."""
        if self.desk.round is None or not self._unbounded() or not (position is None or is_seat(position)):
            return
        if self._muddled:
            if self._dealers_in_a_row > 1:
                self.close()
                self._muddled = False
        elif self._deal.over:
            dealers_turn = len(self.cards.get(DEALER, [])) > 2 or self._peeked is not None
            if dealers_turn or (self._nobody_live() and not self._open_ended):
                self.close()
            else:
                self._open_ended = self._open_ended or position is None or self._may_be_next_round(position)

    def _may_be_next_round(self, position: str) -> bool:
        """Whether a card to a seat may as well be the first of the next round: the dealer need not draw, or the hand
        does not look like one that is to be dealt to."""
        dealer, hands = self.cards.get(DEALER, []), self._hands_dealt()
        if self._must_stand(dealer) is not False or not any(self._live(each) for each in hands):
            return True
        score = self.count.score(self.cards.get(position, []))
        finished = position in hands and (score is None or score.total >= self.count.target)
        passed = any(seat_order(seat_of(each)) > seat_order(seat_of(position)) for each in self._since_deal)
        return finished or passed

    def _unbounded(self) -> bool:
        """Whether no device shows where a round ends."""
        return not self.panel and not self._sees_clearing

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

    on_reader_error = on_device_fault = on_device_online

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
            self._disputed.add(once)
            evidence = [seq for position in positions for seq in self._seqs.get(position, ())]
            self.desk.breach(rule, observed, required, evidence, once=once)

    def _in_dispute(self, position: str) -> bool:
        """Whether something was wrong with the hand already: what follows from that is no further breach."""
        return bool(self._disputed & {position, seat_of(position)})

    # -- the cards

    def on_card_drawn(self, observation: Observation) -> None:
        if self.reader and self.desk.round is not None:
            if position_of(observation) in BURNED:
                self._layout.drew_burn()
            else:
                self._layout.drew(card_of(observation))
                self._judge_after_blackjack(position_of(observation))
        super().on_card_drawn(observation)

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None:
            return
        if position in BURNED:
            self._layout.burned(card)
        elif position is None or not (position == DEALER or is_seat(position)):
            self._judge_after_blackjack(position)
            self._lose_sight()
        elif self._layout.placed(position, card, self.cards):
            self._new(position)
        else:
            self._splits.moved(position, self.cards)

    def _new(self, position: str) -> None:
        """A card came out of the shoe to a hand or to the dealer."""
        self._seqs.setdefault(position, []).append(self.desk.seq)
        self._dealers_in_a_row = self._dealers_in_a_row + 1 if position == DEALER else 0
        if self._peeked is not None:
            self._judge_after_blackjack(position)
            return
        if self._sure():
            self._shoe.plays(position)
        if not self._deal.over:
            self._initial(position)
            return
        if position == DEALER:
            if self.desk.round is not None and self._unbounded() and self._looks_like_a_deal():
                self._muddle(self.desk.round)
            self._judge_dealer_drew()
        else:
            self._splits.dealt(position, self.cards)
            self._judge_player_drew(position)
            self._judge_blackjack_left(position)
        self._since_deal.append(position)

    def _initial(self, position: str) -> None:
        if "/" in position:  # one player's two wagers, or a split before the deal is over: either way not followed
            self._splits.lose_sight(position)
            self._deal.give_up()
            return
        self._tell(self._deal.take(position))
        if self._deal.over and self._sure() and self.desk.round is not None:
            self.desk.round.hands = self._sevens.look(self.cards)

    def _tell(self, verdicts: list[Verdict]) -> None:
        for verdict in verdicts:
            if verdict.kind == "order":
                self._breach("wrong-initial-sequence", verdict.observed, verdict.required, self._seqs)
            else:
                whose = "dealer" if verdict.position == DEALER else "player"
                self._miscounted = True
                at = verdict.position or ""
                self._breach(f"wrong-card-count-{whose}", verdict.observed, verdict.required, [at], at)

    def on_card_removed(self, observation: Observation) -> None:
        self.lifted(position_of(observation), card_of(observation))

    def lifted(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None:
            return
        self._judge_removed_early(position)
        self._layout.removed(position, card, self.cards)
        if not self.panel and self._layout.cleared(self.cards):
            self.close()

    # -- players

    def _judge_player_drew(self, position: str) -> None:
        before = self.cards[position][:-1]
        score = self.count.score(before)
        if score is None or score.total < self.count.target or self._splits.unclear(position, self.cards):
            return
        if self._in_dispute(position):
            return
        if self._splits.split(position) and before[0] is not None and before[0][0] == "A":
            return  # a split ace has a rule of its own
        self._breach(
            "player-drew-on-21",
            {"position": position, "total": score.total, "blackjack": self._is_blackjack(position, before)},
            {"draws_below": self.count.target},
            [position],
            position,
        )

    def _is_blackjack(self, position: str, cards: list[str | None]) -> bool:
        return self.count.natural(cards) and not self._splits.split(position)

    def _up_card_worth(self) -> int | None:
        dealer = self.cards.get(DEALER)
        return self.count.worth(dealer[0]) if dealer else None

    def _judge_blackjack_left(self, position: str) -> None:
        """Another hand has its third card, and a blackjack against a low up card still lies there (135)."""
        worth = self._up_card_worth()
        if worth is None or worth >= self.desk.figure("peek-from") or self.desk.option("buster-blackjack"):
            return
        if not self._sees_clearing or self._layout.unplaced:
            return
        for other, cards in self.cards.items():
            if seat_of(other) == seat_of(position) or not is_seat(other) or other in self._layout.out:
                continue
            if self._is_blackjack(other, cards):
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
        if self._deal.over or not is_seat(position) or worth is None or worth < self.desk.figure("peek-from"):
            return
        if self._is_blackjack(position, hand) and not self._misdeal and not self._miscounted:
            self._breach(
                "blackjack-removed-early",
                {"blackjack": position, "dealer_cards": len(self.cards[DEALER])},
                {"blackjack": "left until all have two cards"},
                [position],
                position,
            )

    # -- the dealer

    def on_hole_card_checked(self, observation: Observation) -> None:
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

    def _must_stand(self, dealer: list[str | None]) -> bool | None:
        """Whether the dealer's total asks for no more cards; None if a card was not read."""
        score = self.count.score(dealer)
        soft = self.desk.option("soft-17") == STAND
        return None if score is None else must_stand(score, self.desk.figure("dealer-stands"), soft)

    def _hands_dealt(self) -> list[str]:
        return sorted((each for each in self.cards if is_seat(each)), key=seat_order)

    def _live(self, position: str) -> bool | None:
        """Whether a hand still waits for the dealer's total; None if that cannot be told."""
        cards = self.cards[position]
        score = self.count.score(cards)
        if score is None or self._in_dispute(position) or self._splits.lost(position):
            return None
        bust = self.count.bust(score)
        if self._splits.unclear(position, self.cards):
            return None if bust else True
        if bust or self._is_blackjack(position, cards):
            return False
        gone = position in self._layout.out or (len(cards) == 2 and self.desk.option("surrender"))
        return None if gone else True

    def _nobody_live(self) -> bool:
        """Whether surely no hand waits for the dealer's total any more (512)."""
        hands = self._hands_dealt()
        return bool(hands) and not self._blind and all(self._live(each) is False for each in hands)

    def _judge_dealer_drew(self) -> None:
        before = self.cards[DEALER][:-1]
        standing, score = self._must_stand(before), self.count.score(before)
        if standing is None or score is None or self._layout.guessed:
            return
        observed = {"total": score.total, "soft": score.soft, "cards": len(before)}
        if standing:
            required = {"stands_on": self.desk.figure("dealer-stands"), "soft_17": self.desk.option("soft-17")}
            self._breach("dealer-drew-against-rule", observed, required, [DEALER], DEALER)
        elif not self.desk.option("buster-blackjack") and self._nobody_live():
            observed["live_hands"] = 0
            self._breach("dealer-drew-against-rule", observed, {"draws": "only for a live hand"}, [DEALER], DEALER)

    def _judge_dealer_stood(self) -> None:
        dealer = self.cards.get(DEALER, [])
        score = self.count.score(dealer)
        round_ = self.desk.round
        if score is None or self._must_stand(dealer) is not False or self._layout.guessed or self._layout.unplaced:
            return
        if (
            self._in_dispute(DEALER)
            or self._miscounted
            or self._cut_short
            or round_ is None
            or round_.void is not None
            or not self._deal.over
        ):
            return
        live = [each for each in self._hands_dealt() if self._live(each) is True]
        if live and len(dealer) > 1:
            self._breach(
                "dealer-stood-against-rule",
                {"total": score.total, "soft": score.soft, "live_hands": live},
                {"stands_on": self.desk.figure("dealer-stands"), "soft_17": self.desk.option("soft-17")},
                [DEALER],
            )

    # -- a round closes

    def _looks_like_a_deal(self) -> bool:
        """Whether the dealer's first further card follows cards to the seats that may have been the next round's."""
        hands, since = [each for each in self._hands_dealt() if "/" not in each], self._since_deal
        return self._open_ended or (bool(since) and since[-len(hands) :] == hands)

    def complete(self) -> bool:
        if not self._deal.over or self._blind:
            return False
        return self._peeked is not None or self._must_stand(self.cards.get(DEALER, [])) is True or self._nobody_live()

    def ended(self) -> tuple[dict[str, Any], bool]:
        self._tell(self._deal.end(self._misdeal, self._cut_short))
        if not self._cut_short:
            self._splits.ended(self.cards)
        if self._peeked is None:
            self._judge_dealer_stood()
        self._shoe.round_closed(self._sure())
        hands = [DEALER, *self._hands_dealt()]
        return {
            each: None if self._splits.lost(each) else summary(self.count, self.cards[each], self._splits.split(each))
            for each in hands
            if each in self.cards
        }, False

    def finish(self) -> None:
        """The stream ends: what the dealer had still to draw may have followed."""
        self._cut_short = not self.complete()
        super().finish()

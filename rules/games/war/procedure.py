"""Casino War: one card to each player and the dealer, and to those who go to war a burn and one more.

The card of a player who banks lies at the dealer's position or at the seat with the bank. `burns` counts the burns,
`comparison` says what the cards are worth.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.war.burns import WAR_BURN, Burns
from pitwatch.rules.games.war.comparison import against, shown
from pitwatch.rules.play.card_game import LOST_NS, RESHUFFLED, Lifted, card_of, position_of
from pitwatch.rules.play.cards import all_read, rank
from pitwatch.rules.play.laid_again import LaidAgain
from pitwatch.rules.play.late_wager import LateWagers
from pitwatch.rules.play.piles import hand_of
from pitwatch.rules.play.seats import ASIDE, DEALER, seat_order

FAMILIES = {"war": "War"}

COUNT = "wrong-card-count"
ORDER = "wrong-initial-sequence"


class War(LaidAgain):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._burns = Burns(desk, self._judged)
        self._shoes = {device.id for device in desk.table.provides("shoe.card_drawn")}
        self._bank: str | None = None
        self._cleared: tuple[int, str | None, str | None] = (0, None, None)
        """When the felt was cleared last (ns), of which card."""
        self._passing = False
        """The card that is read was taken off the felt a moment ago."""
        self._begin()

    def _begin(self) -> None:
        self._late = LateWagers(self.desk)
        self._laps = [*self.hands, DEALER] if self.hands else []
        """Who is still to get a first card."""
        self._hand_cards: dict[str, list[str | None]] = {}
        self._seen: dict[str, list[int]] = {}
        self._sources: set[str] = set()
        self._last_served: str | None = None
        self._early: str | None = None
        """The house, if its war card came before the players'."""
        self._burned_before_house = 0
        """Cards burned before that one."""
        self._in_order: list[str] = []
        """The hands whose first card came in its turn."""
        self._deal_over = False
        self._lacking: list[str] = []
        self._war_cards = 0
        self._blind = False
        self._off_the_book = False

    def began(self) -> None:
        self._begin()

    # -- boundaries

    def before_card_drawn(self, observation: Observation) -> None:
        if self._burns.comes and self.desk.round is None and position_of(observation) is None and not self.reader:
            return
        sure = self.reader or self._next_round(observation)
        super().before_card_drawn(observation)
        self._doubt(sure)
        self._sources.add(observation.device)

    def _was_only_lost(self, position: str | None, card: str | None) -> bool:
        """Whether the last card that was taken off the felt is read once more as it goes."""
        t, at, face = self._cleared
        lost = self.desk.t - t <= LOST_NS and at == position and (face == card or None in (face, card))
        return self.desk.round is None and lost and not self._burns.aside

    def on_card_placed(self, observation: Observation) -> None:
        if not self._passing:
            super().on_card_placed(observation)

    def before_card_placed(self, observation: Observation) -> None:
        self._passing = self._was_only_lost(position_of(observation), card_of(observation))
        if self._passing:
            return
        self._leaves_another_hand(position_of(observation), card_of(observation))
        sure = self._next_round(observation)
        super().before_card_placed(observation)
        self._doubt(sure)
        self._sources.add(observation.device)

    def _next_round(self, observation: Observation) -> bool:
        """With nobody to say so, a card for a player who is not at war is the next round's first. Returns whether that
        is sure: one who tied may have surrendered, and an unread face leaves open who tied. A card that follows no burn
        may then be a war card yet, unless the first would be seen to be lifted."""
        hand = hand_of(position_of(observation))
        if self.desk.round is None or self.panel or hand is None or self._is_house(hand) or not self.complete():
            return True
        if observation.event == "card_placed" and not self._burns.aside and self.laid_again(observation) is not None:
            return True
        war_over = self._war_cards > 0 and len(self._of_house()) > 1
        on_felt = sum(len(cards) for cards in self._hand_cards.values())
        cleared = on_felt > 2 and len(self._lifted) >= on_felt - 1  # one perhaps was not seen to be lifted
        if war_over or cleared or self._tied(hand) is False or len(self._of(hand)) != 1:
            self.close()
        elif not self._burns.enough(self.reader) and not (self._tied(hand) and self._shows_lifting):
            self._doubt(False)
            self.close()
            return False
        return True

    @property
    def _shows_lifting(self) -> bool:
        return self.desk.availability.on_line("card_position.card_removed")

    def _doubt(self, sure: bool) -> None:
        """Nobody knows where the open round begins or ends."""
        if not sure and self.desk.round is not None:
            self._blind = self.desk.round.partial = True
            self.desk.leave_unjudged((COUNT, ORDER, WAR_BURN))

    def lifted(self, position: str | None, card: str | None) -> None:
        """Where lifting shows, an empty felt ends a round that nobody calls over."""
        on_felt = sum(len(cards) for cards in self._hand_cards.values())
        if len(self._lifted) < on_felt:
            return
        self._void_over()
        if not self.panel and self.complete():
            self._cleared = self.desk.t, position, card
            self.close()

    def before_shoe_started(self, observation: Observation) -> None:
        super().before_shoe_started(observation)
        self._burns.shoe_started()

    def on_bank_moved(self, observation: Observation) -> None:
        self._bank = observation.data.get("seat")

    def on_key_pressed(self, observation: Observation) -> None:
        key, round_ = observation.data.get("key"), self.desk.round
        if key == "misdeal" and round_ is not None:
            self._off_the_book = True
            round_.void = round_.void or "misdeal"
        elif key in RESHUFFLED:
            self._void_over()

    def _void_over(self) -> None:
        """The cards were shuffled, or all taken away: those of a void round are no longer that round's."""
        if self.desk.round is not None and self.desk.round.void is not None:
            self._off_the_book = True

    def missed(self, observation: Observation) -> None:
        if observation.device in self._shoes:
            self._burns.unwatched()

    # -- wagers

    def wager(self, seat: str | None, what: str) -> None:
        if self.desk.round is not None and self.called is not None and seat is not None and not self._deal_over:
            self._late.seen(seat, what, dealing=self.first is not None)

    # -- cards

    def _leaves_another_hand(self, to: str | None, card: str | None) -> None:
        """While the first cards are dealt, one lifted from another hand lay at the wrong place, unless the shoe has let
        out a new one."""
        hand = hand_of(to)
        lifted = [at for at, face in self._lifted if face == card and hand_of(at) not in (None, hand)]
        if None in (card, hand) or self._burns.aside or not lifted:
            return
        origin, was = str(lifted[0]), str(hand_of(lifted[0]))
        if self._deal_over and not (self._is_house(was) and self._last_served == was):
            return  # losing cards are collected, and another deck may hold the same
        self._lifted.remove((origin, card))
        for piles, of in ((self.cards, origin), (self._hand_cards, was)):
            piles[of].remove(card)
            if not piles[of]:
                del piles[of]
        self._blind = self._blind or was != self._last_served or was in self._hand_cards
        self._deal_over, self._lacking = False, []
        if was in self._in_order:
            self._in_order.remove(was)

    def _is_house(self, hand: str) -> bool:
        return hand in (DEALER, self._bank)

    def _of(self, hand: str) -> list[str | None]:
        return self._hand_cards.get(hand, [])

    def _of_house(self) -> list[str | None]:
        return self._of(DEALER) or (self._of(self._bank) if self._bank is not None else [])

    def where(self, position: str | None, card: str | None) -> str | None:
        """A shoe that does not know where its cards go: after the burn, round the table, the dealer last."""
        if position is not None or self.reader:
            return position
        if self._burns.comes:
            return "burn"
        return self._laps.pop(0) if self._laps else None

    def on_card_drawn(self, observation: Observation) -> None:
        position = position_of(observation)
        taken_for_the_burn = position is None and not self.reader and self._burns.comes
        if self.reader or position in ASIDE or taken_for_the_burn:
            self._burns.aside += 1
        super().on_card_drawn(observation)
        if taken_for_the_burn:
            self._burns.was_the_first()

    def comes_back(self, lifted: Lifted, position: str | None) -> bool:
        """At the same place: elsewhere it may be of another deck."""
        return lifted[0] == position

    def read(self, position: str | None, card: str) -> None:
        cards = self._of(hand_of(position) or "")
        if None in cards:
            cards[cards.index(None)] = card

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position in ASIDE:
            return
        hand = hand_of(position)
        if hand is None:
            self._blind = True
            return
        if hand in self._laps:
            del self._laps[: self._laps.index(hand) + 1]
        aside = self._burns.end(self.reader)
        self._hand_cards.setdefault(hand, []).append(card)
        self._last_served = hand
        self._seen.setdefault(hand, []).append(self.desk.seq)
        if self._deal_over:
            self._war_card(hand, aside)
        else:
            self._late.deal_goes_on(self.called)
            self._first_cards(hand)

    def _first_cards(self, hand: str) -> None:
        if self._is_house(hand):
            self._deal_over = True
            self._lacking = [each for each in self.hands or () if not self._of(each) and not self._is_house(each)]
            return
        if len(self._of(hand)) > 1:
            self._breach_count(hand, 1)
        elif self._in_order and seat_order(hand) < seat_order(self._in_order[-1]):
            self._breach_order(hand, self._in_order[-1])
        else:
            self._in_order.append(hand)

    def _war_card(self, hand: str, aside: int) -> None:
        if hand in self._lacking:
            self._lacking.remove(hand)
            self._breach_order(hand, DEALER)
            return
        cards = len(self._of(hand))
        if self._is_house(hand):
            if cards > 2:
                self._breach_count(hand, 2)
            elif not self._war_cards:
                self._burned_before_house = aside
                self._judge_early(hand)
            elif self._burns.twice:
                self._burns.judge_war(aside, "the dealer")
            return
        if cards == 1:
            self._breach_order(hand, DEALER)
        elif cards > 2 or self._tied(hand) is False:
            self._breach_count(hand, 2 if self._tied(hand) else 1)
        else:
            self._judge_lacking()
            self._war_cards += 1
            if self._war_cards == 1:
                before = 0 if self._burns.twice else self._burned_before_house
                self._burns.judge_war(aside + before, "the players")
            if self._early is not None:
                self._breach_order(hand, self._early)

    def _judge_early(self, house: str) -> None:
        """The house has a second card before any player's war card: it came too early, if one of those still comes."""
        if any(self._tied(hand) is not False for hand in self._hand_cards if not self._is_house(hand)):
            self._early = house
        else:
            self._breach_count(house, 1)

    def _tied(self, hand: str) -> bool | None:
        """Whether the first card is of the dealer's rank; None if one of them was not read."""
        read = all_read([*self._of(hand)[:1], *self._of_house()[:1]])
        return None if read is None or len(read) < 2 else rank(read[0]) == rank(read[1])

    # -- judging

    def _judged(self) -> bool:
        round_ = self.desk.round
        clouded = self._sources & self.desk.availability.clouded
        return (
            round_ is not None and round_.void in (None, COUNT) and not (self._off_the_book or self._blind or clouded)
        )

    def _evidence(self, hand: str) -> list[int]:
        return self._seen.get(hand, [])

    def _breach_count(self, hand: str, required: int) -> None:
        if self._judged():
            observed = {"position": hand, "cards": len(self._of(hand))}
            self.desk.breach(COUNT, observed, {"cards": required}, self._evidence(hand), once=hand)

    def _breach_order(self, hand: str, after: str) -> None:
        if self._judged():
            required = {"order": "from the dealer's left, the dealer last"}
            self.desk.breach(ORDER, {"position": hand, "after": after}, required, self._evidence(after))

    def _judge_lacking(self) -> None:
        """Play goes on although some got no card."""
        lacking, self._lacking = self._lacking, []
        for hand in lacking:
            if hand not in self._late.seats:
                self._breach_count(hand, 1)

    # -- the end

    def complete(self) -> bool:
        return self._deal_over and not self._lacking and (not self._war_cards or len(self._of_house()) > 1)

    def ended(self) -> tuple[dict[str, Any], bool]:
        house = self._house()
        whole = self.desk.round is not None and not self.desk.round.partial
        if whole:
            self._judge_lacking()
        if whole and self._early is not None and not self._war_cards:
            self._breach_count(self._early, 1)
        if whole and self._hand_cards and len(self._of(house)) < 1 + bool(self._war_cards):
            self._breach_count(house, 1 + bool(self._war_cards))
        hands = sorted((hand for hand in self._hand_cards if not self._is_house(hand)), key=seat_order)
        result: dict[str, Any] = {DEALER: shown(self._of_house())}
        for hand in hands:
            result[hand] = against(self._of(hand), self._of_house())
        return result, bool(self._sources & self.desk.availability.clouded)

    def _house(self) -> str:
        return DEALER if self._of(DEALER) or self._bank is None or not self._of(self._bank) else self._bank

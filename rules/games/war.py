"""Casino War: one card to each player and the dealer, and to those who go to war a burn and one more.

A burn shows where a shoe tells each card that leaves it: what was drawn and did not come to a hand. The card of a
player who banks lies at the dealer's position or at the seat with the bank. Data of the book:

    [figures.war-burn]               cards burned before the players' war cards
    [figures.burn-at-shoe-start]     cards burned before a shoe's first round, where the book has one
    [tables] war-burns, or the option of that name: "twice" (again before the dealer's war card), "once", "unsettled"
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.hands.poker_ranking import HEIGHT
from pitwatch.rules.play.card_game import LOST_NS, RESHUFFLED, Lifted, card_of, position_of
from pitwatch.rules.play.cards import all_read, rank, suit
from pitwatch.rules.play.laid_again import LaidAgain
from pitwatch.rules.play.late_wager import LateWagers
from pitwatch.rules.play.piles import hand_of
from pitwatch.rules.play.seats import ASIDE, DEALER, seat_order

FAMILIES = {"war": "War"}

COUNT = "wrong-card-count"
ORDER = "wrong-initial-sequence"
WAR_BURN = "missing-war-burn"
SHOE_BURN = "burn-count-wrong"
TWICE = "twice"


class War(LaidAgain):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        figures = desk.game.figures
        self._war_burn: int = desk.figure("war-burn")
        self._shoe_burn: int = figures["burn-at-shoe-start"].value if "burn-at-shoe-start" in figures else 0
        self._twice = (desk.option("war-burns") or desk.game.tables.get("war-burns")) == TWICE
        self._shoes = {device.id for device in desk.table.provides("shoe.card_drawn")}
        self._bank: str | None = None
        self._burn_due = False
        self._cleared: tuple[int, str | None, str | None] = (0, None, None)
        """When the felt was cleared last (ns), of which card."""
        self._passing = False
        """The card that is read was taken off the felt a moment ago."""
        self._aside = 0
        """Cards that left the shoe since the last one that came to a hand."""
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
        if self._burn_comes and self.desk.round is None and position_of(observation) is None and not self.reader:
            return
        sure = self.reader or self._next_round(observation)
        super().before_card_drawn(observation)
        self._doubt(sure)
        self._sources.add(observation.device)

    def _was_only_lost(self, position: str | None, card: str | None) -> bool:
        """Whether the last card that was taken off the felt is read once more as it goes."""
        t, at, face = self._cleared
        lost = self.desk.t - t <= LOST_NS and at == position and (face == card or None in (face, card))
        return self.desk.round is None and lost and not self._aside

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
        if observation.event == "card_placed" and not self._aside and self.laid_again(observation) is not None:
            return True
        war_over = self._war_cards > 0 and len(self._of_house()) > 1
        on_felt = sum(len(cards) for cards in self._hand_cards.values())
        cleared = on_felt > 2 and len(self._lifted) >= on_felt - 1  # one perhaps was not seen to be lifted
        if war_over or cleared or self._tied(hand) is False or len(self._of(hand)) != 1:
            self.close()
        elif not self._burned and not (self._tied(hand) and self._shows_lifting):
            self._doubt(False)
            self.close()
            return False
        return True

    @property
    def _burned(self) -> bool:
        """Whether as many cards as a war takes came to no hand, the latest apart where a reader has still to place it:
        less may be another burn, before the next deal."""
        return self._aside - self.reader >= self._war_burn

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
        self._burn_due, self._aside = self._shoe_burn > 0, 0

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
            self._burn_due = False

    # -- wagers

    def on_seat_taken(self, observation: Observation) -> None:
        super().on_seat_taken(observation)
        self._wager(observation, "laid")

    def on_seat_left(self, observation: Observation) -> None:
        super().on_seat_left(observation)
        self._wager(observation, "taken away")

    def _wager(self, observation: Observation, what: str) -> None:
        seat = observation.data.get("seat")
        if self.desk.round is not None and self.called is not None and seat is not None and not self._deal_over:
            self._late.seen(seat, what, dealing=self.first is not None)

    # -- cards

    def _leaves_another_hand(self, to: str | None, card: str | None) -> None:
        """While the first cards are dealt, one lifted from another hand lay at the wrong place, unless the shoe has let
        out a new one."""
        hand = hand_of(to)
        lifted = [at for at, face in self._lifted if face == card and hand_of(at) not in (None, hand)]
        if None in (card, hand) or self._aside or not lifted:
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

    @property
    def _burn_comes(self) -> bool:
        """Whether the next card of a shoe that says of none where it goes is the burn that opens it."""
        return self._burn_due and not self._aside

    def where(self, position: str | None, card: str | None) -> str | None:
        """A shoe that does not know where its cards go: after the burn, round the table, the dealer last."""
        if position is not None or self.reader:
            return position
        if self._burn_comes:
            return "burn"
        return self._laps.pop(0) if self._laps else None

    def on_card_drawn(self, observation: Observation) -> None:
        position = position_of(observation)
        taken_for_the_burn = position is None and not self.reader and self._burn_comes
        if self.reader or position in ASIDE or taken_for_the_burn:
            self._aside += 1
        super().on_card_drawn(observation)
        self._burn_due = self._burn_due and not taken_for_the_burn

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
        aside, self._aside = max(0, self._aside - self.reader), 0
        self._judge_shoe_burn(aside)
        self._hand_cards.setdefault(hand, []).append(card)
        self._last_served = hand
        self._seen.setdefault(hand, []).append(self.desk.seq)
        if self._deal_over:
            self._war_card(hand, aside)
        else:
            self._late.deal_goes_on(self.called)
            self._first_cards(hand)

    def _judge_shoe_burn(self, aside: int) -> None:
        if not self._burn_due:
            return
        self._burn_due = False
        if aside == 0 and self._judged():
            self.desk.breach(SHOE_BURN, {"burned": 0}, {"burned": self._shoe_burn})

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
            elif self._twice:
                self._judge_war_burn(aside, "the dealer")
            return
        if cards == 1:
            self._breach_order(hand, DEALER)
        elif cards > 2 or self._tied(hand) is False:
            self._breach_count(hand, 2 if self._tied(hand) else 1)
        else:
            self._judge_lacking()
            self._war_cards += 1
            if self._war_cards == 1:
                before = 0 if self._twice else self._burned_before_house
                self._judge_war_burn(aside + before, "the players")
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

    def _judge_war_burn(self, aside: int, whose: str) -> None:
        if aside < self._war_burn and self._judged():
            observed = {"burned": aside, "before": f"the war card of {whose}"}
            self.desk.breach(WAR_BURN, observed, {"burned": self._war_burn}, once=whose)

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
        result: dict[str, Any] = {DEALER: _shown(self._of_house())}
        for hand in hands:
            result[hand] = _against(self._of(hand), self._of_house())
        return result, bool(self._sources & self.desk.availability.clouded)

    def _house(self) -> str:
        return DEALER if self._of(DEALER) or self._bank is None or not self._of(self._bank) else self._bank


def _shown(cards: list[str | None]) -> dict[str, Any]:
    return {"card": cards[0] if cards else None, **({"war": cards[1]} if len(cards) > 1 else {})}


def _compare(card: str | None, other: str | None) -> str | None:
    read = all_read([card, other])
    if read is None or any(rank(each) not in HEIGHT for each in read):
        return None
    mine, theirs = (HEIGHT[rank(each)] for each in read)
    return "tie" if mine == theirs else "higher" if mine > theirs else "lower"


def _against(cards: list[str | None], dealer: list[str | None]) -> dict[str, Any]:
    """The first cards and, after a war, the second; what a wager on ties would win."""
    first = _compare(cards[0], dealer[0]) if dealer else None
    shown: dict[str, Any] = {**_shown(cards), "against_dealer": first}
    second = _compare(cards[1], dealer[1]) if len(cards) > 1 and len(dealer) > 1 else None
    if len(cards) > 1:
        shown["war_against_dealer"] = second
    if first == "tie":
        shown["tie"] = _tie(cards, dealer, second)
    return shown


def _tie(cards: list[str | None], dealer: list[str | None], second: str | None) -> str:
    """four-of-a-kind, double, suited or basic, from the best paid down."""
    read = all_read([cards[0], dealer[0]]) or []
    if second == "tie":
        four = {rank(card) for card in (*cards[:2], *dealer[:2]) if card is not None}
        return "four-of-a-kind" if len(four) == 1 else "double"
    return "suited" if len({suit(card) for card in read}) == 1 else "basic"

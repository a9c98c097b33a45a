"""One hand of poker as it is dealt: which street each card belongs to, and what is wrong with the burns, the number of
cards, the order of streets, the draws and the stub. How a game deals is the book's: see `rules.games.poker.streets`.

A fold is a hand all of whose cards are lifted. Knows no ranking, no boundary of a round and no device.
"""

from __future__ import annotations

from typing import Any, Protocol

from rules.games.poker.burn_sight import BurnSight, Missed
from rules.games.poker.hand import Card, Hand
from rules.games.poker.streets import COMMUNITY, HANDS, Street, Streets

COUNT = "wrong-card-count"
EXTRA = "burn-extra"
PREMATURE = "premature-deal"
SHORT = "stub-short"
STILL_SHORT = "stub-plus-burns-short"
LAST_CARD = "stub-last-card-used"
DRAW = "draw-count-mismatch"

AFTER_SHORT = (STILL_SHORT, LAST_CARD, DRAW)
"""What can still be told of a hand whose stub ran short: the crew deals the rest by the document's way out."""

TOGETHER_NS = 3_000_000_000
"""Board cards that lie down within this time may have been dealt together, as a flop is."""


class Tell(Protocol):
    def __call__(
        self, rule: str, observed: dict[str, Any], required: dict[str, Any], position: str | None, once: object
    ) -> None: ...


class Deal:
    """`run_it`: hands at most that may agree to run the board twice. `tell` is called for each breach with the position
    it concerns. `seats_seen`: there may be readers at the seats."""

    def __init__(self, streets: Streets, deck: int, run_it: int, burns: BurnSight, tell: Tell, seats_seen: bool):
        self._streets = streets
        self._deck = deck
        self._run_it = run_it
        self._sight = burns
        self._tell = tell
        self._seats_seen = seats_seen
        self.lifts_seen = False
        """Whether the readers are known to tell of lifted cards."""
        self.hands: dict[str, Hand] = {}
        self.board: list[Card] = []
        self.burned: list[Card] = []
        self.in_doubt = False
        """What was seen fits no deal, or a card went nobody knows where: nothing more is told of it."""
        self.mixed = False
        """Cards that were out may have been shuffled in again."""
        self.showdown: dict[str, list[Card]] = {}
        """The hands in play, and what they held, when all was dealt or a betting round was last called complete."""
        self._at = -1
        self._got: dict[str, int] = {}
        self._live: list[str] = []
        self._burns = 0
        self._burn_unsure = False
        self._bare = False
        """No burn was seen before the street that is being dealt."""
        self._owed: dict[str, int] = {}
        """Hands that lack cards of the street before, and how many."""
        self._gone: set[str] = set()
        """Hands that were passed over and are taken to have folded."""
        self._held: tuple[Street, str, Missed] | None = None
        self._called = False
        self._calls = False
        self._short_stub: tuple[Street, int] | None = None
        self._stub_judged = -1
        self._out = 0
        self._muck = 0
        self._last = 0

    # -- where the deal stands

    @property
    def begun(self) -> bool:
        return self._at >= 0

    @property
    def _here(self) -> Street:
        return self._streets[self._at]

    @property
    def cleared(self) -> bool:
        """Whether every card of every hand has been taken from the felt."""
        return bool(self.hands) and not any(hand.live for hand in self.hands.values())

    @property
    def all_dealt(self) -> bool:
        """Whether the last street has been dealt, if that is no draw."""
        return self.begun and self._at == self._streets.last and not self._here.draw and self._street_done()

    @property
    def complete(self) -> bool:
        """Everything is dealt, or nobody is left to be dealt to."""
        if not self.begun:
            return False
        if len(self.hands) > 1 and sum(hand.live for hand in self.hands.values()) <= 1:
            return True
        if self.mixed and self._streets.next_dealt(self._at) is None:
            return True
        return self._streets.next_dealt(self._at) is None and self._street_done()

    @property
    def last_for_hands(self) -> bool:
        """Whether the last street that is dealt is under way and goes to the hands."""
        return self.begun and self._here.deals_hands and self._streets.next_dealt(self._at) is None

    def _street_done(self) -> bool:
        if self._here.to == COMMUNITY:
            return self._got.get(COMMUNITY, 0) >= self._here.cards
        return self._here.draw > 0 or (bool(self._got) and not self._lacking())

    def _lacking(self) -> dict[str, int]:
        """Hands still short of cards of this street, and by how many."""
        if not self.begun or not self._here.deals_hands:
            return {}
        hands = self._live if self._at else list(self.hands)
        lacking = {each: self._here.cards - self._got.get(each, 0) for each in hands if self.hands[each].live}
        return {each: cards for each, cards in lacking.items() if cards > 0}

    def expects(self, position: str) -> bool:
        """Whether the hand may be dealt a card now."""
        if not self.begun or position in self._owed or self._draws(position):
            return True
        if self._here.deals_hands and self._got.get(position, 0) < self._here.cards:
            return True
        return self._streets.next(self._at, HANDS) is not None and self._next_may_begin()

    def _next_may_begin(self) -> bool:
        return not self._here.deals_hands or not self._lacking() or self._burns > 0

    def moves(self, position: str, card: Card) -> bool:
        """Whether this is a card that was lifted from the hand, or one that lay there unread."""
        hand = self.hands.get(position)
        return hand is not None and (hand.away > 0 or (card is not None and None in hand.on))

    # -- cards

    def seat(self, position: str, card: Card, t: int) -> None:
        """A card lies down before a patron."""
        hand = self.hands.setdefault(position, Hand())
        if self._comes_back(position, hand, card):
            self.laid_back(position, card)
        elif self._draws(position):
            self._draw(position, hand, card)
        else:
            self._to_hand(position, hand, card)
        self._last = t
        if self._streets.draws or self.all_dealt:
            self._look_at_hands()

    def _comes_back(self, position: str, hand: Hand, card: Card) -> bool:
        """Whether this card lay at the hand before. A lifted card that was never read comes back unread: patrons look
        at their cards whenever they like, but while the first are dealt a card is more likely a new one."""
        if hand.away > 0 and card is None and not self._draws(position):
            first_deal = self._at == 0 and self._got.get(position, 0) < self._here.cards
            return not first_deal
        return not self.expects(position) and self.moves(position, card)

    def _to_hand(self, position: str, hand: Hand, card: Card) -> None:
        if self.begun and self._here.deals_hands and self._got.get(position, 0) < self._here.cards:
            self._in_street(position)
        elif not self.begun or (self._streets.next(self._at, HANDS) is not None and self._next_may_begin()):
            following = self._streets.next(self._at, HANDS)
            if following is None:
                self.in_doubt = True
            else:
                self._turn_to(following, position)
                self._in_street(position)
        elif position in self._owed:
            self._owed[position] -= 1
            if not self._owed[position]:
                del self._owed[position]
            self._late(position)
        else:
            self._too_many(position, hand)
        hand.receive(card)
        self._out += 1

    def _in_street(self, position: str) -> None:
        """A card of the street that is being dealt; one that comes after the next street's burn comes late."""
        if position in self._gone:
            self._gone.discard(position)
            received = len(self.hands[position].received)
            self._say_count(position, received, self._streets.need(self._at - 1))
        self._got[position] = self._got.get(position, 0) + 1
        if self._held is not None and position != self._held[1]:
            self._tell_held()
        if self._burns:
            if any(got >= self._here.cards for got in self._got.values()):
                self._late(position)
            else:
                self.in_doubt = True

    def _late(self, position: str) -> None:
        observed = {"position": position, "card": "after the next street began"}
        self._say(PREMATURE, observed, {"street": "dealt out before the next begins"}, position, ("late", self._at))

    def _too_many(self, position: str, hand: Hand) -> None:
        if self._streets.draws and self._at > 0:
            self._say(DRAW, {"position": position, "cards": len(hand.on) + 1}, {"cards": hand.size}, position, position)
        else:
            self._say_count(position, len(hand.received) + 1, self._streets.need(self._at))

    def community(self, card: Card, t: int) -> None:
        """A card lies down on the board."""
        if not self.begun and self._seats_seen:
            self.in_doubt = True
        if card is not None and None in self.board and len(self.board) >= self._streets.board > 0:
            self.board[self.board.index(None)] = card
            return
        if not self._streets.board:
            self._judge_following_stub()
            self.mixed = True  # the common card of a stub that ran short
        elif self.begun and self._here.to == COMMUNITY and self._got.get(COMMUNITY, 0) < self._here.cards:
            self._got[COMMUNITY] += 1
        else:
            self._next_board(t)
        self.board.append(card)
        self._out += 1
        self._last = t
        if self.all_dealt:
            self._look_at_hands()

    def _next_board(self, t: int) -> None:
        following = self._streets.first(COMMUNITY) if not self.begun else self._streets.next(self._at, COMMUNITY)
        if following is None:
            self._beyond_the_board()
            return
        self._turn_to(following, COMMUNITY, t)
        self._got[COMMUNITY] = 1

    def _beyond_the_board(self) -> None:
        """One card more than the board has: dealt again to those who agreed, or one too many on the way."""
        live = sum(hand.live for hand in self.hands.values())
        if self._burns and self._held is None and self._run_it and live <= self._run_it:
            self._burns = 0
            return
        self._held = None
        self._say_count(COMMUNITY, len(self.board) + 1, self._streets.board)

    def laid_back(self, position: str, card: Card) -> None:
        """A card that was lifted from a hand, or lay there unread, lies there with its face."""
        hand = self.hands.get(position)
        if hand is None:
            return
        if hand.away > 0:
            hand.lay_back(card)
            self._muck -= self._muck > 0
        elif None in hand.on:
            hand.turn(card)

    def lift(self, position: str, card: Card) -> None:
        """A card is taken from a hand."""
        hand = self.hands.get(position)
        if hand is not None:
            self._judge_draw(position, hand)
            hand.lift(card)
            self._muck += 1
            self.lifts_seen = True
            if not hand.live and self._betting and sum(each.live for each in self.hands.values()) == 1:
                self._look_at_hands()  # everybody else has folded

    @property
    def _betting(self) -> bool:
        """Whether a hand that is lifted may be folded. After the last card only where the end of the betting is called
        and was not yet, and nobody has shown: else it is taken in after the showdown."""
        if self._called:
            return False
        return not self.all_dealt or (self._calls and not any(hand.turned for hand in self.hands.values()))

    def discard(self, card: Card) -> None:
        """A card lies on the discard pile: folded or discarded, or burned in a house that burns there."""
        if self._muck:
            self._muck -= 1
            self._burn_unsure = self._burn_unsure or card is None
        else:
            self.burn(card)

    # -- burns

    def burn(self, card: Card) -> None:
        if not self.begun:
            self.in_doubt = True
            return
        self._sight.burned()
        self._settle_single()
        following = self._streets.next_dealt(self._at)
        if following is not None:
            self._judge_stub(following)
        self.burned.append(card)
        self._out += 1
        self._burns += 1
        if following is None:
            return
        street = self._streets[following]
        if street.burn is not None and self._burns > street.burn:
            observed = {"street": street.id, "burned": self._burns}
            self._say(EXTRA, observed, {"burned": street.burn}, None, street.id)

    def _settle_single(self) -> None:
        """A burn or a call right after the only card of a street for the hands, which no burn preceded: that card was
        one too many of the street before."""
        if not (self._bare and self._at > 0 and self._here.deals_hands) or list(self._got.values()) != [1]:
            return
        (position,) = self._got
        if not set(self._lacking()) - {position}:
            return
        self._held, self._bare = None, False
        self._at -= 1
        self._got = dict.fromkeys(self._live, self._here.cards)
        self._say_count(position, len(self.hands[position].received), self._streets.need(self._at))

    def _judge_burn(self, street: Street, position: str, t: int) -> None:
        """The first card of a street. Without a burn before it a single card may still belong to the street before."""
        if not street.needs_burn or self._burn_unsure or self._quiet:
            return
        self._sight.street()
        if self._burns:
            return
        missed: Missed = ({"street": street.id, "burned": 0}, {"burned": street.burn}, position)
        together = street.to == self._here.to == COMMUNITY and t - self._last <= TOGETHER_NS
        if not self._called and (together or (street.deals_hands and len(self._live) > 1)):
            self._held = (street, position, missed)
        else:
            self._sight.missed(missed)

    def _tell_held(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._sight.missed(held[2])

    # -- from street to street

    def _turn_to(self, index: int, position: str, t: int = 0) -> None:
        """The first card of a street is about to lie down."""
        street = self._streets[index]
        if self.begun:
            if self._held is not None and self._held[0].to != COMMUNITY:
                self._tell_held()
            self._judge_owed()
            self._judge_draws()
            self._owe()
            self._judge_stub(index)
            self._live = self._in_play()
            self._judge_burn(street, position, t)
            self._judge_call(street, position)
        self._at, self._got = index, {}
        self._bare = self._burns == 0
        self._burns, self._burn_unsure, self._called = 0, False, False

    def _in_play(self) -> list[str]:
        return [each for each, hand in self.hands.items() if hand.live and each not in self._gone]

    def _owe(self) -> None:
        """Hands that lack cards of the street just dealt. Where no reader ever told of a lifted card, a hand that is
        passed over in a later street has folded, as long as it gets nothing more."""
        lacking = self._lacking()
        if lacking and len(lacking) == len(self._live if self._at else self.hands):
            self.in_doubt = True
        elif self._at > 0 and not self.lifts_seen:
            self._gone.update(lacking)
        else:
            self._owed = lacking

    def _judge_owed(self) -> None:
        """What was owed from the street before has not come."""
        owed, self._owed = self._owed, {}
        for position, cards in owed.items():
            hand = self.hands[position]
            if hand.live:
                self._say_count(position, len(hand.received), len(hand.received) + cards)

    def judge_last_street(self) -> None:
        """Nothing more comes, or nothing came for a while: a hand that is short of the last street stays short."""
        lacking = self._lacking()
        served = [position for position, got in self._got.items() if got >= self._here.cards]
        if len(lacking) <= len(served):  # else the deal broke off
            for position in lacking:
                self._say_count(position, len(self.hands[position].received), self._streets.need(self._at))
                self._got[position] = self._here.cards

    def call(self) -> None:
        """A betting round is called complete."""
        if self.begun:
            self._settle_single()
        self._called = self._calls = True
        if self.all_dealt or self._streets.draws:
            self._look_at_hands()

    def _judge_call(self, street: Street, position: str) -> None:
        """Where the end of the betting is called, no street comes before the call; all in, nobody bets any more. A card
        that may yet belong to the street before proves nothing."""
        exposed = any(hand.turned for hand in self.hands.values())
        if self._calls and not self._called and not exposed and self._held is None:
            observed = {"street": street.id, "betting": "not called complete"}
            self._say(PREMATURE, observed, {"betting": "complete"}, position, street.id)

    # -- draws

    def _draws(self, position: str) -> bool:
        """Whether a card for this hand now takes the place of a discard."""
        hand = self.hands.get(position)
        if hand is None or hand.away <= 0 or not self.begun:
            return False
        if self._here.draw or self._streets.next_draw(self._at) is None:
            return self._here.draw > 0
        lacking = self._lacking()
        return self._street_done() or (len(lacking) == 1 and position not in lacking)

    def _draw(self, position: str, hand: Hand, card: Card) -> None:
        if not self._here.draw:
            following = self._streets.next_draw(self._at)
            if following is not None:
                self._owe()
                self._judge_owed()
                self._judge_stub(following)
                self._at, self._got, self._burns = following, {}, 0
        self._called = False
        hand.replace(card)
        self._out += 1
        owed = sum(each.away for each in self.hands.values() if each.live)
        if self._out == self._deck and owed and not self.mixed:
            self._say(LAST_CARD, {"cards_owed": owed}, {"last_card": "only for the last card owed"}, position, None)

    def _judge_draws(self) -> None:
        for position, hand in self.hands.items():
            self._judge_draw(position, hand)

    def _judge_draw(self, position: str, hand: Hand) -> None:
        """A hand that drew is touched again: by now it must be whole. One that was lifted whole says nothing."""
        if not hand.drawn:
            return
        if hand.fullest < hand.size and not hand.emptied:
            self._say(DRAW, {"position": position, "cards": hand.fullest}, {"cards": hand.size}, position, position)
        hand.draw_over()

    # -- the stub

    def _judge_stub(self, index: int) -> None:
        """Before a street is dealt: whether the cards that are left suffice for it."""
        if self._stub_judged == index or self.mixed:
            return
        self._stub_judged = index
        street, left = self._streets[index], self._deck - self._out
        owed = self._owing(street)
        need = owed + (street.burn or 0 if street.needs_burn and not self._burns else 0)
        if left < need:
            self._say(SHORT, {"street": street.id, "cards_left": left}, {"cards": need}, None, street.id)
            self._short_stub = (street, owed)

    def _judge_following_stub(self) -> None:
        """The crew turns to what a short stub asks for before the next street is dealt."""
        following = self._streets.next_dealt(self._at) if self.begun and not self._here.draw else None
        if following is not None:
            self._judge_stub(following)

    @property
    def short_ahead(self) -> bool:
        """Whether the stub cannot serve the next street as it stands: cards that were out may come again."""
        if not self.begun or not self._street_done():
            return False
        following = self._streets.next_dealt(self._at)
        return following is not None and self._deck - self._out < self._owing(self._streets[following])

    def _owing(self, street: Street) -> int:
        live = [self.hands[each] for each in self._in_play()]
        if street.draw:
            return sum(hand.away for hand in live)
        return street.cards * (len(live) if street.to == HANDS else 1)

    def mix(self) -> None:
        """Burn cards, or discards, are shuffled into the stub: whether that is enough."""
        self._judge_following_stub()
        if self._short_stub is not None and not self.mixed:
            street, owed = self._short_stub
            left = self._deck - self._out + len(self.burned)
            if street.deals_hands and left < owed:
                self._say(STILL_SHORT, {"street": street.id, "cards_left": left}, {"cards": owed}, None, street.id)
        self.mixed = True

    # -- the end

    def end(self) -> None:
        """The hand is over: tell what only its end shows."""
        self._tell_held()
        self._sight.round_closing()
        if not self.begun:
            return
        self._judge_owed()
        self._judge_draws()
        if self._at == 0 or self.lifts_seen or self._at == self._streets.last:
            self.judge_last_street()

    def _look_at_hands(self) -> None:
        self.showdown = {position: list(hand.on) for position, hand in self.hands.items() if hand.live}

    def shown(self) -> dict[str, list[Card]] | None:
        """The hands that were not folded, as they were shown; None if that cannot be told: after a last draw only the
        call of the last betting tells a fold from a hand that is taken in.

        Where others were turned face up, a hand that was not is thrown in.
        """
        ends_in_draw = self._streets[self._streets.last].draw > 0
        if (len(self.hands) > 1 and not self.showdown) or (ends_in_draw and not self._calls):
            return None
        held = {position: self.hands[position].shown(cards) for position, cards in self.showdown.items()}
        if any(self.hands[position].turned for position in held):
            return {p: cards for p, cards in held.items() if None not in cards or self.hands[p].turned}
        return held

    # -- telling

    @property
    def _quiet(self) -> bool:
        return self.mixed or self._short_stub is not None

    def _say_count(self, position: str, cards: int, need: int) -> None:
        self._say(COUNT, {"position": position, "cards": cards}, {"cards": need}, position, position)

    def _say(
        self, rule: str, observed: dict[str, Any], required: dict[str, Any], position: str | None, once: object
    ) -> None:
        if not self.in_doubt and (not self._quiet or rule in AFTER_SHORT):
            self._tell(rule, observed, required, position, once)

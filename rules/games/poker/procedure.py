"""Poker among patrons, whatever the game: when a hand begins and ends, and what it comes to. How it is dealt follows
`deal`, how a game deals and ranks is the book's: see `streets`, `pots` and `bad_beat`.

What lies before whom says a reader under the felt. Betting is not seen, but for a house whose dealers press "no more
bets" whenever a betting round is complete: a press in the middle of a hand is such a call, unless the next card begins
another hand.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.poker.bad_beat import BadBeat
from pitwatch.rules.games.poker.burn_sight import MISSING, BurnSight, Missed
from pitwatch.rules.games.poker.burns import BURN
from pitwatch.rules.games.poker.card_counts import COUNT
from pitwatch.rules.games.poker.deal import Deal
from pitwatch.rules.games.poker.draws import DUPLICATE
from pitwatch.rules.games.poker.rereads import Rereads
from pitwatch.rules.games.poker.results import Results
from pitwatch.rules.games.poker.streets import COMMUNITY, Streets
from pitwatch.rules.games.poker.stub import SHORT
from pitwatch.rules.play.card_game import RESHUFFLED, CardGame, card_of, position_of
from pitwatch.rules.play.seats import is_seat

FAMILIES = {"poker-room": "PokerRoom"}

JACKPOT_COUNT = "wrong-card-count-at-jackpot"

DISCARD = "discard"
VOID = "void"

SETTLED_NS = 10_000_000_000
"""No card for this time: the last street is dealt, and a hand that is short stays short."""


class PokerRoom(CardGame):
    COUNTS_HANDS = True

    def __init__(self, desk: Desk):
        super().__init__(desk)
        game = desk.game
        self._streets = Streets(game, desk.options)
        self._results = Results(game, desk.options, self._streets)
        self._bad_beat = BadBeat(game, desk.options)
        self._burn_sight = BurnSight(desk, self._tell_missing)
        self._deck: int = game.figure("cards-per-deck")
        self._run_it = int(game.figure("run-it-hands")) if "run-it-hands" in game.figures else 0
        self._seats_seen = any(desk.has(f"card_position.card_placed:seat-{n}") for n in range(1, 10))
        self._jackpot: int | None = None
        """Journal sequence of a jackpot whose deck is still to be counted."""
        self._keys_used = False
        self._lifts_seen = False
        self._begin()

    def _begin(self) -> None:
        self._deal = Deal(self._streets, self._deck, self._run_it, self._burn_sight, self._tell, self._seats_seen)
        self._deal.lifts_seen = self._lifts_seen
        self._call: int | None = None
        self._sources: set[str] = set()
        self._seen: dict[str, list[int]] = {}
        self._quiet_until: int | None = None
        """When nothing more of the last street comes."""
        self._off_the_book = False
        self._miscounted: set[str] = set()
        """Hands with too few or too many cards, of which that was told."""
        self._rereads = Rereads()
        self._shown_again = False
        """The card that is being laid lay there before."""
        self.deadline = None

    def began(self) -> None:
        self._begin()
        self._burn_sight.round_opened()

    # -- boundaries

    def before_key_pressed(self, observation: Observation) -> None:
        self._take_lifted()
        key = observation.data.get("key")
        self._keys_used = self._keys_used or key in ("no_more_bets", "round_over")
        round_ = self.desk.round
        course = self._deal.course
        in_a_hand = round_ is not None and not round_.partial and course.begun and not course.cleared
        if key == "no_more_bets" and in_a_hand:
            self._call = self.desk.seq
            if self._deal.opens(self.called is not None):
                self.called = self.called or self.desk.seq
            else:
                self._deal.call()
            return
        super().before_key_pressed(observation)

    def before_shuffle_started(self, observation: Observation) -> None:
        """While one deck is played the other may be shuffled: that ends a hand only if it is over."""
        self._take_lifted()
        if self.desk.round is None or (not self.panel and self.complete()):
            self.close()
            self.desk.boundary()

    def before_card_placed(self, observation: Observation) -> None:
        self._shown_again = self._is_shown_again(position_of(observation), card_of(observation))
        if self._shown_again:
            if self.desk.round is not None:
                self.desk.round.again = self.desk.seq
            return
        self._perhaps_next_hand(observation)
        super().before_card_placed(observation)
        self._sources.add(observation.device)

    def _is_shown_again(self, position: str | None, card: str | None) -> bool:
        """Whether a card that is laid lay there all the time, or was lifted unread."""
        rereads = self._rereads
        if position is not None and rereads.lost(self.desk.t, position, card):
            lift, rereads.pending = rereads.pending, None
            if lift is not None and (position, lift.card) in self._lifted:
                self._lifted.remove((position, lift.card))
            self._deal.back.shows(position, card)
            return True
        self._take_lifted()
        if position is None or self.desk.round is None or not rereads.again(position, card):
            return False
        hand = self._deal.course.hands.get(position)
        if hand is not None and hand.lifted_unread:
            self._deal.back.lies_again(position, card)
            return True
        if rereads.just_laid(self.desk.t, card):
            return position != COMMUNITY
        known = self._lifts_seen or not self._deal.course.all_dealt  # else it may be the next hand's
        return known and position not in (BURN, DISCARD) and not self._deal.due(position)

    def on_card_placed(self, observation: Observation) -> None:
        if self._shown_again:
            return
        super().on_card_placed(observation)
        self._rereads.laid(self.desk.t, position_of(observation) or "", card_of(observation))

    def before_card_drawn(self, observation: Observation) -> None:
        if not self.reader:
            self._perhaps_next_hand(observation)
            super().before_card_drawn(observation)
            self._sources.add(observation.device)

    def _perhaps_next_hand(self, observation: Observation) -> None:
        """A card for a seat begins another hand if this one is over, or if it comes after a call and out of place."""
        position, card = position_of(observation), card_of(observation)
        course = self._deal.course
        if self.desk.round is None or position is None or not course.begun:
            return
        called, self._call = self._call, None
        if not is_seat(position) or (position, card) in self._lifted:
            return
        held = self._deal.back.moves(position, card) and self._deal.back.may_have_held(position, card)
        strange = not self._deal.expects(position) and not held
        if called is not None and strange:
            self.close()
            self.desk.boundary()
            self._open(called)
        elif course.cleared or (strange and course.all_dealt and not self._keys_used):
            self.close()

    def complete(self) -> bool:
        return self._deal.complete

    # -- what happens besides the cards

    def on_key_pressed(self, observation: Observation) -> None:
        key, round_ = observation.data.get("key"), self.desk.round
        if round_ is None:
            return
        if key in RESHUFFLED and self._deal.course.begun:
            self._deal.stub.mix()
            self.deadline = self._quiet_until = None  # the scramble takes its time, and then the deal goes on
            self._rereads.mixed()
            self._lifted.clear()
            round_.mixed = True
        elif key == "misdeal":
            self._off_the_book = True
            round_.void = round_.void or "misdeal"

    def on_device_fault(self, observation: Observation) -> None:
        verdicts = self._deal.verdicts
        verdicts.in_doubt = verdicts.in_doubt or observation.device in self._sources

    def on_reader_error(self, observation: Observation) -> None:
        self._deal.verdicts.in_doubt = True

    # -- where the cards go

    def dealt(self, position: str | None, card: str | None) -> None:
        deal, round_ = self._deal, self.desk.round
        if round_ is None:
            return
        if position is not None:
            self._seen.setdefault(position, []).append(self.desk.seq)
        if position == BURN:
            deal.burn(card, self.desk.t)
        elif position == DISCARD:
            deal.discard(card, self.desk.t)
        elif position == COMMUNITY:
            deal.community(card, self.desk.t)
        elif position is not None and is_seat(position):
            deal.seat(position, card, self.desk.t)
        else:
            deal.verdicts.in_doubt = True
        round_.mixed = round_.mixed or deal.verdicts.mixed or deal.stub.short_ahead
        self._quiet_until = self.desk.t + SETTLED_NS if deal.course.last_for_hands else None
        self.deadline = deal.slow.deadline or self._quiet_until
        self._record()

    def lifted(self, position: str | None, card: str | None) -> None:
        self._take_lifted()
        if self.desk.round is not None and position is not None:
            self._rereads.lifted(self.desk.t, position, card)

    def _take_lifted(self) -> None:
        """What was lifted last did not lie there again at once: it was lifted indeed."""
        lift = self._rereads.taken()
        if lift is None or self.desk.round is None:
            return
        self._deal.lift(lift.position, lift.card, lift.t)
        self._lifts_seen = self._lifts_seen or self._deal.lifts_seen
        self._record()
        shown = lift.card is not None and lift.card in self.cards.get(lift.position, ())
        if shown and (lift.position, lift.card) not in self._lifted:
            self._lifted.append((lift.position, lift.card))  # it lay there unread and shows its face only now

    def relaid(self, position: str | None, card: str | None) -> None:
        if position is not None and self._deal.back.out_of_play(position, card):
            self.dealt(position, card)
        elif position is not None:
            self._deal.back.lies_again(position, card)

    def _record(self) -> None:
        """The round's cards are what was dealt, each card once."""
        course = self._deal.course
        for position, hand in course.hands.items():
            self.cards[position] = list(hand.received)
        if course.board:
            self.cards[COMMUNITY] = list(course.board)

    def tick(self) -> None:
        if self.desk.round is not None:
            self._take_lifted()
            self._deal.slow.settle(self.desk.t)
            if self._quiet_until is not None and self.desk.t >= self._quiet_until:
                self._quiet_until = None
                self._deal.settled()
            self.deadline = self._quiet_until

    # -- telling

    def _tell(
        self, rule: str, observed: dict[str, Any], required: dict[str, Any], position: str | None, once: object
    ) -> None:
        """Only where every card since the hand's start was seen."""
        round_ = self.desk.round
        if round_ is None or round_.partial or self._off_the_book or round_.void not in (None, COUNT):
            return
        if self._sources & self.desk.availability.clouded:
            return
        if rule == SHORT:
            round_.mixed = True  # the way out of it is to deal burn cards again
        evidence = self._seen.get(position or "", []) or ([] if self.first is None else [self.first])
        told = self.desk.breach(rule, observed, required, evidence, once=once)
        if told and rule == COUNT and position is not None:
            self._miscounted.add(position)

    def _tell_missing(self, missed: Missed) -> None:
        observed, required, position = missed
        verdicts = self._deal.verdicts
        if not verdicts.in_doubt and not verdicts.mixed:
            self._tell(MISSING, observed, required, position, observed["street"])

    # -- the end

    def finish(self) -> None:
        self._take_lifted()
        super().finish()

    def ended(self) -> tuple[dict[str, Any], bool]:
        self.deadline = None
        self._take_lifted()
        deal, round_ = self._deal, self.desk.round
        deal.end()
        self._judge_two_hands()
        counts = round_ is not None and round_.void is None
        shown = deal.showdown.shown() if counts else None
        if shown is not None and deal.course.all_dealt:
            self._judge_bad_beat(shown)
        partial = deal.verdicts.in_doubt or bool(self._sources & self.desk.availability.clouded)
        return self._results.of(deal, shown, self._miscounted), partial

    def _judge_two_hands(self) -> None:
        """Where the book says so, a card that lies in two hands voids the round."""
        round_, hands = self.desk.round, self._deal.course.hands.values()
        if round_ is None or round_.void or f"{self.desk.game.path}/{DUPLICATE}" not in round_.irregularities:
            return
        faces = [card for hand in hands for card in set(hand.received) if card is not None]
        if self.desk.game.tables.get("duplicate-in-two-hands") == VOID and len(set(faces)) < len(faces):
            round_.void = DUPLICATE

    # -- the bad beat jackpot

    def _judge_bad_beat(self, shown: dict[str, list[str | None]]) -> None:
        course = self._deal.course
        beats = (self._bad_beat.judge(shown, board, len(course.hands)) for board in course.boards)
        beat = next((each for each in beats if each is not None), None)
        if beat is None:
            return
        observed: dict[str, Any] = {"jackpot": beat.jackpot, "winner": list(beat.winners), "losers": list(beat.losers)}
        if beat.shares:
            observed["shares"] = beat.shares
            self._jackpot = self.desk.seq
        positions = (COMMUNITY, *beat.winners, *beat.losers)
        evidence = [seq for position in positions for seq in self._seen.get(position, ())]
        self.desk.breach(beat.rule, observed, {"hands": "verified"}, evidence)

    def on_shuffle_completed(self, observation: Observation) -> None:
        self._deck_counted(observation.data.get("cards"))

    def on_count_failed(self, observation: Observation) -> None:
        self._deck_counted(observation.data.get("cards") or 0)

    def _deck_counted(self, cards: int | None) -> None:
        """After a jackpot the deck is counted and inspected; with a wrong number of cards nothing is paid."""
        jackpot, self._jackpot = self._jackpot, None
        if jackpot is not None and cards is not None and cards != self._deck:
            observed = {"cards": cards or None}
            self.desk.breach(JACKPOT_COUNT, observed, {"cards": self._deck}, [jackpot], once=self.desk.seq)

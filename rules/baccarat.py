"""Baccarat: follows the two hands from the shoe or the felt, by the tableau that the game's book prints.

Boundaries: DESIGN section 2. Must not know which baccarat is played: counts, draws and figures are the book's.
"""

from __future__ import annotations

from typing import Any

from devices.observation import Observation
from rules.baccarat_closed import WRONG_DRAWS, ClosedRound
from rules.baccarat_tableau import BANKER, HANDS, INITIAL, NOBODY, PLAYER, Tableau
from rules.burn import BURN, DISCARD, Burn
from rules.card_game import CardGame, card_of, position_of
from rules.desk import Desk

WARY = 6
"""Rounds without a contradiction after which the order of the cards is trusted again."""

NO_CARD_LOST = ("overdraw", "button_misuse", "draw_timeout")
"""Reader errors after which every card of the round was still read."""


class Baccarat(CardGame):
    """The course of a round: four cards in turn, at most one more a hand, then the result."""

    SELF_CLOSING = True

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._tableau = Tableau(desk.game.tables)
        self._burn = Burn(desk)
        self._sources = {each.id for each in desk.table.devices if each.type in ("shoe", "card_position")}
        self._last: ClosedRound | None = None
        self._keys_used = False
        self._placing = True
        self._ending = False
        self._drawn = 0
        """Cards out of the shoe since the last round, burn cards apart."""
        self._lost = False
        """No telling which card of a round the next one is, until the next clean boundary."""
        self._unconfirmed = False
        """Where the burn ended was only reckoned: nothing is judged until a result or a key bears it out."""
        self._wary = 0
        """Rounds to go until draws are judged again: without panel, result or index, a wrong draw may have hidden
        where the next round began."""
        self.began()

    # -- the round opens

    def began(self) -> None:
        self._evidence: list[int] = []
        self._declared = False
        self._doubt = False
        self._inferred = False
        self._wary = max(0, self._wary - 1)
        self._abandoned = False

    def _hand(self, name: str) -> list[str | None]:
        return self.cards.get(name, [])

    @property
    def _was_called(self) -> bool:
        """Whether there is an open round and no more bets was called for it."""
        return self.desk.round is not None and self.called is not None

    @property
    def _cards_seen(self) -> int:
        return sum(len(self._hand(name)) for name in HANDS)

    def before_shoe_started(self, observation: Observation) -> None:
        if self._was_called and not self._cards_seen:
            self.desk.boundary()
        else:
            self._ending = True  # a shoe changed in mid-round proves no card missing
            super().before_shoe_started(observation)
        self._ending = False
        self._confirmed()
        self._last = None
        self._burn.shoe_started()

    def before_shuffle_started(self, observation: Observation) -> None:
        """The idle shoe may be shuffled while a round is dealt."""
        if self.desk.round is None or not self._cards_seen:
            self.desk.boundary()

    def before_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_more_bets":
            self._burn.over()
        if key in ("no_more_bets", "round_over"):
            self._keys_used = True
            if self.desk.round is not None and not self._was_called and self._sound():
                self._judge_call()
        super().before_key_pressed(observation)
        if key in ("no_more_bets", "round_over"):
            self._confirmed()
        if key == "no_more_bets" and not self._cards_seen:
            self._last = None
        elif key == "misdeal":
            self._abandoned = True

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
            self._unconfirmed = not self.panel and not self.reader
            if not self.reader:
                self._release()
            return
        if self._burn.unknown:
            self._lost = True
        self._drawn += 1
        if not self.reader:
            self._arrives(observation)

    def before_card_placed(self, observation: Observation) -> None:
        self._placing = False
        to = position_of(observation)
        if to == BURN and not self.desk.availability.on_line("shoe.card_drawn"):
            self._burn.note(card_of(observation), by_reader=True)
        elif to in HANDS:
            if self._laid_back(observation):
                self._placing = True
                return
            if self.desk.availability.on_line("shoe.card_drawn") and not self._was_called:
                self._burn.abandon()
            self._arrives(observation)
        elif to is None:
            self._doubt = True
            self._lost = self._lost or not self.panel

    def _laid_back(self, observation: Observation) -> bool:
        return (position_of(observation), card_of(observation)) in self._lifted

    def _release(self) -> None:
        """A round that nobody called was taken for burn cards: deal it now."""
        held = self._burn.held()
        if not held:
            return
        self._burn.over()
        self._open()
        assert self.desk.round is not None
        self.desk.round.opened = held[0].t
        self.first = self.desk.seq
        self._judge_call()
        for each in held:
            self._place(each)

    def _arrives(self, observation: Observation) -> None:
        """A card of a round: of the open one, of a new one, or one too many of the last."""
        self._burn.over()
        to, index = position_of(observation), observation.data.get("index")
        starts = index == 1 and to == PLAYER
        if self.desk.round is not None and self._cards_seen and self._is_over(to, index):
            drawn_ahead = 1 if self.reader and self._drawn else 0  # the shoe let this card out before it was laid
            self._drawn -= drawn_ahead
            self.close()
            self._drawn = drawn_ahead
        if starts:
            self._confirmed()
        if self._last is not None and not self._cards_seen and not self._was_called and self._is_extra(to, index):
            self._last.too_many(str(to), card_of(observation))
            self._beware()
            return
        self._placing = True
        self._first_card()
        if self.desk.round is not None and not self._cards_seen:
            self.first = self.desk.seq
            if not self._was_called:
                self.desk.round.opened = self.desk.t
                if self._keys_used:
                    self._judge_call()

    def _is_over(self, to: str | None, index: int | None) -> bool:
        """Whether the open round ended before this card, though nobody has said so."""
        if self._declared or (index == 1 and to == PLAYER):
            return True
        if self.panel and self._keys_used:
            return False
        if self.reader and self._cards_seen >= 2 * INITIAL and len(self._lifted) == self._cards_seen:
            return True  # the felt was cleared
        return self.complete() and not self._is_extra(to, index)

    @staticmethod
    def _is_extra(to: str | None, index: int | None) -> bool:
        """Whether no round can begin with this card: rounds begin with the player's first."""
        return to == BANKER or (to == PLAYER and index is not None and index > INITIAL)

    def _judge_call(self) -> None:
        self.desk.breach(
            "no-more-bets-not-called",
            {"no_more_bets": "not called before the first card"},
            {"no_more_bets": "called at the start of the round"},
            self._evidence,
        )

    # -- cards

    def on_card_drawn(self, observation: Observation) -> None:
        if self._placing:
            super().on_card_drawn(observation)

    def on_card_placed(self, observation: Observation) -> None:
        if self._placing:
            super().on_card_placed(observation)

    def on_card_removed(self, observation: Observation) -> None:
        """A card of the closed round may come back as well; once none is left, the felt was cleared."""
        if self.desk.round is not None or self._last is None:
            super().on_card_removed(observation)
            return
        position, card = position_of(observation), card_of(observation)
        if card is not None and card in self._last.hands.get(position or "", ()):
            self._lifted.append((position, card))
        if len(self._lifted) >= sum(len(hand) for hand in self._last.hands.values()):
            self._lifted = []

    def where(self, position: str | None, card: str | None) -> str | None:
        """The fixed order tells where a card goes if the shoe does not; None if unread faces leave it open."""
        if position is None and not self.desk.aligned:
            self._lost = True
        if position is not None or self.reader or self._lost:
            return position
        hands = self._tableau.next_cards(self._hand(PLAYER), self._hand(BANKER))
        if hands == NOBODY:
            return None
        if len(hands) > 1:
            self._doubt = True
            self._lost = self._lost or not self.panel
            return None
        self._inferred = True
        return next(iter(hands))

    def dealt(self, position: str | None, card: str | None) -> None:
        self._evidence.append(self.desk.seq)
        if position in HANDS:
            self._belongs_to_the_last(str(position))
            self._judge_draw(str(position))
        elif position is None and not self._doubt and not self._lost:
            rule = self._tableau.overdrawn(self._hand(PLAYER), self._hand(BANKER))
            self._break(rule, {"hand": None, "drew": True}, {"drew": False})

    def _belongs_to_the_last(self, position: str) -> None:
        """Two cards to the player in a row: no round begins so, the first was one too many of the round before."""
        player, banker = self._hand(PLAYER), self._hand(BANKER)
        at_once = INITIAL if not self.reader else INITIAL + 1
        if self._last is None or self._was_called or position != PLAYER:
            return
        if len(player) == at_once and (not banker or (self.reader and len(banker) < INITIAL)):
            seq = self._evidence.pop(0)
            self._last.too_many(PLAYER, player.pop(0), [seq])
            self._beware()
            if self.desk.round is not None:
                self.desk.round.opened, self.first = self.desk.t, self.desk.seq

    def _judge_draw(self, position: str) -> None:
        """Judge the card just dealt; with the banker's second, a player's third that was dealt before it."""
        player, banker = self._hand(PLAYER), self._hand(BANKER)
        if len(self._hand(position)) > INITIAL + 1:
            self._break(
                "more-than-one-extra-card",
                {"hand": position, "extra_cards": len(self._hand(position)) - INITIAL},
                {"extra_cards": 1},
                once=position,
            )
            return
        if position == PLAYER and len(player) == INITIAL + 1 and len(banker) >= INITIAL:
            allowed = self._tableau.next_cards(player[:INITIAL], banker)
        elif position == BANKER and len(banker) == INITIAL + 1 and len(player) >= INITIAL:
            allowed = self._tableau.next_cards(player, banker[:INITIAL])
        elif position == BANKER and len(banker) == INITIAL and len(player) == INITIAL + 1:
            position = PLAYER
            allowed = self._tableau.next_cards(player[:INITIAL], banker)
        else:
            return
        if position in allowed or self._lost or self._doubt:
            return
        due = self._due(allowed)
        if due == PLAYER:
            self._third_card({"hand": PLAYER, "drew": False}, {"drew": True})
        else:
            self._third_card({"hand": position, "drew": True}, {"drew": False})

    @staticmethod
    def _due(hands: frozenset[str | None]) -> str | None:
        """The hand that must draw; None if none must, or unread faces leave it open."""
        return next(iter(hands)) if len(hands) == 1 else None

    def _third_card(self, observed: dict[str, Any], required: dict[str, Any]) -> None:
        """The first wrong draw of a round; what follows from it is not counted against the dealer again."""
        points = {name: self._tableau.count(self._hand(name)[:INITIAL]) for name in HANDS}
        self._break("third-card-rule", {**observed, "two_card_points": points}, required)

    def _break(self, rule: str, observed: dict[str, Any], required: dict[str, Any], once: object = None) -> None:
        if self._judged():
            self.desk.breach(rule, observed, required, self._evidence, once=once)
        if rule in WRONG_DRAWS:
            self._beware()

    def _judged(self) -> bool:
        """Whether the draws of the open round may be judged."""
        fresh = self.desk.round is not None and any(rule in WRONG_DRAWS for rule, _ in self.desk.round.seen)
        return self._sound() and not self._unconfirmed and (not self._wary or fresh)

    def _beware(self) -> None:
        if not self.panel:
            self._wary = WARY

    def _confirmed(self) -> None:
        """A key, a result or the shoe's index shows where a round begins or ends."""
        self._lost = self._unconfirmed = False
        self._wary = 0

    def _sound(self) -> bool:
        """Whether the open round was seen whole so far."""
        source = "card_position.card_placed" if self.reader else "shoe.card_drawn"
        round_ = self.desk.round
        return round_ is not None and not round_.partial and not self._lost and self.desk.availability.sees(source)

    # -- what the shoe says of itself

    def on_reader_error(self, observation: Observation) -> None:
        kind = observation.data.get("kind")
        if kind not in NO_CARD_LOST:
            self._doubt = True
        elif kind == "overdraw":
            self._overdrawn()

    def _overdrawn(self) -> None:
        """The shoe stopped a card that the tableau does not allow."""
        if self._cards_seen:
            if self.complete() and not self._declared:
                rule = self._tableau.overdrawn(self._hand(PLAYER), self._hand(BANKER))
                self._break(rule, {"shoe": "overdraw", "drew": True}, {"drew": False})
        elif self._last is not None and not self._was_called and not self._last.declared:
            self._last.one_more(self._tableau, {"shoe": "overdraw"})

    def on_result_declared(self, observation: Observation) -> None:
        """The shoe's own result ends the hand; it comes just after the last card, or after the round closed on that."""
        last = self._last
        if self.desk.round is None or not self._cards_seen or (self._cards_seen < 2 * INITIAL and last is not None):
            if last is not None and not last.declared and not self._was_called and self._tells_of(observation):
                self._declare_last(last, observation)
                self._confirmed()
                return
            if not self._cards_seen:
                return
        self._declared = True
        self._abandoned = self._abandoned or self._cards_seen < 2 * INITIAL
        self._judge_missing()
        if not self._doubt and not self._wrongly_drawn() and (self.complete() or not self.reader):
            said, lies = self._differs(self.cards, observation)
            if said:
                self._break("result-mismatch", said, lies)
        if not (self.panel and self._keys_used):
            self.close()
        self._confirmed()

    def _tells_of(self, observation: Observation) -> bool:
        """Whether the result can be of the closed round: a shoe tells no winner of a hand of less than four cards."""
        return not self._cards_seen or observation.data.get("winner") is not None

    def _wrongly_drawn(self) -> bool:
        """After a wrong draw nobody knows which cards the shoe took for the result."""
        return self.desk.round is not None and any(rule in WRONG_DRAWS for rule, _ in self.desk.round.seen)

    def _declare_last(self, last: ClosedRound, observation: Observation) -> None:
        """Cards drawn since the round closed, before the shoe declared it, were cards too many of that round."""
        last.declared = True
        if self._cards_seen:
            for hand in HANDS:
                for card in self._hand(hand):
                    if self._inferred:
                        last.one_more(self._tableau, {"hand": None}, self._evidence)
                    else:
                        last.too_many(hand, card, self._evidence)
            self.desk.withdraw_round()
        said, lies = self._differs(last.hands, observation)
        if said and not last.wrongly_drawn:
            last.mismatched(said, lies)

    def _differs(
        self, hands: dict[str, list[str | None]], observation: Observation
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        player, banker = hands.get(PLAYER, []), hands.get(BANKER, [])
        return self._tableau.differs(player, banker, observation.data.get("winner"), observation.data.get("pairs"))

    def on_device_offline(self, observation: Observation) -> None:
        self._unseen(observation)

    def on_bytes_discarded(self, observation: Observation) -> None:
        self._unseen(observation)

    def on_edges_lost(self, observation: Observation) -> None:
        self._unseen(observation)

    def on_device_online(self, observation: Observation) -> None:
        self._unseen(observation)

    def _unseen(self, observation: Observation) -> None:
        """Cards may have gone by unseen."""
        if observation.device not in self._sources or self.desk.availability.available(observation.device):
            return
        self._burn.abandon()
        self._last = None
        if self.desk.round is not None and not self.complete():
            self.desk.round.partial = True

    def on_emptied(self, observation: Observation) -> None:
        self._burn.emptied()

    def on_cards_counted(self, observation: Observation) -> None:
        self._burn.cards_counted(observation.data.get("cards"))

    # -- the round closes

    def complete(self) -> bool:
        return not self._lost and self._tableau.next_cards(self._hand(PLAYER), self._hand(BANKER)) == NOBODY

    def _judge_missing(self) -> None:
        """A hand that had to draw and did not, once the round is over."""
        player, banker = self._hand(PLAYER), self._hand(BANKER)
        if self._ending or self._abandoned or self._doubt or len(player) < INITIAL or len(banker) < INITIAL:
            return
        if self.reader and self._drawn not in (0, self._cards_seen):
            return
        due = self._due(self._tableau.next_cards(player, banker))
        if due is not None:
            self._third_card({"hand": due, "drew": False}, {"drew": True})

    def ended(self) -> tuple[dict[str, Any], bool]:
        self._judge_missing()
        player, banker = self._hand(PLAYER), self._hand(BANKER)
        round_ = self.desk.round
        sound = self._sound() and len(player) >= INITIAL and len(banker) >= INITIAL
        if round_ is not None:
            hands = {PLAYER: [*player], BANKER: [*banker]}
            self._last = ClosedRound(
                self.desk,
                round_.number,
                hands,
                self._evidence,
                self._judged() and not self._doubt,
                self._declared,
                round_.seen,
            )
        self._drawn = 0
        if len(self._lifted) >= self._cards_seen:
            self._lifted = []
        if not sound:
            return self._tableau.result((), ()), True
        known = self.complete() or not (self._doubt or self._ending or self._abandoned)
        return self._tableau.result(player, banker) if known else self._tableau.result((), ()), not known

    def finish(self) -> None:
        self._ending = True
        if self.desk.round is not None and not self._cards_seen and not self._was_called:
            self.desk.withdraw_round()
        super().finish()

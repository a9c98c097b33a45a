"""Who drew and who stood against the rules of the house, in blackjack: each verdict on a hand as it lies.

Must not know when a round begins or ends, nor whether its cards were all seen: whoever asks does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwatch.rules.desk import Desk
from pitwatch.rules.games.blackjack.exchange import Exchange
from pitwatch.rules.games.blackjack.house import House
from pitwatch.rules.games.blackjack.layout import Cards
from pitwatch.rules.games.blackjack.players import Players
from pitwatch.rules.games.blackjack.splits import Splits
from pitwatch.rules.play.seats import DEALER, seat_of

CHART = "player-hits-or-stands-against-rule"
DREW_ON_21 = "player-drew-on-21"
TOO_MANY = "too-many-cards"
DREW = "dealer-drew-against-rule"
STOOD = "dealer-stood-against-rule"
DOUBLED = 3
"""Cards of a hand that was doubled."""


class Draws:
    """`breach(rule, observed, required, positions, once)` is the procedure's.

    Table of the book: `completes-hand-for`, options for the sake of which the dealer draws though no hand is left.
    Figures: `draws-only-for-live-hands`, true where a dealer whose total decides nothing draws nothing;
    `always-completes`, true where the dealer's hand is completed whoever is left.
    """

    def __init__(
        self,
        desk: Desk,
        house: House,
        players: Players,
        splits: Splits,
        exchange: Exchange,
        breach: Callable[..., None],
    ):
        game = desk.game
        self._house = house
        self._players = players
        self._splits = splits
        self._exchange = exchange
        self._breach = breach
        self._chart = next((rule for rule in (DREW_ON_21, CHART) if rule in game.rules), "")
        """What it is called that a player draws who must stand: by a chart, players may have to draw as well."""
        self._limited = TOO_MANY in game.rules
        self._for_a_bonus = any(desk.option(name) is True for name in game.tables.get("completes-hand-for", ()))
        figures = {name: figure.value for name, figure in game.figures.items()}
        self._only_for_live: bool = figures.get("draws-only-for-live-hands", False)
        self._always: bool = figures.get("always-completes", False)
        self._draws_below = figures.get("player-stands-hard", house.count.target)
        self.clear()

    def clear(self) -> None:
        self._held: list[tuple[str, Callable[[], None]]] = []

    @property
    def _stands_on(self) -> dict[str, Any]:
        return {"stands_on": self._house.stands_at, "soft_17": self._house.soft_17}

    # -- players

    def player(self, position: str, cards: Cards) -> None:
        """The hand has been dealt a card, its last."""
        before, split = cards[position][:-1], self._splits.split(position)
        if self._players.unclear(position) or self._players.in_dispute(position):
            return
        if self._house.full(before) and not split:
            observed = {"position": position, "cards": len(before) + 1}

            def too_many() -> None:
                self._breach(TOO_MANY, observed, {"cards": self._house.most_cards}, [position], position)

            self._held.append((position, too_many))
            return
        if not self._house.player_stands(before, self._players.no_natural(position)):
            return
        if split and before[0] is not None and before[0][0] == "A":
            return  # a split ace has a rule of its own

        def tell() -> None:
            self._tell_player(position, before)

        if self._exchange.defer(position, cards[position], tell):
            return
        if split:
            tell()
        else:
            self._held.append((position, tell))

    def release(self, position: str = "") -> None:
        """A card goes to this position, or none comes any more. That a hand drew is held until then: a card to a
        further hand of the seat shows that it was split, perhaps against the rule, which is told by itself."""
        held, self._held = self._held, []
        for hand, tell in held:
            if seat_of(hand) == seat_of(position):
                self._held.append((hand, tell))
            elif not (self._splits.split(hand) or self._splits.lost(hand)):
                tell()

    def _tell_player(self, position: str, before: list[str | None]) -> None:
        score = self._house.count.score(before, self._players.no_natural(position))
        if score is None:
            return
        blackjack = self._players.is_blackjack(position, before)
        observed = {"position": position, "total": score.total, "blackjack": blackjack}
        self._breach(self._chart, observed, {"draws_below": self._draws_below}, [position], position)

    def players_stood(self, cards: Cards) -> None:
        """Nothing more is dealt to players: who must draw and was left did not. Three cards may be a hand that was
        doubled on two. A pair that nobody saw split counts for one hand: had it been split unseen, some part of it
        would be a count to draw on too."""
        for position in self._players.hands() if self._chart == CHART else ():
            hand = cards[position]
            if len(hand) in (1, DOUBLED) or self._house.full(hand) or not self._house.player_hits(hand):
                continue
            score = self._house.count.score(hand)
            if score is not None and self._players.live(position):
                observed = {"position": position, "total": score.total}
                self._breach(self._chart, observed, {"draws_up_to": self._house.hits}, [position], position)

    # -- the dealer

    def dealer(self, cards: Cards, nobody_live: bool) -> None:
        """The dealer has drawn a card, the last. `nobody_live`: surely no hand waits for the total."""
        before = cards[DEALER][:-1]
        standing, score = self._house.dealer_stands(before), self._house.count.score(before)
        if standing is None or score is None:
            return
        observed: dict[str, Any] = {"total": score.total, "soft": score.soft, "cards": len(before)}
        if self._limited and self._house.full(before):
            self._breach(TOO_MANY, observed, {"cards": self._house.most_cards}, [DEALER], DEALER)
        elif standing:
            self._breach(DREW, observed, self._stands_on, [DEALER], DEALER)
        elif self._only_for_live and nobody_live and not self._for_a_bonus:
            observed["live_hands"] = 0
            self._breach(DREW, observed, {"draws": "only for a live hand"}, [DEALER], DEALER)

    def dealer_stood(self, dealer: list[str | None]) -> None:
        """Nothing more is dealt to the dealer's hand. Whoever drew a card had a hand to draw for: not all were given
        up."""
        score = self._house.count.score(dealer)
        if score is None or len(dealer) < 2 or self._house.dealer_stands(dealer) is not False:
            return
        drew = len(dealer) > 2
        live = [each for each in self._players.hands() if self._players.live(each, may_be_given_up=not drew) is True]
        if live or self._always:
            observed = {"total": score.total, "soft": score.soft, "live_hands": live}
            self._breach(STOOD, observed, self._stands_on, [DEALER], DEALER)

"""A roulette wheel's monitors: the pocket, and the way of the ball from its last pocket and from its launch."""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.devices.observation import Observation
from pitwatch.devices.wheel_pockets import ORDERS
from pitwatch.rules.desk import Desk
from pitwatch.rules.fairness.dealer import Dealer
from pitwatch.rules.fairness.ledger import Kind, name_of
from pitwatch.rules.fairness.ledgers import Counted, Ledgers
from pitwatch.rules.fairness.rounds import RoundFeed
from pitwatch.rules.fairness.suspicions import SIGNATURE, WHEEL
from pitwatch.rules.records import Round
from pitwatch.rules.statistics import rings
from pitwatch.rules.statistics.categorical import Bet

C = 2e8


class WheelFeed(RoundFeed):
    """A round counts if it was seen whole and nothing voided it before the ball came to rest: leaving one out for a
    reason that may depend on its number would be a bias of its own."""

    def __init__(self, desk: Desk, wake: Callable[[], None]):
        wheel = desk.option("wheel") or "double-zero"
        self._desk = desk
        super().__init__(wake)
        self._order = ORDERS[wheel]
        self._places = {pocket: place for place, pocket in enumerate(self._order)}
        self._wheels = {device.id for device in desk.table.devices if device.type == "wheel"}
        self._dealer = Dealer(desk)
        self._rotor: str | None = None
        self._before: int | None = None
        """The place where the ball lay before this spin."""
        self._off = False
        """Something voided the open spin before the ball came to rest."""
        self._under: int | None = None
        """The place at the wheel's reader when the ball was launched."""
        self._drop: int | None = None
        """The diamond over which the ball left the rim, 0 to 7 clockwise from the reader."""
        bets = rings.wheel(len(self._order))
        self.ledgers = Ledgers(
            desk,
            f"{desk.game.family} {wheel}",
            (
                Kind("pocket", bets, C, WHEEL, "spins", self._pockets),
                Kind("signature", bets, C, SIGNATURE, "spins", _from_last),
                Kind("aim", bets, C, SIGNATURE, "spins", _from_launch),
                Kind("drop", rings.drop(), C, "", "spins", _where_it_drops),
            ),
        )

    def opened(self) -> None:
        self._off = False
        self._under = self._drop = None

    def on_ball_launched(self, observation: Observation) -> None:
        under = observation.data.get("under")
        self._under = self._places.get(under) if isinstance(under, str) else None

    def on_ball_left_rim(self, observation: Observation) -> None:
        """A reader that sees where may add `place`; nothing that is built in does (docs/fairness.md)."""
        place = observation.data.get("place")
        if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < rings.DIAMONDS:
            self._drop = place

    def on_rotor(self, observation: Observation) -> None:
        if observation.data.get("rpm") != 0:
            self._rotor = observation.data.get("direction")

    def on_ball_settled(self, observation: Observation) -> None:
        round_ = self._desk.round
        self._off = self._off or (round_ is not None and round_.void is not None)

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_spin":
            self._off = True
        elif key == "wheel_serviced":
            self._before = None
            self.ledgers.begin_again("pocket", "signature", "aim", "drop")
        self._dealer.key(key)

    def on_credential_presented(self, observation: Observation) -> None:
        self._dealer.credential(observation.data.get("credential"))

    def missed(self, observation: Observation) -> None:
        """A spin may have gone unseen: the ball lies elsewhere."""
        if observation.device in self._wheels:
            self._before = None

    def _counted(self, round_: Round) -> Counted:
        place = self._places.get(round_.result.get("pocket") or "")
        before, self._before = self._before, place
        if place is None or round_.partial or self._off:
            return {}
        counted = {"pocket": [place]}
        if self._drop is not None:
            counted["drop"] = [self._drop]
        for monitor, start in (("signature", before), ("aim", self._under)):
            if start is not None and self._rotor is not None:
                step = place - start if self._rotor == "ccw" else start - place
                counted[name_of(monitor, f"{self._rotor}-{self._dealer.name}")] = [step % len(self._order)]
        return counted

    def _pockets(self, bet: Bet) -> str:
        first, last = self._order[bet.cells[0]], self._order[bet.cells[-1]]
        if len(bet.cells) == 1:
            return f"pocket {first}"
        return f"the {len(bet.cells)} neighbouring pockets {first} to {last} clockwise"


def _from_last(bet: Bet) -> str:
    return f"the ball {_distance(bet)} pockets on from where it lay, against the rotor,"


def _from_launch(bet: Bet) -> str:
    return f"the ball {_distance(bet)} pockets on from the one that was at the reader at its launch, against the rotor,"


def _where_it_drops(bet: Bet) -> str:
    return f"the ball left the rim over diamond {_distance(bet)}"


def _distance(bet: Bet) -> str:
    first, last = bet.cells[0], bet.cells[-1]
    return f"{first}" if len(bet.cells) == 1 else f"{first} to {last}"

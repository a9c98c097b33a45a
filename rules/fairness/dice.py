"""The monitors of two dice: each face, and the pair."""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.fairness.ledger import Kind
from pitwatch.rules.fairness.ledgers import Counted, Ledgers
from pitwatch.rules.fairness.rounds import RoundFeed
from pitwatch.rules.fairness.suspicions import DICE
from pitwatch.rules.records import Round
from pitwatch.rules.statistics import dice
from pitwatch.rules.statistics.categorical import Bet

C_FACES, C_PAIRS = 4e8, 2e8


class DiceFeed(RoundFeed):
    """A roll counts if both faces were read and nothing voided it before the dice came to rest. No roll may be called
    afterwards, for what the dice show: then the roll counts all the same."""

    def __init__(self, desk: Desk, wake: Callable[[], None]):
        self._desk = desk
        super().__init__(wake)
        self._off = self._rests = False
        self.ledgers = Ledgers(
            desk,
            "two dice",
            (
                Kind("faces", dice.faces(), C_FACES, DICE, "faces", _face),
                Kind("pair", dice.pair(), C_PAIRS, DICE, "rolls", _pair),
            ),
        )

    def opened(self) -> None:
        self._off = self._rests = False

    def on_dice_settled(self, observation: Observation) -> None:
        round_ = self._desk.round
        self._off = self._off or (not self._rests and round_ is not None and round_.void is not None)
        self._rests = True

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_roll" and not self._rests:
            self._off = True
        elif key == "dice_set_changed":
            self.ledgers.begin_again("faces", "pair", keep_r=True)

    def missed(self, observation: Observation) -> None:
        """A roll that was not seen whole is partial; nothing else hangs on it."""

    def _counted(self, round_: Round) -> Counted:
        faces = round_.result.get("faces")
        if round_.partial or self._off or not isinstance(faces, list) or len(faces) != 2 or None in faces:
            return {}
        one, other = faces
        return {"faces": [one - 1, other - 1], "pair": [dice.pair_cell(one, other)]}


def _face(bet: Bet) -> str:
    if bet.kind == "axis":
        return f"one of the opposite faces {bet.cells[0] + 1} and {bet.cells[1] + 1}"
    return f"face {bet.cells[0] + 1}"


def _pair(bet: Bet) -> str:
    if bet.kind.startswith("shows"):
        return f"a {bet.kind.removeprefix('shows ')} on one die or both"
    return {"seven": "a total of 7", "double": "a pair of equal faces"}.get(bet.kind, f"a {bet.kind}")

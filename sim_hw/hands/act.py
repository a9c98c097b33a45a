"""An act of a person's hand at a device: its name, what it asks for, and whether the dealer must rest meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import SimDeviceSpec, SimTable

BY_CHANCE = "by chance"


class CannotActError(Exception):
    """The act cannot be done, or not now; one line that says why."""


@dataclass(frozen=True)
class Ask:
    """Something to choose before an act: one of `choices`, the first unless another is named; without choices a number
    from `low` to `high`."""

    name: str
    label: str
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 0
    usual: float = 0

    def settle(self, given: Any) -> Any:
        """What was chosen; None: the usual. Raises CannotActError."""
        if self.choices:
            if given is None:
                return self.choices[0]
            if given not in self.choices:
                raise CannotActError(f"{self.name}: {str(given)[:40]!r} is no choice; {', '.join(self.choices)} are")
            return given
        if given is None:
            return self.usual
        if isinstance(given, bool) or not isinstance(given, int | float) or not self.low <= given <= self.high:
            raise CannotActError(f"{self.name}: {str(given)[:40]!r} is not from {self.low:g} to {self.high:g}")
        return given


@dataclass(frozen=True)
class Act:
    """`do` is called with what was chosen, by the names of `asks`; it may wait. `plays`: it is part of the game, which
    is not for two people at once. `switch`: the line that it sets to `level`."""

    name: str
    label: str
    do: Callable[..., None]
    asks: tuple[Ask, ...] = ()
    plays: bool = False
    switch: str | None = None

    def settle(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of `do`. Raises CannotActError."""
        known = {ask.name for ask in self.asks}
        for name in given:
            if name not in known:
                raise CannotActError(f"{self.name} does not ask for {str(name)[:40]!r}")
        return {ask.name: ask.settle(given.get(ask.name)) for ask in self.asks}


class Hand:
    """A hand at one device. `picture` is what can be seen of the device, in JSON's types."""

    def __init__(self, scene: Scene, table: SimTable, spec: SimDeviceSpec):
        self.scene = scene
        self.table = table
        self.spec = spec

    def acts(self) -> tuple[Act, ...]:
        return ()

    def picture(self) -> dict[str, Any]:
        return {}

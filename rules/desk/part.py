"""The shape of everything that follows a table: procedures (one a family) and watchers (the same for every game)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk.desk import Desk
from pitwatch.rules.records import Round


class Part:
    """Methods named `on_<event>(observation)` are called for that event; `before_<event>` earlier, for rounds to open.

    `deadline` is the time (ns) at which `tick` wants to be called, or None.
    """

    COUNTS_HANDS = False
    """True if cards may come to one place together, and the number of cards of a hand tells whether one that was not
    read is the card told beside it."""

    def __init__(self, desk: Desk):
        self.desk = desk
        self.deadline: int | None = None

    def handlers(self, prefix: str) -> dict[str, Callable[[Observation], None]]:
        """{event: bound method} for methods of this part that begin with `prefix`."""
        return {name[len(prefix) :]: getattr(self, name) for name in dir(self) if name.startswith(prefix)}

    def round_opened(self) -> None:
        """A round has just been opened; the observation that opened it is still to be worked on."""

    def round_closing(self) -> None:
        """The open round is about to be put out; a last breach still goes into it."""

    def round_closed(self, round_: Round) -> dict[str, list[int]]:
        """The open round's record is made; returns what it shall say under `counted`."""
        return {}

    def breached(self, rule: str, observed: dict[str, Any]) -> None:
        """A rule was put out as broken, by whichever part."""

    def missed(self, observation: Observation) -> None:
        """Something may have happened that the observation's device did not get across: it went off line, or bytes or
        edges of it are lost."""

    def on_device_offline(self, observation: Observation) -> None:
        self.missed(observation)

    def on_bytes_discarded(self, observation: Observation) -> None:
        self.missed(observation)

    def on_edges_lost(self, observation: Observation) -> None:
        self.missed(observation)

    def tick(self) -> None:
        """The deadline has passed."""

    def finish(self) -> None:
        """Nothing more will be fed: put out what is open, partial where it is not complete."""

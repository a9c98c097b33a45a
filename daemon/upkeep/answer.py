"""What a board answers to an order of the floor: one line of JSON. The floor reads it as a stranger's word."""

from __future__ import annotations

from typing import Literal

import msgspec

MOST_ANSWER = 65_536
"""Bytes."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What a table's journal says. `started`: the sequence of its last start, 0 without one; `delivered`: what a broker
    has acknowledged. `devices`: the states that this run has reported."""

    boot: str = ""
    started: int = 0
    delivered: int = 0
    publishes: bool = True
    """Whether the configuration names a broker."""
    devices: dict[str, str] = {}
    fault: str = ""
    """Why none of this could be seen."""

    def lacks(self, before: Look) -> str:
        """Why the table is not watched as it was before; empty if it is."""
        if self.fault:
            return f"what its journal says cannot be seen: {self.fault}"
        if self.started <= before.started:
            return "the table has not started again"
        if self.publishes and self.delivered < self.started:
            return "no broker has accepted its first record"
        was = (device for device, state in before.devices.items() if state == "online")
        away = [f"{device} is {self.devices.get(device, 'not heard yet')}" for device in was if not self.back(device)]
        return "; ".join(away)

    def back(self, device: str) -> bool:
        return self.devices.get(device) in ("online", "removed")


class TableNow(msgspec.Struct, frozen=True, kw_only=True):
    """`service`: `active`, `failed`, … as systemd says; `kept`: an earlier configuration can be put back."""

    service: str
    kept: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """`result`: `done`; `refused`: nothing was changed; `put_back`: the change was made and taken back; `broken`: it
    was made, and the old could not be put back."""

    result: Literal["done", "refused", "put_back", "broken"]
    reason: str = ""
    package: str = ""
    """The installed version of the package; empty for an installation from source."""
    previous: str = ""
    """The version to which `rollback` goes back."""
    tables: dict[str, TableNow] = {}
    """By the name of the service."""

"""One table of a panel: lets its time pass, lets dealer and hands act, and says what is to be seen of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

from pitwatch.daemon.bench.panel.notes import PanelNotes
from pitwatch.daemon.bench.player import disk, happen
from pitwatch.daemon.bench.scenario import Part
from pitwatch.daemon.bench.table import BenchTable
from pitwatch.daemon.config import Config
from pitwatch.sim_hw.hands.act import Act, CannotActError
from pitwatch.sim_hw.live import LiveTable

TURN = 0.02
"""Seconds between two steps of the table's time."""
LONGEST = 0.25
"""Real seconds that one step makes up for at most: a busy machine has the table go slower, not jump."""
SLOWEST, FASTEST = 0.1, 60.0
"""Times real time."""
STEP = 1_000_000_000
"""Nanoseconds of a step at full speed."""
MOST_STEP = 600.0
"""Seconds."""
SECOND = 1_000_000_000


class PanelTable(BenchTable):
    """`speed`: times real time. `paused`: its time stands still; `stop_at`: from then on (ns)."""

    def __init__(self, table: Config, part: Part, seed: int, notes: PanelNotes):
        self.notes = notes
        self.speed = 1.0
        self.paused = False
        self.stop_at: int | None = None
        self._looks = 0
        self.live: LiveTable
        super().__init__(table, part, seed, notes)

    def prepare(self) -> None:
        self.live = LiveTable(
            self.config.game,
            self.devices,
            self.options,
            seed=self.seed,
            plan=self.plan,
            planned=self.asked,
            people=self.people,
            seats=self.config.table.seats,
        )

    # -- time

    async def play(self, speed: float) -> int:
        self.speed = speed
        return await self._go_on(only_plan=True)

    async def stay(self) -> None:
        """Go on until cancelled."""
        await self._go_on(only_plan=False)

    async def _go_on(self, only_plan: bool) -> int:
        loop = asyncio.get_running_loop()
        count, last = 0, loop.time()
        while self.live.in_plan or not only_plan:
            await asyncio.sleep(TURN if self.speed != inf or self.paused else 0)
            passed, last = min(loop.time() - last, LONGEST), loop.time()
            if self.paused:
                continue
            until = self.live.t + (int(passed * self.speed * SECOND) if self.speed != inf else STEP)
            if self.stop_at is not None and until >= self.stop_at:
                until, self.stop_at, self.paused = self.stop_at, None, True
            for event in self.live.advance(until):
                count += 1
                await happen(event, self.hardware)
            if until > self.clock.now():
                self.clock.advance_to(until)
            await disk(self.daemon.journal)
        return count

    async def put_away(self) -> None:
        self.live.close()
        await super().put_away()

    # -- what people do. Raise CannotActError

    def act(self, device: str, name: str, given: Mapping[str, Any]) -> None:
        """A hand acts at a device; its wire carries what comes of it."""
        self.live.act(device, name, given)

    def plug(self, device: str, inserted: bool) -> None:
        """The plug of a device is pulled, or put in again."""
        if self.live.in_plan:
            raise CannotActError("the dealer plays what was planned; hands may act when that is over")
        if device not in self.live.hands:
            raise CannotActError(f"{device[:80]!r}: no such device")
        if inserted:
            self.hardware.plug(device)
        else:
            self.hardware.unplug(device)

    def set_speed(self, speed: float) -> None:
        if not (isfinite(speed) and SLOWEST <= speed <= FASTEST):
            raise CannotActError(f"speed: {speed:g} is not from {SLOWEST:g} to {FASTEST:g}")
        self.speed = speed

    def pause(self, paused: bool) -> None:
        """Time stands still, or goes on."""
        self.paused, self.stop_at = paused, None

    def step(self, seconds: float) -> None:
        """Time goes on for so many seconds, and stands still then."""
        if not (isfinite(seconds) and 0 < seconds <= MOST_STEP):
            raise CannotActError(f"step: {seconds:g} is not a time up to {MOST_STEP:g} seconds")
        self.paused, self.stop_at = False, self.live.t + int(seconds * SECOND)

    # -- what is to be seen

    def described(self) -> dict[str, Any]:
        """What does not change: devices, what can be done at each, faults by name."""
        rules = self.config.game.rules
        return {
            "id": self.id,
            "site": self.config.table.site,
            "game": self.config.game.path,
            "devices": [
                {
                    "id": device.id,
                    "type": device.type,
                    "protocol": device.protocol,
                    "lines": list(device.lines),
                    "acts": [_described(act) for act in self.live.acts(device.id)],
                }
                for device in self.devices
            ],
            "faults": [{"rule": rule, "says": rules[rule].says} for rule in self.live.faults],
        }

    def seen(self) -> dict[str, Any]:
        """The table as it is now; `look` tells an older look from a newer one."""
        live, full = self.live, self.notes.full_at
        self._looks += 1
        return {
            "look": self._looks,
            "t": live.t / SECOND,
            "speed": self.speed if self.speed != inf else None,
            "paused": self.paused,
            "playing": live.playing,
            "dealing": live.dealing,
            "in_plan": live.in_plan,
            "rounds": live.rounds,
            "fault": live.fault,
            "orders": list(live.orders),
            "asked": live.asked_rounds,
            "plugged": {device: self.hardware.plugged(device) for device in live.hands},
            "capture_full_at": None if full is None else full / SECOND,
            "devices": live.picture(),
        }


def _described(act: Act) -> dict[str, Any]:
    asks = [
        {"name": ask.name, "label": ask.label, "choices": list(ask.choices)}
        if ask.choices
        else {"name": ask.name, "label": ask.label, "low": ask.low, "high": ask.high, "usual": ask.usual}
        for ask in act.asks
    ]
    return {"name": act.name, "label": act.label, "plays": act.plays, "switch": act.switch, "asks": asks}

"""A roulette table in this process, on a real broker, whose clock is the test's own. For tests only."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pitwatch.daemon.config import config
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.contract.asked import Verb
from pitwatch.daemon.service.app import Daemon
from pitwatch.daemon.tlog.note import Key
from pitwatch.hal.sim import SimClock, SimFactory
from tests.e2e.mosquitto import Mosquitto
from tests.e2e.table_process import spin

SECOND = 1_000_000_000


class Table:
    """Answers the requests that `requests` names, and those of `witnesses`. `wall`: seconds since 1970 at which its
    clock begins."""

    def __init__(
        self,
        folder: Path,
        broker: Mosquitto,
        id: str = "RL-07",
        requests: list[Verb] | None = None,
        wall: float = 1_800_000_000,
        witnesses: tuple[Key, ...] = (),
        url: str = "",
    ):
        path = folder / f"{id}.toml"
        path.write_text(
            f'[table]\nsite = "toledo"\nid = "{id}"\ngame = "toledo-2020/roulette"\n[journal]\npath = "{id}.db"\n'
            "[statistics]\nwatch = false\n"  # the ball always comes to rest on one number
            '[[device]]\nid = "wheel"\ntype = "wheel"\nlink = "sim:"\nprotocol = "slingshot2"\n'
        )
        mqtt = MqttSection(url=url or broker.url, requests=["replay"] if requests is None else requests)
        table = msgspec.structs.replace(config.load(path), mqtt=mqtt, witnesses=witnesses)
        self.name = f"toledo/{id}"
        self.clock = SimClock(now=SECOND, wall=int(wall) * SECOND, synced=True)
        self.factory = SimFactory(self.clock)
        self.daemon = Daemon(table, self.clock, self.factory)
        self._spins = 0

    def play(self, spins: int, wrong: bool = False) -> None:
        """Rounds of half a minute; a wrong one ends with another pocket announced than that of the ball."""
        for _ in range(spins):
            self._spins += 1
            for line in spin((self._spins - 1) % 256 + 1, self._spins % 2).splitlines(keepends=True):
                self.clock.advance_to(self.clock.now() + 5 * SECOND)
                told = " 5\r\n" if wrong and line == "17\r\n" else line
                self.factory.links["wheel"].inject(told.encode())

    def delivered(self) -> bool:
        return self.daemon.journal.delivered == self.daemon.journal.last

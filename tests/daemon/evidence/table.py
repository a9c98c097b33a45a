"""A baccarat table whose every card and credential bears a mark, under the real daemon on simulated links. For tests
only."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.config import config
from pitwatch.daemon.contract.messages import RequestData
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.service.app import Daemon
from pitwatch.hal.sim import SimClock, SimFactory

SECOND = 1_000_000_000
WALL = 1_800_000_000 * SECOND

TABLE = """
[table]
site = "toledo"
id = "BA-01"
game = "toledo-2020/mini-midi-baccarat"
options = { decks = 8 }

[mqtt]
url = "mqtt://127.0.0.1:9"

[journal]
path = "journal.db"

[video]
camera = "pit-1"
preroll_s = 20
postroll_s = 15

[[device]]
id = "shoe"
type = "shoe"
protocol = "ndjson"
link = "sim:"

[[device]]
id = "keys"
type = "key_reader"
protocol = "ndjson"
link = "sim:"

[[device]]
id = "panel"
type = "panel"
link = "sim:"
lines = { no-more-bets = { chip = "c", line = 1 }, round-over = { chip = "c", line = 2 } }

[[device]]
id = "box"
type = "enclosure"
link = "sim:"
lines = { lid = { chip = "c", line = 3 } }
"""

CLEAN = (("player", "T"), ("banker", "K"), ("player", "9"), ("banker", "7"))
FAULT = (("player", "4"), ("banker", "T"), ("player", "2"), ("banker", "5"), ("player", "3"))
"""The player draws on six. Suits change from round to round."""


class Table:
    """`folder` holds table.toml and journal.db. A round takes some seconds of its own time."""

    def __init__(self, folder: Path, synced: bool = True):
        self.folder = folder
        self.path = folder / "table.toml"
        self.path.write_text(TABLE)
        self.clock = SimClock(now=1_000 * SECOND, wall=WALL if synced else 0, synced=synced)
        self.factory = SimFactory(self.clock)
        self.daemon = Daemon(config.load(self.path), self.clock, self.factory)
        self.rounds = 0

    @property
    def journal(self) -> Path:
        return self.folder / "journal.db"

    def _wait(self, seconds: float = 1.0) -> None:
        self.clock.advance_to(self.clock.now() + int(seconds * SECOND))

    def _say(self, device: str, event: str, **data: Any) -> None:
        self._wait()
        self.factory.links[device].inject(json.dumps({"event": event, "data": data}).encode() + b"\n")

    def _press(self, key: str) -> None:
        self._wait()
        self.factory.banks["panel"].drive(key, 1)
        self._wait(0.2)
        self.factory.banks["panel"].drive(key, 0)

    def begin(self) -> None:
        self._say("shoe", "shoe_started", decks=8)
        for card in ("AS", "5D"):
            self._say("shoe", "card_drawn", card=card, to="burn", mark="mark-0-0")

    def play(self, fault: bool = False) -> int:
        """One round, in which somebody shows a key card; its number."""
        self.rounds += 1
        number = self.rounds
        self._say("keys", "credential_presented", credential=f"between-{number}-")
        self._press("no-more-bets")
        for n, (to, card) in enumerate(FAULT if fault else CLEAN):
            self._say("shoe", "card_drawn", card=card + "SHDC"[number % 4], to=to, mark=f"mark-{number}-{n}")
            if n == 1:
                self._say("keys", "credential_presented", credential=f"cred-{number}-")
        self._press("round-over")
        return number

    def open_box(self) -> None:
        self._wait()
        self.factory.banks["box"].drive("lid", 1)
        self._wait(5)
        self.factory.banks["box"].drive("lid", 0)

    def acknowledge(self, sequence: int, by: str, note: str = "") -> None:
        arguments = {"sequence": sequence, "note": note}
        said = RequestData(verb="acknowledge", request="1", client="watch-1", by=by, accepted=True, arguments=arguments)
        self.daemon.journal.append("request", "requested", self.clock.now(), said)

    def found(self) -> list[tuple[int, dict[str, Any]]]:
        """The irregularities in the journal, each with its number."""
        store = Store(self.journal, read_only=True)
        try:
            return [(r.seq, msgspec.json.decode(r.body)) for r in store.of_kind("irregularity")]
        finally:
            store.close()


async def played(folder: Path, rounds: int = 12, faults: tuple[int, ...] = (6,), synced: bool = True) -> Table:
    """A table that has played, with acknowledgements of each irregularity, stopped."""
    table = Table(folder, synced)
    await table.daemon.start()
    table.begin()
    for number in range(1, rounds + 1):
        table.play(number in faults)
    table._wait(120)
    async with asyncio.timeout(60):
        while table.daemon.journal.committed < table.daemon.journal.last:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    for sequence, _ in table.found():
        table.acknowledge(sequence, "Ann", "seen on the screen")
    await table.daemon.stop()
    return table

"""Attacks on a table's history by somebody who has its key, and a month of clean play.

Each attack gives whether it was found: `python -m tests.floor.witness` does each a thousand times."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pitwatch.floor.message import Message
from tests.floor.witness.boards import Board, House, Key
from tests.floor.witness.independent import base64, key_id

LOOKS = 6
"""Looks of the witness after which an attack must be found."""

Attack = Callable[[House, str, random.Random], Awaitable[bool]]


async def _lived(house: House, table: str, chance: random.Random, least: int = 2) -> Board:
    """A table that was witnessed for a while."""
    board = Board(table, Key(chance.getrandbits(32)), chance)
    house.boards = [board]
    for _ in range(chance.randint(least, 4)):
        board.grow(chance.randint(1, 90))
        await house.hear(board.checkpoint(house.now))
        await house.look()
    assert board.cosigned
    assert await house.found(table) == [], "found before there was anything"
    return board


async def _told(house: House, table: str) -> bool:
    """Whether it is found, with two genuine heads that cannot both be."""
    await house.look(LOOKS)
    (board, *_) = house.boards
    for row in await house.found(table):
        if row["kind"] == "split_view":
            heads = [_genuine(row[name]["note"], board) for name in ("heard", "said")]
            assert heads[0] != heads[1]
            return True
    return False


def _genuine(note: str, board: Board) -> tuple[int, str]:
    text, _, below = note.rpartition("\n\n")
    raw = base64.b64decode(below.split("\n")[0].split(" ")[2])
    assert raw[:4] == key_id(board.origin, 1, board.key.raw)
    Ed25519PublicKey.from_public_bytes(board.key.raw).verify(raw[4:], (text + "\n").encode())
    return int(text.split("\n")[1]), text.split("\n")[2]


async def split_view(house: House, table: str, chance: random.Random) -> bool:
    """Two heads of one size, one for the archive and one for others; both reach it sooner or later."""
    board = await _lived(house, table, chance)
    other = board.copy()
    count = chance.randint(1, 40)
    board.grow(count)
    other.grow(count)
    one, two = board.checkpoint(house.now), other.checkpoint(house.now)
    await house.hear(one)
    if chance.random() < 0.5:
        await house.look()
    await house.hear(two)
    return await _told(house, table)


async def roll_back(house: House, table: str, chance: random.Random) -> bool:
    """An older copy of the state folder is put back, and the board goes on from there, for a short while or long."""
    board = await _lived(house, table, chance)
    older = board.copy()
    board.grow(chance.randint(5, 80))
    await house.hear(board.checkpoint(house.now))
    await house.look()
    house.boards = [older]
    older.start()
    older.grow(chance.randint(0, 160))
    await house.hear(older.checkpoint(house.now))
    return await _told(house, table)


async def clone(house: House, table: str, chance: random.Random) -> bool:
    """A copy of the board runs beside it; both publish, and either answers."""
    board = await _lived(house, table, chance)
    copy = board.copy()
    house.boards = [board, copy]
    copy.start()
    for _ in range(2):
        messages: list[Message] = []
        for each in house.boards:
            each.grow(chance.randint(1, 60))
            messages.append(each.checkpoint(house.now))
        chance.shuffle(messages)
        await house.hear(*messages)
        await house.look()
    return await _told(house, table)


async def truncation(house: House, table: str, chance: random.Random) -> bool:
    """The newest records are cut off, and the board is started again."""
    board = await _lived(house, table, chance)
    board.cut(chance.randint(1, board.cosigned - 1))
    board.start()
    board.grow(chance.randint(0, 120))
    await house.hear(board.checkpoint(house.now))
    return await _told(house, table)


async def re_signing(house: House, table: str, chance: random.Random) -> bool:
    """A record of the past is rewritten, all hashes are made anew, and the stolen key signs it."""
    board = await _lived(house, table, chance)
    board.rewrite(chance.randrange(board.cosigned))
    board.grow(chance.randint(0, 60))
    await house.hear(board.checkpoint(house.now))
    return await _told(house, table)


async def silence(house: House, table: str, chance: random.Random) -> bool:
    """The past is rewritten, and the board gives no proofs: nothing is cosigned, and that is found after an hour."""
    board = await _lived(house, table, chance)
    board.rewrite(chance.randrange(board.cosigned))
    board.grow(chance.randint(1, 60))
    house.boards = []
    await house.hear(board.checkpoint(house.now))
    await house.look(32, 120.0)
    return [row["kind"] for row in await house.found(table)] == ["not_cosigned"]


ATTACKS: dict[str, Attack] = {
    "split view": split_view,
    "roll-back": roll_back,
    "clone": clone,
    "truncation": truncation,
    "re-signing with the stolen key": re_signing,
    "no proofs": silence,
}


class Month:
    """Clean play at one table, whatever happens to it."""

    def __init__(self, house: House, table: str, chance: random.Random):
        self.house = house
        self.table = table
        self.chance = chance
        self.key = Key(chance.getrandbits(32))
        self.board = Board(table, self.key, chance)
        self.house.boards = [self.board]
        self.missed: list[Message] = []
        self.queued: list[Message] = []
        self.heads = 0
        self.events: dict[str, int] = {}

    async def play(self, days: float) -> None:
        """Checkpoints every ten minutes, and something else beside one in five of them."""
        house, chance = self.house, self.chance
        ends, back = house.now + days * 86_400, 0.0
        while house.now < ends:
            self.board.grow(chance.randint(1, 60))
            message = self.board.checkpoint(house.now)
            self.heads += 1
            what = chance.choice(
                ("restart", "power cut", "broker outage", "archive restart", "missed", "again", "replaced")
            )
            if chance.random() > (0.2 if what != "replaced" else 0.05):
                what = ""
            self.events[what] = self.events.get(what, 0) + bool(what)
            if what == "broker outage" and house.broker:
                house.broker, back = False, house.now + chance.uniform(60.0, 2_900.0)
            if not house.broker:
                self.queued.append(message)
            elif what == "missed":
                self.missed.append(message)
            else:
                await house.hear(message, *([message] if what == "again" else []))
            if what in ("restart", "power cut"):
                if what == "power cut":  # what was not on the disk yet was not published either
                    lost = self.board.copy()
                    lost.grow(chance.randint(1, 20))
                self.board.start()
            elif what == "archive restart":
                house.begin()
            elif what == "replaced":
                await self._replace()
            elif what == "again" and self.missed:
                chance.shuffle(self.missed)
                await house.hear(*self.missed)  # the gaps are asked for, in any order
                self.missed = []
            await house.look(2, 5.0)
            house.now += 590.0
            if not house.broker and house.now >= back:
                house.broker = True
                await house.hear(*self.queued)
                self.queued = []
                await house.look(3)
        house.broker = True
        await house.hear(*self.queued, *self.missed)
        await house.look(200, 125.0)

    async def _replace(self) -> None:
        """Another board, whose key was announced before; what the old one has sent comes first."""
        self.house.broker = True
        await self.house.hear(*self.queued, *self.missed)
        self.queued, self.missed = [], []
        await self.house.look(1)  # what it has not proven now, it never will
        new = Key(self.chance.getrandbits(32))
        keys = getattr(self.house.approved.tables.get(self.table), "key", [])
        known = [self.key] if not keys else self._keys
        self._keys = [*known, new]
        self.house.approve(self.table, *self._keys)
        self.key, self.board = new, Board(self.table, new, self.chance)
        self.house.boards = [self.board]

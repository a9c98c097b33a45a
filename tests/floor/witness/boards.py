"""Boards whose journals have real Merkle trees and keys, and a house whose archive witnesses them: real judging, a real
database and real signatures, in virtual time and without a broker. For tests only."""

from __future__ import annotations

import base64
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitwatch.daemon.contract.messages import CheckpointData, ResponseData
from pitwatch.daemon.journal.statements import signed_text
from pitwatch.daemon.tlog.checkpoint import Checkpoint, signed
from pitwatch.daemon.tlog.merkle import Tree, consistency_path
from pitwatch.daemon.tlog.note import DER
from pitwatch.floor.archive.store import Store
from pitwatch.floor.archive.troubles import Troubles
from pitwatch.floor.identity.approved import Approved, ForTable
from pitwatch.floor.message import Message
from pitwatch.floor.witness.arriving import Arriving
from pitwatch.floor.witness.cosigner import Cosigner
from pitwatch.floor.witness.cosigning import Cosigning
from pitwatch.floor.witness.heads import Heads
from pitwatch.floor.witness.tables import Tables
from tests.floor.archive.stream import WALL, event

HOUSE = "house.example"
NAME = f"{HOUSE}/archive"


class Key:
    def __init__(self, seed: int):
        self._secret = Ed25519PrivateKey.from_private_bytes(sha256(b"%d" % seed).digest())
        self.raw = self._secret.public_key().public_bytes_raw()
        self.public = base64.b64encode(DER + self.raw).decode()

    def sign(self, data: bytes) -> bytes:
        return self._secret.sign(data)


class Board:
    """A board's journal: its records are leaves, and a checkpoint is a record as well."""

    def __init__(self, table: str, key: Key, chance: random.Random):
        self.table = table
        self.key = key
        self.chance = chance
        self.tree = Tree()
        self.nodes: dict[tuple[int, int], bytes] = {}
        self.runs = 0
        self.boot = ""
        self.cosigned = 0
        self.start()

    @property
    def origin(self) -> str:
        return f"{HOUSE}/pitwatch/{self.table}"

    def start(self) -> None:
        self.boot = f"{self.chance.getrandbits(48):012x}"
        self.grow(1)

    def copy(self) -> Board:
        other = Board.__new__(Board)
        other.__dict__ |= self.__dict__ | {"tree": self.tree.copy(), "nodes": dict(self.nodes)}
        return other

    def grow(self, count: int) -> None:
        for _ in range(count):
            leaf = sha256(b"\0%d %d" % (self.tree.size, self.chance.getrandbits(64))).digest()
            self.tree.append(leaf, lambda level, index, found: self.nodes.__setitem__((level, index), found))

    def cut(self, size: int) -> None:
        """The newest records are gone."""
        self.tree = Tree.at(size, self._node)
        self.nodes = {
            (level, index): each for (level, index), each in self.nodes.items() if (index + 1) << level <= size
        }

    def rewrite(self, seq: int) -> None:
        """Another record in place of one of the past, and all hashes made anew."""
        leaves = [self.nodes[0, index] for index in range(self.tree.size)]
        leaves[seq] = sha256(b"\0 another record").digest()
        self.tree, self.nodes = Tree(), {}
        for leaf in leaves:
            self.tree.append(leaf, lambda level, index, found: self.nodes.__setitem__((level, index), found))

    def note(self) -> str:
        return signed(
            Checkpoint(self.origin, self.tree.size, self.tree.root()), self.key.public, self.key.sign
        ).format()

    def checkpoint(self, now: float) -> Message:
        """It is signed, published, and then a record itself."""
        size = self.tree.size
        said = CheckpointData(
            table=self.table, first=1, sequence=size, hash=f"{size:064x}", key=self.key.public, signature=""
        )
        signature = base64.b64encode(self.key.sign(signed_text(said))).decode()
        data = msgspec.to_builtins(msgspec.structs.replace(said, signature=signature, note=self.note()))
        self.grow(1)
        return event("checkpoint", "checkpoint", data, now - WALL, size + 1, self.table, self.boot)

    # -- answers to requests

    def consistency(self, old: int, new: int) -> ResponseData:
        size = self.tree.size
        if new > size:
            why = f"there are records up to {size}"
            return ResponseData(request="r", ok=False, reason=why, size=size, key=self.key.public)
        path = consistency_path(old, new, self._node)
        proof = [base64.b64encode(each).decode() for each in path]
        return ResponseData(request="r", ok=True, proof=proof, size=size, key=self.key.public)

    def cosign(self, note: str) -> ResponseData:
        self.cosigned = max(self.cosigned, int(note.split("\n")[1]))
        return ResponseData(request="r", ok=True)

    def _node(self, level: int, index: int) -> bytes:
        return self.nodes[level, index]


class House:
    """An archive that witnesses. `boards` answer its requests: of two of one table either, of none nobody."""

    def __init__(self, store: Store, folder: Path, chance: random.Random, approved: Approved | None = None):
        self.store = store
        self.now = float(WALL)
        self.chance = chance
        self.boards: list[Board] = []
        self.broker = True
        self.approved = approved or Approved()
        self._cosigner = Cosigner(NAME, folder / "witness.key")
        self.public = self._cosigner.prepare().public
        self.begin()

    def begin(self) -> None:
        """A new process of the archive: what was only in its memory is gone."""
        self.troubles = Troubles(self.store, self.approved)
        heads = Heads(self.store, lambda: self.now)
        tables = Tables(self.store, Cosigning(heads, self._cosigner), self.approved, self, self.troubles.tell, "one")
        self.tables = tables
        self._arriving = Arriving(self.store, heads, self.troubles.tell, tables.came)

    def approve(self, table: str, *keys: Key) -> None:
        """As FLOOR.toml would, read at the next start."""
        self.approved = Approved(tables={**self.approved.tables, table: ForTable(key=[key.public for key in keys])})
        self.begin()

    async def hear(self, *messages: Message) -> None:
        await self._arriving.take(messages)

    async def look(self, times: int = 1, every: float = 8.0) -> None:
        for _ in range(times):
            await self.tables.look()
            self.now += every

    async def found(self, table: str) -> list[dict[str, Any]]:
        """What stands against a table."""
        site, _, table_id = table.partition("/")
        sql = "SELECT kind, told, heard, said FROM troubles WHERE site = :site AND table_id = :table_id"
        sql += " AND over_at IS NULL"
        rows = await self.store.ask(sql, site=site, table_id=table_id)
        return [row | {name: msgspec.json.decode(row[name]) for name in ("heard", "said")} for row in rows]

    # -- the witness's requests

    async def consistency(self, table: str, old: int, new: int) -> ResponseData:
        return self._one(table).consistency(old, new)

    async def cosign(self, table: str, note: str) -> ResponseData:
        return self._one(table).cosign(note)

    def _one(self, table: str) -> Board:
        if not self.broker:
            raise ConnectionError("no broker")
        there = [board for board in self.boards if board.table == table]
        if not there:
            raise TimeoutError(f"{table} does not answer")
        return self.chance.choice(there)

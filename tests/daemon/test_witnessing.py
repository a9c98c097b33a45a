"""A table that is witnessed: it proves that its journal only grew, and keeps only cosignatures that it has verified."""

from __future__ import annotations

import base64
import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config import config
from pitwatch.daemon.contract.messages import CosignatureData
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.service.witnessing import Witnessing
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.cosignature import cosign, with_cosignature
from pitwatch.daemon.tlog.merkle import verify_consistency
from pitwatch.daemon.tlog.note import COSIGNATURE, Key, Note, parse
from pitwatch.hal.sim import SimClock
from tests.daemon.test_cli import TABLE as MINIMAL
from tests.floor.archive.test_archiver import until

TABLE = "toledo/RL-07"
SECOND = 1_000_000_000
AT = 1_800_000_000


class Witness:
    def __init__(self, name: str, seed: int):
        self._secret = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.key = Key(name, self._secret.public_key().public_bytes_raw(), COSIGNATURE)

    def cosigned(self, note: str, at: int = AT) -> str:
        read = parse(note)
        return with_cosignature(read, cosign(read.text, self.key, at, self._secret.sign)).format()


ONE, TWO = Witness("house.example/archive", 1), Witness("regulator.example/w1", 2)


class Board:
    def __init__(self, folder: Path, *witnesses: Key):
        self.clock = SimClock(now=SECOND, wall=AT * SECOND, synced=True)
        self.journal = Journal(folder / "j.db", self.clock, "boot")
        self.checkpoints = Checkpoints(self.journal, self.clock, TABLE)
        self.late: list[str | None] = []
        self.witnessing = Witnessing(self.journal, self.checkpoints, self.clock, TABLE, witnesses, self.late.append)

    async def sign(self, count: int = 5) -> str:
        """Records, and the note over them."""
        for _ in range(count):
            self.journal.note("started", {})
        last = self.journal.last
        await until(lambda: self.journal.committed == last, "not on disk")
        self.checkpoints._due = 0.0
        self.checkpoints._wake.set()
        await until(lambda: (newest := self.checkpoints.newest) and newest.sequence >= last, "not signed")
        newest = self.checkpoints.newest
        assert newest is not None
        assert newest.note is not None
        return newest.note

    async def cosign(self, note: str) -> Any:
        found: list[Any] = []
        self.witnessing.cosign(note, found.append)
        await until(lambda: found, "no answer")
        return found[0]

    async def consistency(self, old: int, new: int) -> Any:
        found: list[Any] = []
        self.witnessing.consistency(old, new, found.append)
        await until(lambda: found, "no answer")
        return found[0]

    def kept(self) -> list[CosignatureData]:
        made = [record for record in self.journal._tail if record.kind == "cosignature"]
        return [msgspec.json.decode(record.body, type=CosignatureData) for record in made]


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[Board]:
    made = Board(tmp_path, ONE.key, TWO.key)
    made.journal.start()
    made.checkpoints.start()
    yield made
    await made.checkpoints.stop()
    await made.journal.close()


async def test_the_proof_from_one_signed_head_to_the_next(board: Board) -> None:
    notes = [await board.sign() for _ in range(4)]
    said = [Checkpoint.parse(parse(note).text) for note in notes]
    for old, new in itertools.pairwise(said):
        path = await board.consistency(old.size, new.size)
        verify_consistency(old.size, old.root, new.size, new.root, [base64.b64decode(each) for each in path])
    assert "the journal has" in await board.consistency(1, 1_000)


async def test_each_witness_s_cosignature_is_kept_once(board: Board) -> None:
    note = await board.sign()
    size = Checkpoint.parse(parse(note).text).size
    assert await board.cosign(ONE.cosigned(note)) == {"sequence": size, "witnesses": [ONE.key.name]}
    await board.cosign(ONE.cosigned(note, AT + 1))
    await board.cosign(TWO.cosigned(ONE.cosigned(note)))
    kept = board.kept()
    assert [(each.witness, each.sequence, each.time) for each in kept] == [
        (ONE.key.name, size, "2027-01-15T08:00:00.000000Z"),
        (TWO.key.name, size, "2027-01-15T08:00:00.000000Z"),
    ]
    assert [each.note for each in kept] == [ONE.cosigned(note), TWO.cosigned(note)]


async def test_what_is_not_verified_is_not_kept(board: Board) -> None:
    note = await board.sign()
    stranger, thief = Witness("other.example", 3), Witness(ONE.key.name, 4)
    forged = parse(ONE.cosigned(note))
    (signature,) = forged.by(ONE.key)
    wrong = msgspec.structs.replace(signature, data=signature.data[:-1] + b"\x00")
    other = ONE.cosigned(note).replace("\n5\n", "\n4\n")
    for text, why in (
        (stranger.cosigned(note), "no cosignature by a witness"),
        (thief.cosigned(note), "no cosignature by a witness"),
        (note, "no cosignature by a witness"),
        (with_cosignature(forged, wrong).format(), "is not genuine"),
        (Note(forged.text, forged.by(ONE.key)[:1] and (signature,)).format(), "not signed by a key that is known"),
        (ONE.cosigned(note, 1 << 62), "after the year 9999"),
        (other, "not genuine"),
        ("nothing", "empty line"),
        ("", "empty line"),
    ):
        assert why in await board.cosign(text), text
    assert board.kept() == []


async def test_a_head_of_another_journal_with_this_key(board: Board, tmp_path: Path) -> None:
    """Signed by this key, but over other records: a clone's."""
    await board.sign()
    (tmp_path / "clone").mkdir()
    for half in ("j.key", "j.pub"):
        (tmp_path / "clone" / half).write_bytes((tmp_path / half).read_bytes())
        (tmp_path / "clone" / half).chmod(0o600)
    clone = Board(tmp_path / "clone", ONE.key)
    clone.clock.advance_to(2 * SECOND)
    clone.journal.start()
    clone.checkpoints.start()
    note = await clone.sign(4)
    await clone.checkpoints.stop()
    await clone.journal.close()
    assert await board.cosign(ONE.cosigned(note)) == "the note is not of this journal"


async def test_reported_while_one_witness_is_late(board: Board) -> None:
    first = await board.sign()
    board.witnessing.look()
    board.clock.advance_to(board.clock.now() + 3_599 * SECOND)
    board.witnessing.look()
    assert board.late == []
    await board.cosign(ONE.cosigned(first))
    board.clock.advance_to(board.clock.now() + 2 * SECOND)
    board.witnessing.look()
    assert board.late == [f"not cosigned for an hour by {TWO.key.name}: it is away, or it refuses"]
    await board.cosign(TWO.cosigned(first))
    assert board.late[1:] == [None]
    second = await board.sign()
    board.witnessing.look()
    board.clock.advance_to(board.clock.now() + 1_800 * SECOND)
    await board.sign()
    board.witnessing.look()
    board.clock.advance_to(board.clock.now() + 1_801 * SECOND)
    board.witnessing.look()
    assert board.late[2:] == [f"not cosigned for an hour by {ONE.key.name}, {TWO.key.name}: it is away, or it refuses"]
    await board.cosign(TWO.cosigned(ONE.cosigned(second)))
    assert board.late[3:] == [None]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[witness]\n", "witness.keys: missing"),
        ("[witness]\nkeys = []\n", "witness.keys: is empty"),
        ('[witness]\nkeys = ["x"]\n', "witness.keys[0]: "),
        (f'[witness]\nkeys = ["{Key(ONE.key.name, ONE.key.public).format()}"]\n', "is of type 1"),
        (f'[witness]\nkeys = ["{ONE.key.format()}", "{ONE.key.format()}"]\n', "is named twice"),
        (f'[witness]\nkey = "{ONE.key.format()}"\n', "witness.key: unknown key"),
    ],
)
def test_what_is_wrong_in_the_section_is_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(MINIMAL + text)
    with pytest.raises(ConfigError) as refused:
        config.load(path)
    assert told in str(refused.value)


def test_the_section_names_witnesses(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'{MINIMAL}[witness]\nkeys = ["{ONE.key.format()}", "{TWO.key.format()}"]\n')
    assert config.load(path).witnesses == (ONE.key, TWO.key)

"""A table's records made by hand, run by run, with keys and signatures that are real. For tests only."""

from __future__ import annotations

import base64
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.statements import signed_text
from pitwatch.floor.message import Message
from tests.floor.archive.stream import event

TABLE = "toledo/RL-07"


class Key:
    def __init__(self, seed: int):
        self._private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        der = self._private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.public = base64.b64encode(der).decode()

    def sign(self, text: bytes) -> str:
        return base64.b64encode(self._private.sign(text)).decode()


ONE, TWO = Key(1), Key(2)


def started(
    boot: str, sequence: int, previous: str = "", last: int = 0, t: float | None = None, **more: Any
) -> Message:
    detail: dict[str, Any] = {"cause": "power"}
    if last:
        detail |= {"previous_boot": previous, "last_sequence": last}
    at = sequence if t is None else t
    return event("system", "system", {"event": "started", "detail": detail}, at, sequence, boot=boot, **more)


def record(boot: str, sequence: int, t: float | None = None, **more: Any) -> Message:
    at = sequence if t is None else t
    data = {"t": at, "device": "wheel", "event": "ball_launched", "data": {}}
    return event("observation", more.pop("subtopic", "observation/wheel"), data, at, sequence, boot=boot, **more)


def run(boot: str, first: int, last: int, previous: str = "", after: int = 0, t: float | None = None) -> list[Message]:
    """All records of one run."""
    shift = 0 if t is None else t - first
    head = started(boot, first, previous, after, first + shift)
    return [head, *(record(boot, sequence, sequence + shift) for sequence in range(first + 1, last + 1))]


def checkpoint(
    boot: str, sequence: int, covers: int, hash_: str, key: Key = ONE, signer: Key | None = None, **more: Any
) -> Message:
    """`signer`: who signs, if not the key that is named. `more`: `of` which table, at which `t`, further fields."""
    said = CheckpointData(
        table=more.pop("of", TABLE), first=1, sequence=covers, hash=hash_ * 64, key=key.public, signature=""
    )
    signature = (signer or key).sign(signed_text(said))
    at = more.pop("t", sequence)
    data = {"table": said.table, "first": 1, "sequence": covers, "hash": said.hash, "key": key.public}
    return event("checkpoint", "checkpoint", {**data, "signature": signature, **more}, at, sequence, boot=boot)


def status(boot: str, key: Key | None = ONE, t: float = 1.0, state: str = "ready", **more: Any) -> Message:
    prints = {"book": "b" * 64, "game": "c" * 64, "configuration": "d" * 64, "program": "e" * 64} | more.pop(
        "prints", {}
    )
    data = {"state": state, "version": "0.1.0", "game": "toledo-2020/roulette", "fingerprints": prints, "boot": boot}
    data |= {"journal": "ok", "key": None if key is None else key.public}
    return event("status", "status", data, t, None, boot=boot, **more)

"""The client of a witness outside the house: every answer of the specification, and whatever else may come."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator

import pytest

from pitwatch.daemon.tlog.note import Key, parse
from pitwatch.floor.witness.outside import ContradictsError, ElsewhereError, Outside, OutsideError
from tests.floor.witness.independent import Log, Witness, b64, key_id, proof

ORIGIN = "house.example/pitwatch/toledo/RL-07"


@pytest.fixture
def log() -> Log:
    return Log(ORIGIN).grow(10)


@pytest.fixture
def witness(log: Log) -> Iterator[Witness]:
    made = Witness("regulator.example/w1", {ORIGIN: [log.public]})
    yield made
    made.close()


def outside(witness: Witness) -> Outside:
    return Outside(witness.url, Key.parse(witness.vkey))


def test_cosigned_from_head_to_head(witness: Witness, log: Log) -> None:
    old = 0
    for size in (3, 10):
        note = parse(log.note(size))
        signature, at = outside(witness).add_checkpoint(old, proof(old, log.leaves[:size]), note, size)
        assert signature.name == witness.name
        assert abs(at - time.time()) < 60
        old = size


def test_each_refusal(witness: Witness, log: Log) -> None:
    here = outside(witness)
    here.add_checkpoint(0, [], parse(log.note(5)), 5)
    with pytest.raises(ElsewhereError) as elsewhere:
        here.add_checkpoint(3, proof(3, log.leaves), parse(log.note()), 10)
    assert elsewhere.value.size == 5
    other = Log(ORIGIN).grow(10, "another past")
    for size in (5, 10):
        with pytest.raises(ContradictsError):
            here.add_checkpoint(5, proof(5, other.leaves[:size]), parse(other.note(size)), size)
    thief, stranger = Log(ORIGIN, seed=9).grow(10), Log("other.example/log").grow(10)
    for each, why in ((thief, "does not trust the table's key"), (stranger, "does not know this log")):
        with pytest.raises(OutsideError, match=why) as refused:
            here.add_checkpoint(0, [], parse(each.note()), 10)
        assert not refused.value.passing


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((200, "text/plain", b""), "not usable"),
        ((200, "text/plain", b"\xff\n"), "not usable"),
        ((200, "text/plain", b"no line\n"), "not usable"),
        ((200, "text/plain", "— other.example/w AAAAAAAA\n".encode()), "no cosignature by the key"),
        ((200, "text/plain", b"x" * 200_000), "not usable"),
        ((409, "text/x.tlog.size", b"7"), "not usable"),
        ((409, "text/x.tlog.size", b"-7\n"), "not usable"),
        ((409, "text/html", b"7\n"), "answers 409"),
        ((500, "text/plain", b"a\nb"), "answers 500"),
        ((301, "text/plain", b""), "answers 301"),
    ],
)
def test_any_other_answer_is_one_line(witness: Witness, log: Log, answer: tuple[int, str, bytes], told: str) -> None:
    witness.answer = lambda body: answer  # type: ignore[method-assign]
    with pytest.raises(OutsideError, match=told) as refused:
        outside(witness).add_checkpoint(0, [], parse(log.note()), 10)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("at", "told"), [(0, "differ by more than a day"), (2**63 - 1, "differ by more than a day"), (2**63, "not genuine")]
)
def test_a_time_that_cannot_be(witness: Witness, log: Log, at: int, told: str) -> None:
    text = log.note().rpartition("\n\n")[0] + "\n"
    signature = witness.secret.sign(f"cosignature/v1\ntime {at}\n{text}".encode())
    line = b64(key_id(witness.name, 4, witness.public) + struct.pack(">Q", at) + signature)
    witness.answer = lambda body: (200, "text/plain", f"— {witness.name} {line}\n".encode())  # type: ignore[method-assign]
    with pytest.raises(OutsideError, match=told):
        outside(witness).add_checkpoint(0, [], parse(log.note()), 10)


def test_nobody_there(log: Log) -> None:
    witness = Witness("regulator.example/w1", {})
    witness.close()
    with pytest.raises(OutsideError, match="cannot be used") as refused:
        outside(witness).add_checkpoint(0, [], parse(log.note()), 10)
    assert refused.value.passing

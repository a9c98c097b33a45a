"""What the board signs is the line that subscribers are told of, and nothing else passes for it."""

from __future__ import annotations

import base64
import shutil

import msgspec
import pytest

from pitwatch.daemon.contract.messages import CheckpointData, RetentionData
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.signing import Signer, verified
from pitwatch.daemon.journal.statements import is_genuine, signed, stated

HASH = "ab" * 32
CHECKPOINT = CheckpointData(table="toledo/RL-07", first=3, sequence=70, hash=HASH, key="", signature="")
CUT = RetentionData(table="toledo/RL-07", sequence=70, hash=HASH, reason="age", time="2026-11-28T01:30:00Z")
LINES = (
    (CHECKPOINT, f"pitwatch-checkpoint-v1 toledo/RL-07 3 70 {HASH}\n"),
    (CUT, f"pitwatch-retention-v1 toledo/RL-07 70 {HASH} age 2026-11-28T01:30:00Z\n"),
)


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
@pytest.mark.parametrize(("said", "line"), LINES)
def test_the_documented_line_is_signed_and_each_of_its_words_counts(tmp_path, said, line):
    signer = Signer(tmp_path / "t.key")
    made = signed(said, signer.prepare(), signer)
    assert verified(signer.public, line.encode(), base64.b64decode(made.signature))
    assert is_genuine(made)
    other = {"table": "toledo/RL-08", "first": 2, "sequence": 71, "hash": "ac" * 32, "reason": "room", "time": "2026"}
    for field in set(other) & set(msgspec.structs.asdict(made)):
        assert not is_genuine(msgspec.structs.replace(made, **{field: other[field]})), field
    assert not is_genuine(msgspec.structs.replace(made, signature="no base64!"))


def test_what_is_not_signed_is_not_genuine():
    assert not is_genuine(CUT)


def test_a_record_that_is_not_readable_states_nothing():
    for body, found in ((msgspec.json.encode(CUT), CUT), (b"{}", None), (b"\xff", None)):
        record = Record(1, "b", 1, 1, True, "retention", "retention", True, body)
        assert stated(record, RetentionData) == found

"""A checkpoint that was kept is compared, or `verify` says that it was not and what that means."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal.chain import Record, link
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.statements import signed
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.verifying import verify
from tests.daemon.burglar import altered
from tests.daemon.test_evidence import TABLE, made

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")


@pytest.fixture(scope="module")
def journals(tmp_path_factory):
    """A journal of sixty records with three checkpoints that is cut after record 10, and what signs it."""
    path = tmp_path_factory.mktemp("kept") / "j.db"
    return path, made(path, done=True)


@pytest.fixture
def path(journals, tmp_path):
    """A copy with its public key beside it."""
    for suffix in (".db", ".pub"):
        shutil.copy(journals[0].with_suffix(suffix), tmp_path)
    return tmp_path / "j.db"


def own(path: Path) -> list[CheckpointData]:
    store = Store(path, read_only=True)
    try:
        return [msgspec.json.decode(record.body, type=CheckpointData) for record in store.of_kind("checkpoint")]
    finally:
        store.close()


def early(signer: Signer, sequence: int = 5, hash_: bytes = b"\x11" * 32, table: str = TABLE) -> CheckpointData:
    """A genuine one of what the journal no longer has."""
    said = CheckpointData(table=table, first=1, sequence=sequence, hash=hash_.hex(), key="", signature="")
    return signed(said, str(signer.public), signer)


def kept(path: Path, *said: CheckpointData) -> Path:
    """As a subscriber writes down what he hears: with the envelope, one a line."""
    file = path.with_name("kept.jsonl")
    file.write_text("".join(json.dumps({"data": msgspec.to_builtins(each)}) + "\n" for each in said))
    return file


def judged(capsys, path: Path, *said: CheckpointData) -> tuple[int, str]:
    code = cli.main(["journal", "verify", str(path), "--checkpoint", str(kept(path, *said))])
    return code, capsys.readouterr().out


def test_every_line_of_a_file_is_compared(path, capsys):
    sound = own(path)
    assert judged(capsys, path, *sound)[0] == 0
    for at in range(len(sound)):
        wrong = list(sound)
        wrong[at] = msgspec.structs.replace(sound[at], hash="0" * 64)
        code, said = judged(capsys, path, *wrong)
        assert code == 1
        assert f"kept.jsonl line {at + 1} is not genuine" in said


@pytest.mark.parametrize("form", ["{}", "pitwatch/1/toledo/RL-07/checkpoint {}", '{{"data": {}}}', "\n  {}\n\n"])
def test_a_message_is_taken_in_any_form_that_a_subscriber_writes(path, capsys, form):
    file = path.with_name("kept")
    file.write_text(form.format(msgspec.json.encode(own(path)[0]).decode()))
    assert cli.main(["journal", "verify", str(path), "--checkpoint", str(file)]) == 0
    file.write_text(json.dumps(msgspec.to_builtins(own(path)[0]), indent=1))
    assert cli.main(["journal", "verify", str(path), "--checkpoint", str(file)]) == 0


@pytest.mark.parametrize("content", ["", '{"data": 1}', "{}\n{}", "\xff", '{"data": {"table": "a/b"}}'])
def test_a_file_that_holds_no_checkpoint_is_one_line(path, capsys, content):
    file = path.with_name("kept")
    file.write_text(content, encoding="latin-1")
    assert cli.main(["journal", "verify", str(path), "--checkpoint", str(file)]) == 2
    error = capsys.readouterr().err
    assert "is no checkpoint" in error
    assert error.count("\n") == 1


def test_one_before_the_beginning_is_covered_by_the_cut_that_is_in_the_journal(path, journals, capsys):
    code, said = judged(capsys, path, early(journals[1]))
    assert code == 0
    assert (
        "kept.jsonl was not compared: it covers records up to 5, and those up to 10 are no longer there, "
        "as a signed record says" in said
    )
    assert len(verify(path, kept=(early(journals[1]),)).not_compared) == 1


def test_one_before_the_beginning_that_nothing_covers_is_a_fault(tmp_path, journals, capsys):
    """Records taken from the front of a journal that was never cut: the key is not known beside the copy."""
    path = tmp_path / "j.db"
    store = Store(path)
    store.begin_after(10, b"\x22" * 32)
    store.close()
    altered(path, "INSERT INTO record VALUES (11, 'b', 1, 1, 1, 'system', 'system', 0, '{}', x'00')")
    hash_ = link(b"\x22" * 32, Record(11, "b", 1, 1, True, "system", "system", False, b"{}"))
    altered(path, f"UPDATE record SET hash = x'{hash_.hex()}'")
    assert verify(path).fault is None  # of a board that never signed anything
    code, said = judged(capsys, path, early(journals[1]))
    assert code == 1
    assert "was not compared: it covers records up to 5, and those up to 10 are no longer there; no signed" in said


def test_one_that_ends_where_the_journal_begins_is_compared_with_what_is_left_of_it(path, journals, capsys):
    store = Store(path, read_only=True)
    hash_ = store.hash_before
    store.close()
    assert judged(capsys, path, early(journals[1], 10, hash_))[0] == 0
    code, said = judged(capsys, path, early(journals[1], 10))
    assert code == 1
    assert "record 10 or one before it was rewritten: " in said


@pytest.mark.parametrize("sequence", [5, 39, 59, 99])
def test_one_of_another_table_is_not_compared_and_says_so(path, journals, capsys, sequence):
    """One key for two tables, as two boards from one card have it."""
    code, said = judged(capsys, path, early(journals[1], sequence, table="toledo/RL-08"))
    assert code == 1
    assert "was not compared: it is of table toledo/RL-08, and this is the journal of toledo/RL-07" in said


@pytest.mark.parametrize("sequence", [5, 39, 59, 99])
def test_one_of_another_key_or_of_none_is_a_fault_wherever_it_ends(path, journals, tmp_path, capsys, sequence):
    stranger = Signer(tmp_path / "s.key")
    stranger.prepare()
    code, said = judged(capsys, path, early(stranger, sequence))
    assert code == 1
    assert "is signed with another key" in said
    for signature in ("", "AAAA", "?"):
        unsigned = msgspec.structs.replace(early(journals[1], sequence), signature=signature)
        code, said = judged(capsys, path, unsigned)
        assert code == 1
        assert "signature" in said
        assert "not genuine" in said

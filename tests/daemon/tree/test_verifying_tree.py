"""`journal verify` finds whatever was done to the tree, to its notes and to the records below, and nothing in a clean
journal."""

from __future__ import annotations

import base64
import shutil

import msgspec
import pytest

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.journal import proofs
from pitwatch.daemon.journal.chain import Record, link
from pitwatch.daemon.journal.kept import Kept
from pitwatch.daemon.journal.records import COLUMNS
from pitwatch.daemon.journal.retention import RetentionData
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.statements import signed, with_note
from pitwatch.daemon.journal.store import DamagedError, Store
from pitwatch.daemon.journal.verifying import verify
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.daemon.tlog.note import Note, parse
from tests.daemon.burglar import altered, closed, unguarded
from tests.daemon.tree.growing import ORIGIN, TABLE, board, opened, seen, sign, watched

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")


def remove(store: Store, signer: Signer, up_to: int) -> None:
    """As retention does: first a signed record."""
    hash_ = store.one(up_to)[1].hex()
    said = RetentionData(table=TABLE, sequence=up_to, hash=hash_, reason="age", time="2027-01-15T08:00:00Z")
    body = msgspec.json.encode(signed(said, str(signer.public), signer))
    store.write([seen(store.last + 1, kind="retention", subtopic="retention", retained=True, body=body)], 0)
    store.write([], store.last)
    while store.pruned < up_to:
        store.remove(up_to, 500)


@pytest.fixture(scope="module", params=[0, 300, 700, 1_100], ids=lambda n: f"{n} removed")
def whole(request, tmp_path_factory):
    """A journal, what was published of it, and how much was removed."""
    path = tmp_path_factory.mktemp("whole") / "j.db"
    signer = board(path)
    store = opened(path)
    published = []
    for count in (300, 400, 68, 132, 500, 700):
        watched(store, count)
        published.append(sign(store, signer))
    if request.param:
        remove(store, signer, request.param)
    watched(store, 100)
    published.append(sign(store, signer))
    watched(store, 7)
    store.close()
    return path, published, request.param


@pytest.fixture
def journal(whole, tmp_path):
    path = tmp_path / "j.db"
    for suffix in (".db", ".key", ".pub"):
        shutil.copy(whole[0].with_suffix(suffix), path.with_suffix(suffix))
    return path


def fault(path, **more) -> str | None:
    return verify(path, Signer(key_path(path)).public, **more).fault


def test_a_clean_journal_is_clean(journal, whole):
    verdict = verify(journal, None)
    assert verdict.fault is None
    assert verdict.notes == sum(each.sequence > whole[2] for each in whole[1])
    opened(journal).close()
    assert fault(journal) is None


def test_kept_checkpoints_of_removed_records_are_compared_by_the_tree(journal, whole):
    _, published, removed = whole
    verdict = verify(journal, None, [Kept(f"line {n}", each) for n, each in enumerate(published)])
    assert verdict.fault is None
    assert verdict.not_compared == ()
    gone = [each for each in published if each.sequence < removed]
    for each in gone:
        signer = Signer(key_path(journal))
        other = with_note(each, ORIGIN, bytes(32), signer)
        assert "signs another root" in fault(journal, kept=[other])
        older = msgspec.structs.replace(each, note=None)
        assert len(verify(journal, None, [older]).not_compared) == 1


def replaced(db, seq: int, **fields) -> None:
    """A record altered, and the chain after it computed anew."""
    rows = db.execute(f"SELECT {COLUMNS}, hash FROM record WHERE seq >= ? ORDER BY seq", (seq - 1,)).fetchall()
    hash_ = rows[0][-1]
    for row in rows[1:]:
        values = dict(zip(COLUMNS.split(", "), row, strict=False)) | (fields if row[0] == seq else {})
        values |= {"synced": bool(values["synced"]), "retained": bool(values["retained"])}
        hash_ = link(hash_, Record(**values | {"body": values["body"].encode()}))
        db.execute("UPDATE record SET body = ?, hash = ? WHERE seq = ?", (values["body"], hash_, row[0]))


def test_a_chain_that_was_computed_anew_does_not_agree_with_the_tree(journal, whole):
    """Even what no line signature covers yet: all after the last checkpoint."""
    published = whole[1]
    db = unguarded(journal)
    seq = published[-2].sequence - 3
    replaced(db, seq, body='{"forged": 1}')
    db.execute("DELETE FROM newest WHERE kind = 'tree' AND subtopic LIKE 'tree/at/%'")
    closed(db)
    assert fault(journal) is not None


def test_records_and_tree_computed_anew_do_not_agree_with_the_note(journal, whole):
    """Without the old line signatures, only the note stands against it."""
    _, published, removed = whole
    if removed:
        pytest.skip("the tree cannot be computed anew over what is gone")
    db = unguarded(journal)
    replaced(db, published[-2].sequence - 3, body='{"forged": 1}')
    db.execute("DELETE FROM newest WHERE kind = 'tree'")
    closed(db)
    with pytest.raises(DamagedError, match="another root"):
        Store(journal)
    assert fault(journal) is not None


def notes(db) -> list[tuple[int, CheckpointData]]:
    rows = db.execute("SELECT seq, body FROM record WHERE kind = 'checkpoint' ORDER BY seq").fetchall()
    return [(seq, msgspec.json.decode(body, type=CheckpointData)) for seq, body in rows]


def put(db, seq: int, said: CheckpointData) -> None:
    replaced(db, seq, body=msgspec.json.encode(said).decode())


def test_a_note_that_was_changed_is_not_genuine(journal):
    """In the newest checkpoint, whose own record no signature covers yet."""
    db = unguarded(journal)
    (_, before), (seq, said) = notes(db)[-2:]
    closed(db)
    pristine = journal.read_bytes()
    note = parse(said.note)
    head = Checkpoint.parse(note.text)
    stranger = Signer(journal.with_name("stranger.key"))
    stranger.prepare()
    forgeries = {
        "of the checkpoint before": before.note,
        "another root": Note(Checkpoint(ORIGIN, head.size, bytes(32)).format(), note.signatures).format(),
        "another size": Note(Checkpoint(ORIGIN, head.size - 1, head.root).format(), note.signatures).format(),
        "another table": note.format().replace("RL-07", "RL-08"),
        "no note": "forged",
        "by a stranger": with_note(
            msgspec.structs.replace(said, key=stranger.public), ORIGIN, head.root, stranger
        ).note,
        "signed, but another root": with_note(said, ORIGIN, bytes(32), Signer(key_path(journal))).note,
        "signed, for another house": with_note(said, "a/b/toledo/RL-07", head.root, Signer(key_path(journal))).note,
    }
    for name, forged in forgeries.items():
        journal.write_bytes(pristine)
        db = unguarded(journal)
        put(db, seq, msgspec.structs.replace(said, note=forged))
        closed(db)
        found = fault(journal)
        assert found is not None, name
        assert "note" in found, (name, found)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM newest WHERE kind = 'tree'",
        "DELETE FROM newest WHERE subtopic LIKE 'tree/08/%'",
        "DELETE FROM newest WHERE subtopic = (SELECT max(subtopic) FROM newest WHERE subtopic LIKE 'tree/at/%')",
        "UPDATE newest SET body = substr(body, 1, length(body) - 44) WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET body = substr(body, 45) WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET body = substr(body, 45, 44) || substr(body, 1, 44) || substr(body, 89)"
        " WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET body = body || substr(body, 1, 44) WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET body = CAST(body AS BLOB) || x'00' WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET subtopic = 'tree/08/0000000000000001' WHERE subtopic LIKE 'tree/08/%'",
        "INSERT INTO newest SELECT 'tree/16/0000000000000000', 0, '', 0, 0, 0, 'tree', 0, substr(body, 1, 44)"
        " FROM newest WHERE subtopic LIKE 'tree/08/%'",
        "INSERT INTO newest VALUES ('tree/more', 0, '', 0, 0, 0, 'tree', 0, '')",
        "INSERT INTO newest VALUES ('tree/base', 0, '', 0, 0, 0, 'tree', 0, '256')",
        "INSERT INTO newest VALUES ('tree/base', 0, '', 0, 0, 0, 'tree', 0, '999999999999999999')",
        "INSERT INTO newest VALUES ('tree/base', 0, '', 0, 0, 0, 'tree', 0, 'x')",
        "UPDATE newest SET kind = 'round' WHERE subtopic LIKE 'tree/at/%'",
        "UPDATE newest SET seq = 1 WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET retained = 1 WHERE subtopic LIKE 'tree/08/%'",
        "UPDATE newest SET body = '256 x' WHERE subtopic = 'tree/cut'",
        "UPDATE newest SET body = '255 ' WHERE subtopic = 'tree/cut'",
        "UPDATE newest SET body = replace(body, ' -', '') WHERE subtopic LIKE 'tree/at/%'",
        "UPDATE newest SET body = body || body WHERE subtopic LIKE 'tree/at/%' AND body LIKE '% -%'",
    ],
)
def test_a_hash_that_was_taken_or_changed_is_found(journal, statement):
    before = changes(journal, "SELECT subtopic, body FROM newest WHERE kind = 'tree'")
    altered(journal, statement)
    if changes(journal, "SELECT subtopic, body FROM newest WHERE kind = 'tree'") == before:
        pytest.skip("there is none here")
    assert fault(journal) is not None


def changes(path, query):
    store = Store(path, read_only=True)
    try:
        return store._db.execute(query).fetchall()
    finally:
        store.close()


def test_each_single_hash_counts(journal):
    """Of every row, each hash is turned into another."""
    rows = changes(journal, "SELECT subtopic, body FROM newest WHERE kind = 'tree' AND subtopic <> 'tree/base'")
    pristine = journal.read_bytes()
    tried = 0
    for key, body in rows:
        words = body.split(" ") if key == "tree/cut" or "/at/" in key else [body]
        starts = []
        at = 0
        for word in words:
            text = word.split("\n")[0]
            if len(text) % 44 == 0 and "=" in text:
                starts += range(at, at + len(text), 44)
            at += len(word) + 1
        for start in starts[:: max(1, len(starts) // 12)]:
            other = base64.b64encode(bytes(b ^ 1 for b in base64.b64decode(body[start : start + 44]))).decode()
            journal.write_bytes(pristine)
            db = unguarded(journal)
            put_ = (body[:start] + other + body[start + 44 :], key)
            db.execute("UPDATE newest SET body = ? WHERE subtopic = ?", put_)
            closed(db)
            assert fault(journal) is not None, (key, start, body)
            tried += 1
    assert tried > 20


def test_what_is_kept_answers_for_every_published_size(journal, whole):
    from pitwatch.daemon.tlog import merkle

    store = Store(journal, read_only=True)
    root = proofs.root(store, store.last)
    for said in whole[1]:
        head = Checkpoint.parse(parse(said.note).text)
        path = proofs.consistency(store, head.size, store.last)
        merkle.verify_consistency(head.size, head.root, store.last, root, path)
    store.close()

"""Under which number a journal goes on that takes a damaged one's place, and what it takes over: of what memory knows
and of what the file says, the further one, unless no daemon can have got so far."""

from __future__ import annotations

import json

import pytest

from pitwatch.daemon.journal import rescue
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.store import Store
from tests.daemon.burglar import altered


def record(n):
    return Record(
        seq=n, boot="b", t_ns=n, wall_ns=n, synced=True, kind="observation", subtopic="o", retained=False,
        body=json.dumps({"n": n}).encode(),
    )  # fmt: skip


def file_of(path, last, delivered=0):
    store = Store(path)
    store.write([record(n) for n in range(1, last + 1)], delivered)
    store.close()


def rescued(path, known=(), delivered=0, last=0):
    """(what is told, the new journal's sequences, those of them that say that a record is lost)"""
    found = rescue.set_aside(path, "damaged", {n: record(n) for n in known}, delivered, last)
    store = found.store
    assert store.fault() is None
    kept = store.read(store.pruned, 10_000)
    numbers = [each.seq for each in kept]
    lost = [each.seq for each in kept if b"record_lost" in each.body]
    for each in kept:
        if each.seq not in lost:
            assert json.loads(each.body) == {"n": each.seq}
    event = found.event
    assert event["lost"] == len(lost)
    assert event["carried_over"] == len(numbers) - len(lost)
    assert event["delivered_up_to"] == store.pruned == store.delivered
    goes_on_after = store.last
    store.close()
    return event, numbers, lost, goes_on_after


def test_what_memory_knows_beyond_the_file(tmp_path, caplog):
    file_of(tmp_path / "j.db", 5, 2)
    event, numbers, lost, last = rescued(tmp_path / "j.db", known=(6, 7), delivered=2, last=8)
    assert (numbers, lost, last) == ([3, 4, 5, 6, 7, 8], [8], 8)
    assert event["sequence_known"] is True
    assert "5 records carried over, 1 lost" in caplog.text


def test_what_memory_has_not_delivered_yet_counts_though_no_number_is_told(tmp_path):
    file_of(tmp_path / "j.db", 5, 2)
    _, numbers, lost, last = rescued(tmp_path / "j.db", known=(6, 7), delivered=2, last=3)
    assert (numbers, lost, last) == ([3, 4, 5, 6, 7], [], 7)


def test_what_the_file_holds_beyond_memory(tmp_path):
    file_of(tmp_path / "j.db", 30, 3)
    _, numbers, lost, last = rescued(tmp_path / "j.db", delivered=3, last=10)
    assert (numbers, lost, last) == (list(range(4, 31)), [], 30)


@pytest.mark.parametrize(("here", "there"), [(2, 4), (4, 2), (0, 4), (4, 4)])
def test_the_further_of_two_deliveries(tmp_path, here, there):
    file_of(tmp_path / "j.db", 6, there)
    _, numbers, lost, last = rescued(tmp_path / "j.db", delivered=here, last=6)
    assert (numbers, lost, last) == ([5, 6], [], 6)


def test_what_was_delivered_was_there(tmp_path):
    file_of(tmp_path / "j.db", 3, 3)
    event, numbers, _, last = rescued(tmp_path / "j.db", delivered=7, last=5)
    assert (numbers, last, event["delivered_up_to"]) == ([], 7, 7)


@pytest.mark.parametrize(("room", "believed"), [(9, False), (10, True), (11, True)])
def test_a_number_is_believed_as_far_as_records_may_be_lost(tmp_path, monkeypatch, room, believed):
    monkeypatch.setattr(rescue, "MOST_LOST", room)
    monkeypatch.setattr(rescue, "LEAST_BYTES", 1 << 40)
    file_of(tmp_path / "j.db", 6, 2)
    altered(tmp_path / "j.db", """UPDATE record SET seq = 16, body = '{"n": 16}' WHERE seq = 6""")
    _, numbers, lost, last = rescued(tmp_path / "j.db", delivered=6, last=6)
    assert last == (16 if believed else 6)
    assert numbers == list(range(7, last + 1))
    assert lost == [n for n in numbers if n != 16]


@pytest.mark.parametrize(("beyond", "believed"), [(0, True), (1, False)])
def test_a_number_is_believed_as_far_as_the_file_has_room(tmp_path, monkeypatch, beyond, believed):
    path = tmp_path / "j.db"
    file_of(path, 6, 6)
    room = path.stat().st_size // rescue.LEAST_BYTES
    monkeypatch.setattr(rescue, "MOST_LOST", room)
    far = 6 + 2 * room + beyond
    altered(path, f"UPDATE mark SET delivered = {far}")
    _, numbers, _, last = rescued(path, delivered=6, last=6)
    assert (last, numbers) == (far if believed else 6, [])


def test_more_than_can_be_lost_is_left_where_it_is(tmp_path, monkeypatch):
    """A start that told each of them as lost would not end."""
    monkeypatch.setattr(rescue, "MOST_LOST", 4)
    monkeypatch.setattr(rescue, "LEAST_BYTES", 1 << 40)
    file_of(tmp_path / "j.db", 1)
    _, numbers, _, last = rescued(tmp_path / "j.db", delivered=3, last=8)
    assert (numbers, last) == ([], 8)


def test_as_many_as_can_be_lost_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(rescue, "MOST_LOST", 5)
    monkeypatch.setattr(rescue, "LEAST_BYTES", 1 << 40)
    file_of(tmp_path / "j.db", 1)
    _, numbers, lost, last = rescued(tmp_path / "j.db", delivered=3, last=8)
    assert (numbers, lost, last) == ([4, 5, 6, 7, 8], [4, 5, 6, 7, 8], 8)


def test_where_nothing_is_known_the_file_is_believed_up_to_what_was_ever_reached(tmp_path, monkeypatch):
    monkeypatch.setattr(rescue, "LARGEST", 1000)
    for there, last in ((1000, 1000), (1001, 6)):
        path = tmp_path / f"{there}.db"
        file_of(path, 6)
        altered(path, f"UPDATE mark SET delivered = {there}")
        assert rescued(path)[3] == last


@pytest.mark.parametrize("count", range(1, 11))
def test_every_record_is_carried_over_whatever_the_portion(tmp_path, monkeypatch, count):
    monkeypatch.setattr(rescue, "PORTION", 3)
    file_of(tmp_path / "j.db", count)
    _, numbers, lost, last = rescued(tmp_path / "j.db")
    assert (numbers, lost, last) == (list(range(1, count + 1)), [], count)


def test_a_file_that_is_nothing_at_all(tmp_path):
    (tmp_path / "j.db").write_bytes(b"\xff" * 4096)
    event, numbers, _, last = rescued(tmp_path / "j.db")
    assert (numbers, last, event["sequence_known"]) == ([], 0, False)

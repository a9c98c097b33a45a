"""A swapped book, configuration, program or device is a record."""

from __future__ import annotations

import json

import msgspec
import pytest

from daemon import integrity
from daemon.chain import Record
from daemon.integrity import Integrity, program_fingerprint
from daemon.messages import Fingerprints

PRINTS = Fingerprints(book="b1", game="g1", configuration="c1", program="p1")


class Paper:
    def __init__(self):
        self.written = []

    def append(self, kind, subtopic, t_ns, data, retained=False):
        assert (kind, subtopic, retained) == ("integrity", "integrity", True)
        self.written.append(data)
        return len(self.written)

    def newest(self):
        body = msgspec.json.encode(self.written[-1])
        return Record(1, "b", 0, 0, True, "integrity", "integrity", True, body)


@pytest.fixture
def paper():
    paper = Paper()
    Integrity(paper, None).compare(PRINTS, "k1", 0)
    return paper


def test_the_first_start_says_what_there_is_and_the_next_says_nothing(paper):
    assert json.loads(msgspec.json.encode(paper.written[0])) == {
        "changed": [],
        "was": {},
        "now": {"book": "b1", "game": "g1", "configuration": "c1", "program": "p1", "key": "k1"},
    }
    Integrity(paper, paper.newest()).compare(PRINTS, "k1", 0)
    assert len(paper.written) == 1


@pytest.mark.parametrize("what", ["book", "game", "configuration", "program"])
def test_whatever_is_swapped_between_two_starts_is_told(paper, what):
    changed = msgspec.structs.replace(PRINTS, **{what: "new"})
    Integrity(paper, paper.newest()).compare(changed, "k1", 0)
    data = paper.written[-1]
    assert (data.changed, data.was, data.now[what]) == ([what], {what: getattr(PRINTS, what)}, "new")


def test_a_new_key_is_told_but_not_the_first_one():
    paper = Paper()
    Integrity(paper, None).compare(PRINTS, None, 0)
    Integrity(paper, paper.newest()).compare(PRINTS, "k1", 0)
    assert paper.written[-1].changed == []
    Integrity(paper, paper.newest()).compare(PRINTS, "k2", 0)
    assert (paper.written[-1].changed, paper.written[-1].was) == (["key"], {"key": "k1"})


def test_a_device_that_is_another_is_told_and_one_that_came_back_is_not(paper):
    watch = Integrity(paper, paper.newest())
    node = {"node": {"id": "e6", "firmware": "1.0", "clock_error_us": 5, "started": "power"}}
    watch.met("dice", node, 1)
    assert (paper.written[-1].changed, len(paper.written)) == ([], 2)
    watch.met("dice", {"node": {**node["node"], "clock_error_us": 9, "started": "watchdog"}}, 2)
    watch.met("wheel", {}, 3)
    assert len(paper.written) == 2
    watch = Integrity(paper, paper.newest())  # another run
    watch.met("dice", {"node": {**node["node"], "id": "e7"}}, 4)
    assert paper.written[-1].was == {"device dice": "id=e6 firmware=1.0"}


def test_the_program_s_fingerprint_knows_every_byte(tmp_path, monkeypatch):
    for package in integrity.PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(integrity, "__file__", str(tmp_path / "daemon" / "a.py"))
    before = program_fingerprint()
    assert program_fingerprint() == before
    (tmp_path / "rules" / "a.py").write_text("x = 2\n")
    changed = program_fingerprint()
    (tmp_path / "rules" / "a.py").rename(tmp_path / "rules" / "b.py")
    assert len({before, changed, program_fingerprint()}) == 3

"""A swapped book, configuration, program or device is a record."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import DeviceData, Fingerprints
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.service import integrity
from pitwatch.daemon.service.integrity import Integrity, program_fingerprint
from pitwatch.rules.book import load_game

GAME = load_game("toledo-2020/roulette")
PLACE = ("toledo/RL-07", Path("j.db"))
PRINTS = Fingerprints(book="b1", game="g1", configuration="c1", program="p1")


class Paper:
    def __init__(self):
        self.written = []
        self.irregular = []

    def append(self, kind, subtopic, t_ns, data, retained=False):
        if kind == "irregularity":
            assert (subtopic, retained) == ("irregularity/critical", False)
            self.irregular.append(data)
            return 1000 + len(self.irregular)
        assert (kind, subtopic, retained) == ("integrity", "integrity", True)
        self.written.append(data)
        return len(self.written)

    def newest(self):
        body = msgspec.json.encode(self.written[-1])
        return Record(1, "b", 0, 0, True, "integrity", "integrity", True, body)


@pytest.fixture
def paper():
    paper = Paper()
    Integrity(paper, None, GAME, *PLACE).compare(PRINTS, "k1", 0)
    return paper


def test_the_first_start_says_what_there_is_and_the_next_says_nothing(paper):
    assert json.loads(msgspec.json.encode(paper.written[0])) == {
        "changed": [],
        "was": {},
        "now": {"table": PLACE[0], "book": "b1", "game": "g1", "configuration": "c1", "program": "p1", "key": "k1"},
    }
    Integrity(paper, paper.newest(), GAME, *PLACE).compare(PRINTS, "k1", 0)
    assert len(paper.written) == 1


def test_the_journal_of_another_table_is_refused(paper):
    with pytest.raises(UsageError, match=r"^j\.db: is the journal of toledo/RL-07, and this table is toledo/RL-08"):
        Integrity(paper, paper.newest(), GAME, "toledo/RL-08", Path("j.db"))
    del paper.written[0].now["table"]  # as it was written before tables were named there
    Integrity(paper, paper.newest(), GAME, "toledo/RL-08", Path("j.db")).compare(PRINTS, "k1", 0)
    assert (paper.written[-1].changed, paper.written[-1].now["table"]) == ([], "toledo/RL-08")


@pytest.mark.parametrize("what", ["book", "game", "configuration", "program"])
def test_whatever_is_swapped_between_two_starts_is_told(paper, what):
    changed = msgspec.structs.replace(PRINTS, **{what: "new"})
    Integrity(paper, paper.newest(), GAME, *PLACE).compare(changed, "k1", 0)
    data = paper.written[-1]
    assert (data.changed, data.was, data.now[what]) == ([what], {what: getattr(PRINTS, what)}, "new")


def test_a_new_key_is_told_but_not_the_first_one():
    paper = Paper()
    Integrity(paper, None, GAME, *PLACE).compare(PRINTS, None, 0)
    Integrity(paper, paper.newest(), GAME, *PLACE).compare(PRINTS, "k1", 0)
    assert paper.written[-1].changed == []
    Integrity(paper, paper.newest(), GAME, *PLACE).compare(PRINTS, "k2", 0)
    assert (paper.written[-1].changed, paper.written[-1].was) == (["key"], {"key": "k1"})


def test_a_device_that_is_another_is_told_and_one_that_came_back_is_not(paper):
    watch = Integrity(paper, paper.newest(), GAME, *PLACE)
    node = {"node": {"id": "e6", "firmware": "1.0", "clock_error_us": 5, "started": "power"}}
    watch.met("dice", node, 1)
    assert (paper.written[-1].changed, len(paper.written)) == ([], 2)
    watch.met("dice", {"node": {**node["node"], "clock_error_us": 9, "started": "watchdog"}}, 2)
    watch.met("wheel", {}, 3)
    assert len(paper.written) == 2
    watch = Integrity(paper, paper.newest(), GAME, *PLACE)  # another run
    watch.met("dice", {"node": {**node["node"], "id": "e7"}}, 4)
    assert paper.written[-1].was == {"device dice": "id=e6 firmware=1.0"}


def test_the_program_s_fingerprint_knows_every_byte(tmp_path, monkeypatch):
    for package in integrity.PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(integrity, "__file__", str(tmp_path / "daemon" / "service" / "a.py"))
    before = program_fingerprint()
    assert program_fingerprint() == before
    (tmp_path / "rules" / "a.py").write_text("x = 2\n")
    changed = program_fingerprint()
    (tmp_path / "rules" / "a.py").rename(tmp_path / "rules" / "b.py")
    assert len({before, changed, program_fingerprint()}) == 3


def rules_of(paper):
    return [each.rule.rpartition("/")[2] for each in paper.irregular]


@pytest.mark.parametrize(
    ("what", "rule"),
    [("book", "rule-book-changed"), ("game", "rule-book-changed"), ("configuration", None), ("program", None)],
)
def test_another_rule_book_is_an_irregularity(paper, what, rule):
    Integrity(paper, paper.newest(), GAME, *PLACE).compare(msgspec.structs.replace(PRINTS, **{what: "new"}), "k1", 0)
    assert rules_of(paper) == ([rule] if rule else [])
    Integrity(paper, paper.newest(), GAME, *PLACE).compare(msgspec.structs.replace(PRINTS, **{what: "new"}), "k1", 0)
    assert len(paper.irregular) == (1 if rule else 0)  # once a change, not at each start
    if rule:
        told = paper.irregular[0]
        assert (told.category, told.severity, told.disposition, told.round) == (
            "integrity",
            "critical",
            "inspect",
            None,
        )
        assert (told.observed, told.required, told.evidence) == ({what: "new"}, {what: getattr(PRINTS, what)}, (2,))
        # the document's own line about tampering, 000_0d8bbc32b348eb17.txt line 81
        assert (told.citation.document, told.citation.lines) == ("000_0d8bbc32b348eb17.txt", "81")
        assert told.notify == ("Commission gaming agent on duty",)


def test_a_book_that_says_nothing_of_tampering_is_not_cited():
    paper, game = Paper(), load_game("california/casino-war")
    Integrity(paper, None, game, *PLACE).compare(PRINTS, "k1", 0)
    Integrity(paper, paper.newest(), game, *PLACE).compare(msgspec.structs.replace(PRINTS, book="new"), "k1", 0)
    (told,) = paper.irregular
    assert (told.rule, told.citation.document) == ("california/casino-war/rule-book-changed", "pitwatch")
    assert told.notify == ()


def test_another_device_is_an_irregularity(paper):
    watch = Integrity(paper, paper.newest(), GAME, *PLACE)
    watch.met("dice", {"node": {"id": "e6"}}, 1)
    assert paper.irregular == []
    Integrity(paper, paper.newest(), GAME, *PLACE).met("dice", {"node": {"id": "e7"}}, 2)
    assert rules_of(paper) == ["device-identity-changed"]


def state(device, state, since_s):
    return DeviceData(
        device=device, state=state, since=since_s, reason=None, type="wheel", protocol="slingshot2", link="sim:"
    )


SECOND = 1_000_000_000


def test_a_device_that_was_there_and_stays_away_has_vanished(paper):
    watch = Integrity(paper, paper.newest(), GAME, *PLACE)
    watch.look([state("wheel", "online", 0)], 30 * SECOND)
    watch.look([state("wheel", "offline", 60)], 659 * SECOND)
    assert paper.irregular == []  # a cable pulled for cleaning
    watch.look([state("wheel", "offline", 60)], 660 * SECOND)
    watch.look([state("wheel", "offline", 60)], 700 * SECOND)
    assert rules_of(paper) == ["device-vanished"]
    other = Integrity(paper, paper.newest(), GAME, *PLACE)  # another run, still without it
    other.look([state("wheel", "offline", 1)], 900 * SECOND)
    assert len(paper.irregular) == 1
    other.look([state("wheel", "fault", 901)], 930 * SECOND)  # it is there, if not well
    assert paper.written[-1].changed == ["presence of wheel"]
    other.look([state("wheel", "offline", 940)], 1600 * SECOND)
    assert rules_of(paper) == ["device-vanished"] * 2


def test_a_device_that_never_came_has_not_vanished(paper):
    watch = Integrity(paper, paper.newest(), GAME, *PLACE)
    watch.look([state("wheel", "offline", 0)], 7200 * SECOND)
    assert (len(paper.written), paper.irregular) == (1, [])


def test_a_device_that_is_no_longer_configured_has_vanished_once(paper):
    Integrity(paper, paper.newest(), GAME, *PLACE).removed("shoe", 1)
    assert rules_of(paper) == ["device-vanished"]
    assert paper.irregular[0].observed == {"presence of shoe": "no longer configured"}
    Integrity(paper, paper.newest(), GAME, *PLACE).look([state("shoe", "online", 2)], 3 * SECOND)
    assert (paper.written[-1].changed, len(paper.irregular)) == (["presence of shoe"], 1)

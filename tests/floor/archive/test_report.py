"""The report of a period on both databases: each irregularity, who acknowledged it, what is open, and nothing of what a
hostile table would put into the page."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pitwatch.daemon import cli
from pitwatch.devices.wheel_pockets import SINGLE_ZERO
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.archive.questions import Asked
from pitwatch.floor.archive.row import row_of
from pitwatch.floor.archive.store import Store
from pitwatch.floor.message import Message
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.report import plots, writing
from pitwatch.floor.report.gathering import Gathering
from tests.floor.archive.stream import closed, device, event, seen

START = datetime(2027, 1, 15, 8, tzinfo=UTC)  # 03:00 in New York
END = START + timedelta(hours=2)
SAME = "toledo-2020/roulette/same-direction-spin"
SAYS = "The ball is spun in the direction of the wheel"
HOUSE = PaceSection(zone="America/New_York", shifts={"day": "04:00", "grave": "22:00"}, target={"roulette": 30.0})
EVIL = "</title></style></svg><script src=//evil>alert(1)</script><img src=x onerror=alert(1)>'\"&\x1b[2J\u202e"


def broken(sequence: int, t: float, table: str = "toledo/RL-07", **more: Any) -> Message:
    data: dict[str, Any] = {
        "says": SAYS, "rule": SAME, "category": "no-spin", "severity": "alert", "round": 3,
        "observed": {"ball": "cw"}, "required": {"ball": "ccw"}, "disposition": "no-spin",
        "instruction": "Announce No Spin.", "notify": [], "evidence": [1],
        "citation": {"document": "d.txt", "section": "Eight", "lines": "1658", "title": "Plan"},
    }  # fmt: skip
    return event("irregularity", "irregularity/alert", data | more, t, sequence, table)


def asked(sequence: int, of: int, t: float, by: str, note: str, table: str = "toledo/RL-07", **more: Any) -> Message:
    data = {"verb": "acknowledge", "request": "r1", "client": "watch", "by": by, "accepted": True}
    data |= {"arguments": {"sequence": of, "note": note}} | more
    return event("request", "requested", data, t, sequence, table)


def alert(sequence: int, key: str, raised: bool, t: float) -> Message:
    data = {"key": key, "raised": raised, "condition": "jam", "device": "shuffler", "since": t}
    return event("alert", f"alert/{key}", data, t, sequence)


def spun(number: int, t: float, pocket: str, sequence: int) -> Message:
    return closed(number, t, sequence, opened=t - 60, closed=t, result={"pocket": pocket})


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    made = store_at(database)
    await made.open()
    messages = [
        spun(1, 100, "7", 1),
        spun(2, 200, "7", 2),
        spun(3, 300, "0", 3),
        broken(4, 250),
        asked(5, 4, 9000, "Ann", "saw it"),  # after the period, by the next shift
        broken(6, 4000),  # 04:06 in New York: of the day
        asked(7, 6, 4100, "Bob", "", accepted=False),
        alert(8, "shuffler-jam", True, 310),
        alert(9, "shuffler-jam", False, 330),
        alert(10, "wheel-lock-out", True, 340),
        alert(17, "shoe-jam", True, 350),
        alert(18, "shoe-jam", False, 7300),  # over before the report is made
        alert(19, "wheel-offline", True, 7400),  # after the period
        device("wheel", "offline", 400, 11),
        device("wheel", "online", 460, 12),
        seen("meter", "jackpot", 500, 13, seat="seat-3", hand="royal-flush"),
        seen("meter", "meter_unlocked", 600, 14),
        seen("meter", "jackpot", 700, 15, seat=None, hand="flush"),
        closed(1, 100, 1, "toledo/CR-01", game="toledo-2020/craps", result={"faces": [6, 6]}),
        broken(16, 8000),  # after the period
    ]
    rows = [row for message in messages if (row := row_of(message, START)) is not None]
    assert len(await made.put(rows, [])) == len(messages)
    yield made
    await made.close()


async def report(store: Store, shift: str | None = None, table: str | None = None) -> dict[str, Any]:
    return await Gathering(store, Asked(START, END, table), HOUSE, shift, now=END).report()


async def test_each_irregularity_with_its_acknowledgement_and_local_time(store: Store) -> None:
    told = await report(store)
    first, second = told["irregularities"]
    assert (first["says"], first["rule"], first["at"]) == (SAYS, SAME, "2027-01-15 03:04:10-05:00")
    assert first["acknowledged"] == [
        {"at": "2027-01-15 05:30:00-05:00", "by": "Ann", "client": "watch", "note": "saw it"}
    ]
    assert (second["at"], second["acknowledged"]) == ("2027-01-15 04:06:40-05:00", [])
    assert first["written_in"] == "Section Eight, lines 1658: Plan"
    assert [(each["since"][11:19], each["what"]) for each in told["open"]] == [
        ("04:06:40", f"{SAYS} (same-direction-spin): not acknowledged"),
        ("03:05:40", "wheel-lock-out"),
    ]


async def test_downtime_jackpots_pace_and_outcomes(store: Store) -> None:
    told = await report(store, table="toledo/RL-07")
    (down,) = told["downtime"]
    assert (down["device"], down["since"], down["seconds"]) == ("wheel", "2027-01-15 03:06:40-05:00", 60.0)
    assert [(each["hand"], each["meter_locked"]) for each in told["jackpots"]] == [
        ("royal-flush", False), ("flush", True),
    ]  # fmt: skip
    # Rounds of 60 s end at 100, 200 and 300; open from 40 to 300, 260 s: 3 rounds are 41.5 an hour.
    (pace,) = told["pace"]
    assert (pace["rounds"], pace["rounds_an_hour"], pace["target"]) == (3, 41.5, 30.0)
    pockets = told["outcomes"]["toledo/RL-07"]["pockets"]
    assert (tuple(pockets), pockets["7"], pockets["0"], sum(pockets.values())) == (SINGLE_ZERO, 2, 1, 3)
    assert (await report(store))["outcomes"]["toledo/CR-01"]["faces"]["6"] == 2


async def test_a_double_zero_wheel_is_drawn_as_one_before_00_came(store: Store) -> None:
    data = {"monitor": "pocket", "key": "", "epoch": 1, "since": 1, "n": 3, "ln_e": 0.0, "r": 1.0, "c": 2e8,
            "level": "record", "told": None, "counts": [0] * 38}  # fmt: skip
    row = row_of(event("statistic", "statistic/pocket", data, 700, 20), START)
    assert row is not None
    await store.put([row], [])
    told = await report(store)
    assert len(told["outcomes"]["toledo/RL-07"]["pockets"]) == 38


async def test_a_suspicion_is_shown_only_of_a_monitor_to_look_at(store: Store) -> None:
    data = {"epoch": 1, "since": 1, "n": 500, "r": 1.0, "c": 2e8, "level": "record",
            "told": {"kind": "sector", "cells": [3, 4, 5], "lift": 0.3}}  # fmt: skip
    rows = [
        row_of(event("statistic", "statistic/x", data | {"monitor": name, "key": "", "ln_e": e}, 700, n), START)
        for n, name, e in ((20, "pocket", 9.0), (21, "signature", 0.1))
    ]
    await store.put([row for row in rows if row is not None], [])
    told = {each["monitor"]: (each["look"], each["suspicion"]) for each in (await report(store))["fairness"]}
    assert told == {"pocket": (True, "sector 3 to 5, +30%"), "signature": (False, None)}


async def test_a_shift_alone(store: Store) -> None:
    told = await report(store, "day")
    assert [each["sequence"] for each in told["irregularities"]] == [6]
    assert (told["downtime"], told["jackpots"], told["outcomes"]) == ([], [], {})
    assert [(row["rounds"], row["closed_hours"]) for row in told["pace"]] == [(0, 1.0), (0, 1.0)]  # both closed
    assert len((await report(store, "grave"))["irregularities"]) == 1


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


async def test_no_markup_of_a_table_gets_into_the_page(store: Store) -> None:
    evil = "toledo/<script>alert(1)<"
    citation = {"document": EVIL, "section": EVIL, "lines": EVIL, "title": EVIL}
    messages = [
        broken(30, 1000, evil, says=EVIL, rule=EVIL, severity=EVIL, observed={EVIL: EVIL}, required={"x": [EVIL]},
               disposition=EVIL, instruction=EVIL, citation=citation),
        broken(31, 1001, evil, says="=HYPERLINK(\"http://evil\")"),
        broken(32, 1002, evil, observed=EVIL, says=[1]),
        asked(33, 30, 1003, EVIL, EVIL, evil, client=EVIL),
        event("alert", "alert/x", {"key": EVIL, "raised": True, "condition": EVIL, "device": EVIL}, 1004, 34, evil),
        event("device", "device/x", {"device": EVIL, "state": "offline"}, 1005, 35, evil),
        seen("meter", "jackpot", 1006, 36, evil, seat=EVIL, hand={EVIL: EVIL}),
        closed(1, 1007, 37, evil, game=EVIL, opened=1000.0, closed=1007.0, result={"pocket": EVIL, "faces": [EVIL, 6]}),
        event("statistic", "statistic/x", {"monitor": EVIL, "key": "", "epoch": 1, "n": 1, "ln_e": 1.0, "level": EVIL,
              "told": {"kind": EVIL, "cells": [EVIL], "lift": 1.0}}, 1008, 38, evil),
    ]  # fmt: skip
    rows = [row for each in messages if (row := row_of(each, START)) is not None]
    assert len(await store.put(rows, [])) == len(messages)
    told = await report(store)
    page = writing.to_html(told).decode()
    plain = _Page()
    plain.feed(writing.to_html(await report(store, table="toledo/RL-07")).decode())
    read = _Page()
    read.feed(page)
    assert read.tags == plain.tags - {"script", "img"}
    assert not {name for name in read.names if name.startswith("on") or name in ("src", "href")}
    assert all(char.isprintable() or char == "\n" for char in page)
    assert page.count("alert(1)") > 10
    assert "default-src 'none'" in page
    (row,) = [row for row in csv.DictReader(io.StringIO(writing.to_csv(told).decode())) if "HYPERLINK" in row["says"]]
    assert row["says"].startswith("'=")
    assert len(json.loads(writing.to_json(told))["irregularities"]) == 5


def test_plots_are_well_formed_and_say_what_was_counted() -> None:
    drawn = ElementTree.fromstring(plots.wheel({pocket: int(pocket == "7") * 5 for pocket in SINGLE_ZERO}))
    assert [each.text for each in drawn.iter("title") if each.text and not each.text.endswith(": 0")] == ["7: 5"]
    drawn = ElementTree.fromstring(plots.bars([("03:00", 40.0), ("<b>", 20.0)], 'a"b', 30.0))
    assert [float(each.attrib["height"]) for each in drawn.iter("rect")] == [80.0, 40.0]
    assert [each.text for each in drawn.iter("text")] == ["40", "03:00", "20", "<b>"]
    assert plots.bars([], "nothing")
    assert plots.wheel(dict.fromkeys(SINGLE_ZERO, 0))


async def test_the_command_writes_each_form(
    store: Store, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floor = tmp_path / "FLOOR.toml"
    floor.write_text(
        f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[archive]\ndatabase = "{database}"\n[pace]\nshifts = {{ day = "06:00" }}\n'
    )
    period = ["--from", "2027-01-15T08:00:00Z", "--to", "2027-01-15T10:00:00Z"]

    async def told(*more: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(cli.main, ["archive", "report", str(floor), *more])
        out, err = capsys.readouterr()
        return code, out, err

    for name, begins in (("r.html", b"<!DOCTYPE html>"), ("r.csv", b"says,rule,"), ("r.json", b"{")):
        code, out, _ = await told(*period, "--out", str(tmp_path / name))
        assert (code, (tmp_path / name).read_bytes()[: len(begins)]) == (0, begins)
        assert name in out
    code, out, _ = await told(*period)
    assert (code, out[:15]) == (0, "<!DOCTYPE html>")
    assert f"<h3>{SAYS} (same-direction-spin)</h3>" in out
    code, out, _ = await told(*period, "--json", "--shift", "day")
    assert json.loads(out)["shift"] == "day"
    for wrong, says in (
        ([], "report needs --from and --to"),
        ([*period, "--shift", "noon"], '--shift "noon" is no shift; [pace] shifts of FLOOR.toml has day'),
        ([*period, "--out", "r.pdf"], "r.pdf: the name must end in .html, .csv or .json"),
    ):
        code, out, err = await told(*wrong)
        assert (code, out) == (2, "")
        assert says in err

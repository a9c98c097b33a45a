"""The full-screen view at 80 by 24, by keyboard alone: against a live bench on a real broker, and by messages."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pitwatch.floor import asking
from pitwatch.floor.config import default
from pitwatch.floor.video.config import FloorVideo
from pitwatch.floor.watch.choosing import Filter
from pitwatch.floor.watch.concern import Concern
from tests.e2e.mosquitto import Mosquitto
from tests.floor.identity.history import run
from tests.floor.watch.bench import playing
from tests.floor.watch.made import acknowledged, alert, irregularity, observation, round_over, status

pytest.importorskip("textual", reason="the watch extra is not installed")
from textual.events import Key
from textual.widgets import Input

from pitwatch.floor.watch.app import WatchApp
from pitwatch.floor.watch.screens import Acknowledge, Filters
from tests.floor.watch.witness import Witness, row

SIZE = (80, 24)
NOWHERE = "mqtt://127.0.0.1:9"


def shown(app: WatchApp) -> list[str]:
    """The screen's lines of text."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


async def until(condition: Callable[[], object], seconds: float = 15, what: str = "") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what or "waited in vain"
        await asyncio.sleep(0.05)


async def test_the_top_row_is_right_throughout_a_bench_run(broker: Mosquitto) -> None:
    app = WatchApp(default(broker.url), by="Ann")
    witness, acknowledge = Witness(app), app.acknowledger.acknowledge

    def acknowledge_both(concern: Concern, by: str, note: str) -> None:
        event = concern.message.event if concern.message else None
        witness.expected.acknowledge(event.id if event else f"{concern.table} lost")
        acknowledge(concern, by, note)

    app.acknowledger.acknowledge = acknowledge_both  # type: ignore[method-assign]
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.feed.connected)
        with playing(broker.url, "--scenario", "demo", "--speed", "120") as bench:
            while bench.poll() is None:
                await pilot.pause(1.0)
                if witness.expected.open:
                    await pilot.press("a", "enter")  # the top row, since nobody chose another
        assert bench.returncode == 0  # what was planned was reported, with somebody watching
        await until(lambda: {table.state for table in app.floor.tables.values()} == {"stopped"})
        await pilot.pause(0.5)
        assert app.floor.ordered()[-1].acknowledged
        assert witness.wrong == []
        assert len({top.partition("bench/")[2] for top in witness.tops if "ack" not in top}) >= 4  # they came and went
        assert {table.game for table in app.floor.tables.values()} == {
            "roulette", "craps", "mini-midi-baccarat", "three-card-poker",
        }  # fmt: skip
        assert {table.state for table in app.floor.tables.values()} == {"stopped"}
        assert [line for line in shown(app) if len(line) > 80] == []
        assert len(shown(app)) == 24
        assert app.floor.unreadable == app.feed.foreign == 0


async def test_acknowledged_at_the_table_itself(broker: Mosquitto) -> None:
    witness = broker.subscribe()
    app = WatchApp(default(broker.url))
    async with app.run_test(size=SIZE) as pilot:
        with playing(broker.url, "--scenario", "demo", "--speed", "15"):
            await until(lambda: app.concerns.items, 30)
            await pilot.press("a")
            await pilot.press(*"Ann")
            await pilot.press("enter", *"seen", "enter")
            await until(lambda: any(each.acknowledged for each in app.floor.ordered()))
            concern = next(each for each in app.floor.ordered() if each.acknowledged)
            await until(lambda: concern.acknowledged and concern.acknowledged.where == "table")
            await until(lambda: "acked" in row(app.concerns, len(app.concerns.items) - 1))
            assert any(f"{concern.table}  by Ann: " in line for line in shown(app))

    def journalled() -> list[dict[str, Any]]:
        return [each["data"] for each in witness.records() if each.get("type") == "pitwatch.request.v1"]

    await until(journalled)
    (request,) = journalled()
    assert (request["verb"], request["by"], request["accepted"]) == ("acknowledge", "Ann", True)
    assert request["arguments"] == {"sequence": concern.sequence, "note": "seen"}


async def test_keys_that_come_all_together_go_where_they_belong() -> None:
    """As after a line that stalled, or a busy second: none was handled before the next came."""
    app = WatchApp(default(NOWHERE))
    answers: list[Any] = []
    async with app.run_test(size=SIZE) as pilot:
        for window, keys in (
            (Acknowledge([[("what", "")]], ""), [*"Ann", "tab", *"told", "enter"]),
            (Acknowledge([[("what", "")]], ""), [*"Ann", "enter", *"told", "enter"]),
            (Acknowledge([[("what", "")]], ""), [*"Ann", "enter", "enter"]),
            (Acknowledge([[("what", "")]], "Ann"), [*"told", "enter"]),
            (Filters(Filter()), ["tab", *"north", "shift+tab", *"alert", "enter"]),
        ):
            app.push_screen(window, answers.append)
            await until(lambda: isinstance(app.focused, Input) and app.focused.id in ("by", "note", "severity"))
            for key in keys:
                app.post_message(Key(key, key if len(key) == 1 else None))
            await until(lambda: len(app.screen_stack) == 1)
            await pilot.pause()
    named = ("Ann", "told")
    assert answers == [named, named, ("Ann", ""), named, Filter(severity="alert", site="north")]


async def test_what_is_typed_after_a_is_the_note_if_the_name_is_known(app: WatchApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("a")
        await until(lambda: isinstance(app.focused, Input) and app.focused.id == "note")
        await pilot.press(*"seen")
        await until(lambda: any("Enter sends: acknowledged by Ann, the note: seen." in line for line in shown(app)))
        await pilot.press("enter")
        await until(lambda: len(app.screen_stack) == 1)
        (done,) = [each.acknowledged for each in app.floor.ordered() if each.acknowledged]
        assert (done.by, done.note) == ("Ann", "seen")


@pytest.mark.parametrize("by", ["", "  "])
async def test_without_a_name_the_name_comes_first_and_is_not_empty(by: str) -> None:
    app = WatchApp(default(NOWHERE), by=by)
    app._take(irregularity(1))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("a")
        await until(lambda: isinstance(app.focused, Input) and app.focused.id == "by")
        for keys in (["enter"], ["space", "enter"], ["tab", *"seen", "enter"]):
            await pilot.press(*keys)
            await until(lambda: any("A name is needed" in line for line in shown(app)))
            assert isinstance(app.focused, Input)
            assert app.focused.id == "by"
        await pilot.press("ctrl+u", *"Ann", "enter")
        assert isinstance(app.focused, Input)
        assert app.focused.id == "note"
        assert not any(each.acknowledged for each in app.floor.ordered())
        await until(lambda: any("Enter sends: acknowledged by Ann, the note: seen." in line for line in shown(app)))
        await pilot.press("enter")
        await until(lambda: len(app.screen_stack) == 1)
        (done,) = [each.acknowledged for each in app.floor.ordered() if each.acknowledged]
        assert (done.by, done.note) == ("Ann", "seen")


async def test_a_table_that_does_not_answer(broker: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "ANSWERED_WITHIN", 0.3)
    app = WatchApp(default(broker.url), by="Ann")
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.feed.connected)
        payload = irregularity(7).payload.decode()
        topic = "pitwatch/1/toledo/RL-07/irregularity/alert"
        publish = ["mosquitto_pub", "-p", str(broker.port), "-t", topic, "-m", payload]
        await asyncio.to_thread(subprocess.run, publish, check=True)
        await until(lambda: app.concerns.items)
        await pilot.press("a", "enter")  # the name is known
        await until(lambda: "toledo/RL-07 does not answer" in shown(app)[-1])
        assert "ack HERE" in row(app.concerns, 0)
        await pilot.press("enter")
        await until(lambda: "IN THIS VIEW ONLY: toledo/RL-07 does not answer" in " ".join(" ".join(shown(app)).split()))


async def test_nobody_leaves_unawares_before_a_table_has_answered(broker: Mosquitto) -> None:
    app = WatchApp(default(broker.url), by="Ann")
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.feed.connected)
        app._take(irregularity(1))
        await until(lambda: app.concerns.items)
        await pilot.press("a", "enter", "q")
        await until(lambda: "1 acknowledgements are on their way" in shown(app)[-1])
        assert app.is_running
        await pilot.press("q")
        await until(lambda: not app.is_running)


async def test_the_broker_lost_and_found(broker: Mosquitto) -> None:
    app = WatchApp(default(broker.url))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.feed.connected)
        await until(lambda: not any("NO BROKER" in line for line in shown(app)))
        app._take(irregularity(1))
        broker.stop()
        await until(lambda: "NO BROKER since" in shown(app)[1])
        await until(lambda: sum("STALE" in line for line in shown(app)) >= 3)
        await pilot.press("enter")
        await until(lambda: any("Announce No Spin." in line for line in shown(app)), what="\n".join(shown(app)))
        await until(lambda: "NO BROKER since" in shown(app)[1])  # over a page too
        broker.start()
        await until(lambda: not any("STALE" in line for line in shown(app)))


@pytest.fixture
def app() -> WatchApp:
    """A floor of three tables by messages; no broker."""
    app = WatchApp(default(NOWHERE), by="Ann")
    for name in ("toledo/RL-07", "toledo/BJ-01", "tampa/RL-01"):
        app._take(status("ready", table=name))
    app._take(observation(1))
    app._take(irregularity(2, "alert"))
    app._take(irregularity(1, "critical", rule="result-mismatch", table="toledo/BJ-01"))
    app._take(irregularity(1, "notice", rule="late-spin", table="tampa/RL-01"))
    app._take(round_over(3, 7))
    return app


async def test_by_keyboard(app: WatchApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: "XX NO BROKER yet" in shown(app)[1])
        assert [line[:14].strip() for line in shown(app)[3:6]] == ["> !!! CRITICAL", "!!  ALERT", ".   NOTICE"]
        assert "1 critical  1 alert  1 notice" in shown(app)[2]

        await pilot.press("n")
        assert row(app.concerns, 1).startswith("> !!  ALERT")
        await pilot.press("enter")
        await until(lambda: any("written in" in line for line in shown(app)))
        page = " ".join(" ".join(shown(app)).split())
        for told in ("seen ball cw, rotor cw", "required ball ccw", "remedy Announce No Spin.", "notify Floor",
                     "Section Eight, lines 1658: Plan [d.txt]"):  # fmt: skip
            assert told in page
        await pilot.press("pagedown")
        await until(lambda: any("wheel: ball launched  direction cw" in line for line in shown(app)))
        await pilot.press("escape")

        await pilot.press("tab", "down", "enter")
        await until(lambda: "toledo/BJ-01" in shown(app)[2])
        await pilot.press("escape", "tab")

        await pilot.press("question_mark")
        await until(lambda: any("XX LOST" in line for line in shown(app)))
        assert any("After half a minute" in line for line in shown(app))  # all of it fits
        await pilot.press("escape")

        await pilot.press("s")
        await until(lambda: "bell OFF" in shown(app)[0])


async def test_a_wide_screen_shows_the_chosen_line_in_full_beside_the_lists(app: WatchApp) -> None:
    async with app.run_test(size=(140, 40)) as pilot:
        await until(lambda: "XX NO BROKER yet" in shown(app)[1])
        await until(lambda: any("Announce No Spin." in line[82:] for line in shown(app)), what="\n".join(shown(app)))
        beside = " ".join(" ".join(line[82:] for line in shown(app)).split())
        assert "toledo/BJ-01" in beside
        assert "Section Eight, lines 1658" in beside
        assert [line[:14].strip() for line in shown(app)[3:6]] == ["> !!! CRITICAL", "!!  ALERT", ".   NOTICE"]
        assert max(map(len, shown(app))) <= 140
        await pilot.press("down")
        await until(lambda: any("toledo/RL-07" in line[82:] for line in shown(app)))
        await pilot.press("tab", "end")
        await until(lambda: any("toledo/RL-07" in line[82:] for line in shown(app)))
        await pilot.press("tab")
        await pilot.resize_terminal(139, 40)
        await until(lambda: not any("Announce No Spin." in line for line in shown(app)))
        await pilot.resize_terminal(220, 60)
        await until(lambda: any("Announce No Spin." in line[120:] for line in shown(app)))


async def test_search_and_filter_say_what_they_hide(app: WatchApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("slash", *"late", "enter")
        await pilot.pause(0.3)
        assert [each.table for each in app.concerns.items] == ["tampa/RL-01"]
        await until(lambda: "2 HIDDEN by search 'late'" in shown(app)[2])
        await pilot.press("escape")
        assert len(app.concerns.items) == 3
        await pilot.press("f", *"al", "tab", *"toledo", "enter")
        await pilot.pause(0.3)
        assert [each.severity for each in app.concerns.items] == ["critical", "alert"]
        assert [each.name for each in app.tables.items] == ["toledo/BJ-01", "toledo/RL-07"]
        await until(lambda: "1 HIDDEN by filter severity at least alert" in shown(app)[2])
        await pilot.press("f", "ctrl+u", *"worse", "enter")
        await until(lambda: any("no severity 'worse'; notice, warning" in line for line in shown(app)))
        await pilot.press("escape")
        assert len(app.concerns.items) == 2


async def test_the_chosen_one_stays_chosen_while_worse_comes(app: WatchApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("down")
        chosen = app.concerns.selected
        assert chosen.severity == "alert"
        for sequence in range(4, 60):
            app._take(irregularity(sequence, "critical"))
        await pilot.pause(0.4)
        assert app.concerns.selected is chosen
        assert app.concerns.index == 57
        await pilot.press("a")
        await until(lambda: any("The ball is spun in the direction" in line and "ALERT" in line for line in shown(app)))
        await pilot.press("enter")
        assert chosen.acknowledged is not None
        assert chosen.acknowledged.by == "Ann"
        await pilot.press("home")
        assert row(app.concerns, 0).startswith("> !!! CRITICAL")


async def test_until_somebody_chooses_the_worst_is_chosen(app: WatchApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.3)
        assert app.concerns.selected.severity == "critical"
        app._take(acknowledged(2, of=1, table="toledo/BJ-01"))
        await pilot.pause(0.4)
        assert app.concerns.selected.severity == "alert"


async def test_after_a_while_without_a_key_the_top_row_is_chosen_again(
    app: WatchApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("down")
        await pilot.pause(0.6)
        assert app.concerns.index == 1
        monkeypatch.setattr("pitwatch.floor.watch.app.IDLE_AFTER", 0.1)
        await until(lambda: app.concerns.index == 0)
        assert app.concerns.following


async def test_with_the_bell_off_nothing_rings(app: WatchApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        rung: list[int] = []
        app.bell = lambda: rung.append(1)  # type: ignore[method-assign]
        await pilot.press("s")
        app._take(irregularity(4, "critical"))
        await pilot.pause(0.6)
        assert not rung
        await pilot.press("s")
        app._take(irregularity(5, "warning"))
        await pilot.pause(0.6)
        assert not rung
        app._take(irregularity(6, "alert"))
        await until(lambda: rung)


@pytest.mark.parametrize(("state", "sign"), [("LOST", "XX LOST"), ("GAP", "## GAP")])
async def test_lost_and_gap_cannot_be_missed(app: WatchApp, state: str, sign: str) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f", "tab", "tab", *"BJ-01", "enter")  # even if the filter hides that table
        await pilot.pause(0.3)
        quiet = "\n".join(shown(app))
        assert state not in quiet
        rung = []
        app.bell = lambda: rung.append(1)  # type: ignore[method-assign]
        app._take(status("lost") if state == "LOST" else observation(9))
        await until(lambda: f"1 {state}" in shown(app)[0])
        await until(lambda: "2 critical" in shown(app)[2])
        await until(lambda: rung)
        await pilot.press("f", "tab", "tab", "ctrl+u", "enter")
        await until(lambda: row(app.tables, 0).strip("> ").startswith(sign))
        await until(lambda: any(f"{state}: " in line for line in shown(app)[3:6]))


async def test_a_bookmark_by_hand(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    program = tmp_path / "video"
    program.write_text(f'#!/bin/sh\necho "$1" >> {taken}\n')
    program.chmod(0o700)
    video = FloorVideo(command=[str(program), "$camera $table"], cameras={"toledo/RL-07": "cam-7"})
    app = WatchApp(msgspec.structs.replace(default(NOWHERE), video=video))
    app._take(irregularity(1, time="2027-01-15T08:00:00.000000Z"))
    app._take(alert(2))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.3)
        await pilot.press("b")
        await until(lambda: "bookmark taken by the video system" in shown(app)[-1])
        assert taken.read_text() == "cam-7 RL-07\n"
        await pilot.press("b")
        assert "no bookmark: made before" in shown(app)[-1]
        await pilot.press("n", "b")
        await until(lambda: "bookmarks are of irregularities" in shown(app)[-1])


async def test_no_bookmark_without_a_video_system(app: WatchApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("b")
        await until(lambda: "the floor's configuration has no [video]" in shown(app)[-1])


async def test_a_device_out_is_told_with_its_table(app: WatchApp) -> None:
    async with app.run_test(size=SIZE):
        app._take(alert(4))
        await until(lambda: any("!   WARNING" in line and "device fault: wheel" in line for line in shown(app)))


async def test_a_table_that_contradicts_its_past_is_on_top() -> None:
    app = WatchApp(default(NOWHERE))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: "refused" in (app.feed.trouble or ""))  # said once; from there on it stays as set here
        app.floor.connection(None, time.time())
        for message in [status("ready"), *run("b1", 1, 20), *run("b2", 21, 30, "b1", 20)]:
            app._take(message)
        await pilot.pause(0.5)
        assert app.floor.ordered() == []
        for message in run("b3", 11, 12, "b1", 10, 100):
            app._take(message)
        await until(lambda: "ROLLED BACK: record 11 came from run b3" in shown(app)[2])
        assert "!!! CRITICAL" in shown(app)[2]
        await pilot.press("enter")
        await until(lambda: any("heard before" in line for line in shown(app)))
        await pilot.press("escape", "a", "A", "enter", "enter")
        await until(lambda: "ack HERE" in shown(app)[2])

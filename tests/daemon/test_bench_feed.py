"""What the browsers of a bench panel are sent: bounded, the same for all, and a slow one is dropped."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import pytest

from pitwatch.daemon.bench.panel import notes
from pitwatch.daemon.bench.panel.feed import BEHIND, KEPT, MOST_BROWSERS, PORTION, Browser, Feed, FullError
from pitwatch.daemon.bench.panel.notes import PanelNotes


def portions(browser: Browser) -> list[dict[str, Any] | None]:
    found = []
    while not browser.portions.empty():
        portion = browser.portions.get_nowait()
        found.append(None if portion is None else json.loads(portion))
    return found


def numbers(portion: dict[str, Any] | None) -> list[int]:
    assert portion is not None
    return [line["n"] for line in portion["lines"]]


async def test_a_browser_gets_the_newest_lines_and_then_each_once() -> None:
    feed = Feed()
    for _ in range(KEPT + 50):
        feed.put("T", "wire", {})
    feed.hand_out({})
    feed.put("T", "observation", {})  # came, but was not handed out yet
    browser = feed.come({"T": 1})
    feed.put("T", "verdict", {})
    feed.hand_out({"T": 2})
    first, second = portions(browser)
    assert numbers(first) == list(range(51, KEPT + 51))
    assert numbers(second) == [KEPT + 51, KEPT + 52]
    assert second is not None
    assert second["tables"] == {"T": 2}


async def test_a_flood_is_cut_short_and_counted() -> None:
    feed = Feed()
    browser = feed.come({})
    for _ in range(PORTION + 7):
        feed.put("T", "wire", {})
    feed.hand_out({})
    portion = portions(browser)[1]
    assert portion is not None
    assert (len(portion["lines"]), portion["more"]) == (PORTION, 7)


async def test_a_browser_that_does_not_read_is_dropped_and_the_others_stay() -> None:
    feed = Feed()
    slow, quick = feed.come({}), feed.come({})
    for _ in range(BEHIND + 5):
        feed.put("T", "wire", {})
        feed.hand_out({})
        await asyncio.wait_for(quick.portions.get(), 1)
    assert portions(slow) == [None]
    assert None not in portions(quick)
    feed.hand_out({})
    assert slow.portions.empty()


async def test_only_so_many_browsers_watch() -> None:
    feed = Feed()
    browsers = [feed.come({}) for _ in range(MOST_BROWSERS)]
    with pytest.raises(FullError):
        feed.come({})
    feed.leave(browsers[0])
    feed.come({})


def test_a_capture_grows_no_larger_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST", 200)
    kept = PanelNotes("T", io.BytesIO(), Feed())
    for t in range(50):
        kept.edge("panel", "no-spin", t % 2, t * 1_000_000_000)
    assert len(kept.capture()) < 300
    assert kept.full_at is not None
    lines = [json.loads(line) for line in kept.capture().splitlines()]
    assert [line["t"] for line in lines] == [float(t) for t in range(len(lines))]
    assert kept.full_at == len(lines) * 1_000_000_000

"""Markup and steering characters in every value that a table or a person can send, on every page that may show it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from pitwatch.floor.archive.database import store_at
from pitwatch.floor.cases import CaseStore, Change, EventRef, Identity
from pitwatch.floor.cases.identity import ARCHIVE
from pitwatch.floor.message import Message
from tests.floor.cases.made import opening
from tests.floor.watch import made
from tests.floor.web.archived import store_messages
from tests.floor.web.house import House

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}{%raw%}javascript:\u202e"
TABLE = "s<b>x\"'&{{7*7}}/t<img src=x onerror=alert(3)>"

OURS = {
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav", "ul", "li", "div", "form", "input",
    "button", "main", "h1", "h2", "h3", "section", "p", "span", "time", "b", "strong", "ol", "svg", "circle", "path",
    "rect", "line", "text", "dl", "dt", "dd", "blockquote", "table", "thead", "tr", "th", "td", "label", "fieldset",
    "legend", "details", "summary", "datalist", "option", "polyline", "select", "textarea", "code", "br", "i",
    "article",
}  # fmt: skip


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def harmless(text: str) -> None:
    """No tag, attribute or address that is not ours."""
    tags = Tags()
    tags.feed(text)
    for tag, attributes in tags.found:
        assert tag in OURS, (tag, attributes)
        assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)
        for name in ("href", "src", "action"):
            value = attributes.get(name)
            assert value is None or value.startswith(("/", "#", "otpauth:")), (tag, attributes)
            assert value is None or not value.startswith("//")
    assert [attributes.get("src", "")[:8] for tag, attributes in tags.found if tag == "script"] == ["/static/"]
    assert "alert(1)</script>" not in text
    assert "49" not in re.sub(r"[\w:.-]*\d[\w:.-]*49|49[\w:.-]*\d[\w:.-]*", "", text).replace("{{7*7}}", "")
    assert "\u202e" not in text


def hostile(table: str) -> list[Message]:
    """One of each kind that a page shows."""
    said = {EVIL: EVIL, "list": [EVIL, {EVIL: EVIL}]}
    irregular: dict[str, Any] = {
        "rule": f"a/b/{EVIL}", "severity": EVIL, "category": EVIL, "round": 3, "observed": said, "required": said,
        "disposition": EVIL, "instruction": EVIL, "notify": [EVIL], "evidence": [2], "says": EVIL,
        "citation": {"document": EVIL, "section": EVIL, "lines": EVIL, "title": EVIL},
    }  # fmt: skip
    seen = {"t": 1.0, "device": EVIL, "event": EVIL, "data": said}
    card = {"t": 1.0, "device": EVIL, "event": "card_drawn", "data": {"card": EVIL, "to": EVIL}}
    face = {"t": 1.0, "device": EVIL, "event": "dice_settled", "data": {"faces": [EVIL, 7, None]}}
    rotor = {"t": 1.0, "device": EVIL, "event": "rotor", "data": {"rpm": EVIL, "direction": EVIL}}
    over = {
        "round": 3,
        "game": EVIL,
        "void": EVIL,
        "partial": False,
        "cards": {EVIL: [EVIL, 7]},
        "result": said,
        "not_observable": [EVIL],
    }
    statistic = {"monitor": EVIL, "key": "", "epoch": 1, "n": 5, "ln_e": 1.0, "r": 2.0, "c": 9.0, "level": EVIL,
                 "counts": [1] * 6, "told": {"kind": EVIL, "cells": [EVIL], "lift": 1.0}}  # fmt: skip
    envelope = {"time": "2027-01-15T08:00:00Z", "clocksynced": True, "monotonic": "1000000000"}
    one = [
        made.message("status", dict.fromkeys(("state", "version", "game", "journal"), EVIL), table=table, **envelope),
        made.message("health", {"queue": 500, "clock_synced": False, "journal": EVIL}, table=table, **envelope),
        made.message("observation", seen, 2, table=table, subtopic="observation/x", **envelope),
        made.message("observation", card, 3, table=table, subtopic="observation/x", **envelope),
        made.message("observation", rotor, 4, table=table, subtopic="observation/x", **envelope),
        made.message("observation", face, 5, table=table, subtopic="observation/x", **envelope),
        made.message("irregularity", irregular, 6, table=table, subtopic="irregularity/alert", camera=EVIL, preroll=1,
                     postroll=1, **envelope),
        made.message("round", over, 7, table=table, **envelope),
        made.message("statistic", statistic, 8, table=table, subtopic="statistic/faces", **envelope),
        made.message("alert", {"key": EVIL, "raised": True, "condition": EVIL, "device": EVIL, "detail": said}, 9,
                     table=table, subtopic="alert/x", **envelope),
        made.message("integrity", {"changed": [EVIL], "was": {EVIL: EVIL}, "now": {}}, 10, table=table, **envelope),
    ]  # fmt: skip
    for number, kind in enumerate(("wheel", "dice", EVIL)):
        device = {"device": f"{number}{EVIL}", "state": EVIL, "reason": EVIL, "type": kind, "protocol": EVIL}
        one.append(made.message("device", device, 20 + number, table=table, subtopic=f"device/{number}", **envelope))
    one.append(made.acknowledged(30, 6, by=EVIL, table=table))
    return one


async def hostile_case(database: str, table: str) -> None:
    """With every word that a person or a table can put into one."""
    evil = EVIL.replace("\u202e", "")  # which cases refuse themselves
    store = store_at(database)
    await store.open()
    cases, by = CaseStore(store), Identity(evil[:100], "account")
    about = EventRef(what="irregularity", at="2027-01-15T08:00:00Z", id="x", sequence=6, name=evil, text=evil)
    case = (
        await cases.append(opening(table=table, title=evil, severity=evil, event=about, checklist=(evil,)), ARCHIVE)
    ).case
    for change in ({"kind": "note", "text": f"{evil}\n{evil}"}, {"kind": "tick", "item": evil, "text": evil},
                   {"kind": "take"}, {"kind": "close", "disposition": evil, "text": evil}):  # fmt: skip
        await cases.append(Change(case=case, seen=99, **change), by)
    await store.close()


@pytest.mark.parametrize("table", [TABLE, "toledo/RL-07"])
async def test_no_value_becomes_markup_on_any_page(tmp_path: Path, table: str) -> None:
    database = f"sqlite:{tmp_path / 'floor.db'}"
    messages = hostile(table)
    await store_messages(database, messages)
    await hostile_case(database, table)
    house = House(tmp_path, database=database, pits={EVIL: ["toledo/RL-07"]})
    house.account("ann", "surveillance", "administrator", "manager", "live-cards")
    house.parts.audit.note(EVIL, EVIL, EVIL, EVIL, more=EVIL)
    watching = house.parts.watching
    watching.floor.connection(None, made.NOW)
    for message in messages:
        watching._take(message)
    watching._told(EVIL, True)
    watching.floor.connection(EVIL, made.NOW)
    assert watching.floor.unreadable == 0
    browser = house.browser("ann")
    there = quote(table, safe="/")
    shown = 0
    pages = [
        "/", f"/table/{there}", f"/irregularity/{there}/6", "/history?from=2027-01-01T00:00&to=2027-02-01T00:00",
        "/reports?from=2027-01-01T00:00&to=2027-02-01T00:00", "/fairness", f"/fairness/{there}/{quote(EVIL, safe='')}",
        "/devices", "/rules", f"/rules?q={quote(EVIL)}", "/rules/toledo-2020/roulette", "/people", "/audit", "/account",
        f"/sign-in?next={quote(EVIL)}", f"/history?table={quote(EVIL)}&from={quote(EVIL)}", f"/{quote(EVIL, safe='')}",
        f"/join/{quote(EVIL, safe='')}", f"/irregularity/{quote(EVIL, safe='')}/x/7",
        "/cases?all=1", "/cases/1", f"/cases?table={quote(EVIL)}", f"/table/{quote(EVIL, safe='')}/x",
    ]  # fmt: skip
    for path in pages:
        answer = await browser.get(path)
        assert answer.status_code in (200, 404), (path, answer.status_code)
        harmless(answer.text)
        shown += "&lt;script&gt;" in answer.text
    assert shown >= 8
    for path, on in (
        (f"/irregularity/{there}/6/verify", f"/irregularity/{there}/6"),
        (f"/table/{there}/acknowledge", "/account"),
    ):
        answer = await browser.post(path, on=on, key=EVIL, note=EVIL)
        assert answer.status_code in (200, 404, 503)
        harmless(answer.text)


async def test_a_report_file_is_given_out_to_be_kept_not_shown(tmp_path: Path) -> None:
    database = f"sqlite:{tmp_path / 'floor.db'}"
    await store_messages(database, hostile("toledo/RL-07"))
    house = House(tmp_path, database=database)
    house.account("ann", "manager")
    for kind in ("html", "csv", "json"):
        answer = await house.browser("ann").get(f"/reports/{kind}?from=2027-01-01T00:00&to=2027-02-01T00:00")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="pitwatch-report.{kind}"'
    assert (await house.browser("ann").get("/reports/exe")).status_code == 404

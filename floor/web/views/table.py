"""One table: the round as it is played, the rounds before it, its devices, what is open. Live."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import Response

from pitwatch.devices.vocabulary import is_pocket
from pitwatch.floor.watch.payloads import Observation, Round
from pitwatch.floor.watch.table import Table
from pitwatch.floor.watch.wording import result
from pitwatch.floor.web.drawing import cards, dice, wheel
from pitwatch.floor.web.live import Rendered, stream_of
from pitwatch.floor.web.open_rounds import without_cards
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import page, part, refusal, state_of
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.views.floor import lines
from pitwatch.floor.web.visit import Page, Visit, go

NEWEST = 14
MOST_LISTED = 16


def draw(parts: Parts, about: str, rights: frozenset[Right]) -> Rendered:
    floor = parts.watching.floor
    table = floor.tables.get(about)
    if table is None:
        return {"state": state_of(parts)}
    open_round = parts.watching.open_rounds.of(about)
    may = Right.CARDS in rights
    seen = list(open_round.seen) if may else [without_cards(each) for each in open_round.seen]
    live = list(open_round.cards) if may else []
    values: dict[str, Any] = {
        "table": table, "stale": floor.stale_since is not None, "act": Right.ACT in rights,
        "cases": Right.CASES in rights,
    }  # fmt: skip
    last = table.rounds[-1][1] if table.rounds else None
    drawing, caption = _drawn(table, last, seen, live, [*open_round.wheel.values(), *seen], values["cases"])
    return {
        "state": state_of(parts),
        "head": part("parts/table_head.html", **values),
        "open": part("parts/table_open.html", lines=lines(parts, rights, about)[:MOST_LISTED], **values),
        "round": part(
            "parts/table_round.html", drawing=drawing, caption=caption, seen=seen[-NEWEST:][::-1], may=may, **values
        ),
        "rounds": part("parts/table_rounds.html", rounds=_rounds(table), **values),
        "devices": part("parts/table_devices.html", **values),
    }


def _drawn(
    table: Table,
    last: Round | None,
    seen: list[Observation],
    live: list[Observation],
    wheel_seen: list[Observation],
    cases: bool,
) -> tuple[Markup, str]:
    """The drawing of the game as it stands, and whether it is of the round in play or of the last one."""
    events = {each.event for each in seen}
    ended = f"Round {last.round}, which is over" if last is not None else ""
    if any(device.type == "wheel" for device in table.devices.values()):
        known = wheel.Wheel(wheel_seen)
        if "ball_launched" not in events and last is not None and cases and not known.pocket:
            known.pocket, known.where = str(last.result.get("pocket") or ""), "at rest"
            if not is_pocket(known.pocket):
                known.pocket, known.where = "", "not in play"
            return wheel.drawn(known), f"{ended}: {known.said}"
        return wheel.drawn(known), f"In play: {known.said}"
    if "dice_settled" in events:
        faces = next(each.data.get("faces") for each in reversed(seen) if each.event == "dice_settled")
        return dice.drawn(faces if isinstance(faces, list) else []), "Thrown in the round in play"
    if any(device.type == "dice" for device in table.devices.values()):
        if "throw_started" in events:
            return Markup(""), "The dice are in the air"
        faces = last.result.get("faces") if last is not None and cases else None
        return dice.drawn(faces if isinstance(faces, list) else []), ended or "Nothing thrown yet"
    hands = cards.hands_in_play(seen, live)
    if hands:
        return cards.drawn(hands), "In play; cards are shown when the round is over" if not live else "In play"
    if last is not None and last.cards and cases:
        return cards.drawn(cards.hands_of(last.cards)), ended
    return Markup(""), "Nothing is dealt"


def _rounds(table: Table) -> list[dict[str, Any]]:
    return [
        {
            "number": each.round, "sequence": sequence, "told": result(each.result), "void": each.void,
            "partial": each.partial, "irregular": len(each.irregularities),
        }
        for sequence, each in reversed(table.rounds)
    ]  # fmt: skip


def _name(visit: Visit) -> str:
    return f"{visit.path('site')}/{visit.path('table')}"


async def show(visit: Visit) -> Response:
    name = _name(visit)
    if name not in visit.parts.watching.floor.tables:
        return refusal(visit, 404, f"No table {name} has spoken since this server started.")
    live = f"/live/table?of={quote(name, safe='')}"
    return page(visit, "table.html", live=live, name=name, parts=draw(visit.parts, name, visit.rights))


async def ask_again(visit: Visit) -> Response:
    """Have the table send what is missing."""
    table = visit.parts.watching.floor.tables.get(_name(visit))
    if table is None:
        return refusal(visit, 404, "There is no such table.")
    visit.note("ask for records", table.name)
    visit.parts.watching.errands.ask_again(table)
    return go(f"/table/{table.name}")


async def acknowledge(visit: Visit) -> Response:
    """Something that is no record of the table: it is acknowledged in this server alone."""
    form = await visit.form()
    concern = visit.parts.watching.floor.concerns.get(form.text("key", 400))
    if concern is None or concern.table != _name(visit) or concern.kind == "irregularity":
        return refusal(visit, 404, "It is over already, or was acknowledged from its own page.")
    note = form.text("note", 300)
    visit.note("acknowledge", concern.key, note=note)
    visit.parts.watching.acknowledger.acknowledge(concern, visit.who, note)
    return go(f"/table/{concern.table}")


PAGES = (
    Page("GET", "/table/{site}/{table}", Right.LOOK, show),
    Page("GET", "/live/table", Right.LOOK, stream_of(draw)),
    Page("POST", "/table/{site}/{table}/ask", Right.ACT, ask_again),
    Page("POST", "/table/{site}/{table}/acknowledge", Right.ACT, acknowledge),
)

"""Hand-written play and what must come of it, one YAML file a game. For tests only.

A file is written by reading the document alone, so it knows nothing of the program but its contract: devices, events,
records. It imports nothing of `rules` and nothing of `sim_hw`.

    game: toledo-2020/roulette
    document: 000                       # the file of that number; `lines` are its lines
    devices: [wheel, panel]             # a device a type; {felt: card_position} gives an id of its own
    options: {wheel: double-zero}
    cases:
      - name: a ball spun with the wheel
        lines: "1658"
        kind: fault                     # fault, remedy (a fault and then its remedy) or legal
        play: |
          wheel rotor rpm=16 direction=cw
          wheel ball_launched direction=cw
          +10
          wheel ball_settled pocket="17"
        irregularities: [same-direction-spin]           # all of them, in any order
        rounds: [{void: same-direction-spin}]           # all rounds in order; fields not named may hold anything

A line of `play` is one or more observations, a second apart. `#` begins a remark.

    +20, -0.5                           twenty seconds more, half a second less, before the next
    no_more_bets, hand:flush            a key of the panel, alone on its line
    lay seat-1 AS ? JK                  cards that a reader under the felt sees placed, ? unread
    lift seat-1 AS                      and lifted
    lap 2 seat-1 seat-2 dealer          twice round, a card unread to each
    shoe player 8S 9D                   cards drawn from a shoe for a position, - for a place not known
    packet 3 seat-1 seat-2 dealer       packets of three cards dispensed by the shuffler, - for a place not known
    device event field=value …          anything else; a value is JSON or a plain word

A case may have `devices`, `options`, `seats` and `people` of its own. `details` holds fields of single irregularities:
`details: [{rule: wrong-card-count, observed: {cards: 4}}]`. `disputed: why` marks a case whose verdict is not settled:
it must come out otherwise than written, or the mark is taken away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

KINDS = ("fault", "remedy", "legal")
OF_TABLE = ("devices", "options", "seats", "people")
OF_CASE = ("name", "lines", "kind", "play", "irregularities", "rounds", "details", "disputed", *OF_TABLE)
OF_FILE = ("game", "document", "remarks", "cases", *OF_TABLE)


class CaseError(Exception):
    """A case that cannot be read; names the file and the case."""


@dataclass(frozen=True)
class Case:
    """One case. `capture` is its play as lines of a capture, `table` its table as TOML."""

    game: str
    name: str
    lines: str
    kind: str
    capture: tuple[dict[str, Any], ...]
    table: str
    irregularities: tuple[str, ...]
    rounds: tuple[dict[str, Any], ...] | None
    details: tuple[dict[str, Any], ...] = field(default=())
    disputed: str = ""


def read(path: Path) -> list[Case]:
    """The cases of a file. Raises CaseError."""
    file = yaml.safe_load(path.read_text())
    _only(file, OF_FILE, path.name)
    cases = []
    for number, case in enumerate(file.get("cases") or [], 1):
        where = f"{path.name}: case {number} ({case.get('name', 'without a name')})"
        _only(case, OF_CASE, where)
        for key in ("name", "lines", "kind", "play", "irregularities"):
            if key not in case:
                raise CaseError(f"{where}: {key} is missing")
        if case["kind"] not in KINDS:
            raise CaseError(f"{where}: kind is {case['kind']!r}; one of {', '.join(KINDS)}")
        of_table = {key: case.get(key, file.get(key)) for key in OF_TABLE}
        devices = of_table["devices"] or []
        devices = devices if isinstance(devices, dict) else {kind: kind for kind in devices}
        try:
            capture = tuple(_capture(case["play"], devices))
        except ValueError as error:
            raise CaseError(f"{where}: {error}") from None
        cases.append(
            Case(
                game=file["game"],
                name=case["name"],
                lines=str(case["lines"]),
                kind=case["kind"],
                capture=capture,
                table=_toml(file["game"], devices, of_table),
                irregularities=tuple(case["irregularities"]),
                rounds=None if case.get("rounds") is None else tuple(case["rounds"]),
                details=tuple(case.get("details") or ()),
                disputed=case.get("disputed", ""),
            )
        )
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise CaseError(f"{path.name}: two cases are named {name!r}")
    return cases


def _only(table: Any, known: tuple[str, ...], where: str) -> None:
    if not isinstance(table, dict):
        raise CaseError(f"{where}: no mapping")
    for key in table:
        if key not in known:
            raise CaseError(f"{where}: {key!r} is no key; there are {', '.join(known)}")


def _toml(game: str, devices: dict[str, str], of_table: dict[str, Any]) -> str:
    lines = ["[table]", 'site = "audit"', 'id = "A-1"', f"game = {json.dumps(game)}"]
    if of_table["options"]:
        lines.append(
            "options = { " + ", ".join(f"{k} = {json.dumps(v)}" for k, v in of_table["options"].items()) + " }"
        )
    if of_table["seats"]:
        lines.append(f"seats = {json.dumps(of_table['seats'])}")
    for name, kind in devices.items():
        lines += ["[[device]]", f'id = "{name}"', f'type = "{kind}"', 'link = "none"', 'protocol = "ndjson"']
    for credential, role in (of_table["people"] or {}).items():
        lines += [f"[people.{json.dumps(credential)}]", f'role = "{role}"']
    return "\n".join(lines) + "\n"


def _capture(play: str, devices: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Lines of a capture. Raises ValueError that names the line of the play."""
    first = {}  # of a type
    for name, kind in devices.items():
        first.setdefault(kind, name)
    t = 0.0
    for number, line in enumerate(play.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0][0] in "+-" and len(words) == 1:
            t = round(t + float(words[0]), 6)
            continue
        for kind, event, data in _observations(words, devices, number):
            if kind not in devices and kind not in first:
                raise ValueError(f"line {number} of the play needs a {kind}; the table has {', '.join(devices)}")
            t = round(t + 1.0, 6)
            yield {"t": t, "device": kind if kind in devices else first[kind], "event": event, "data": data}


def _observations(words: list[str], devices: dict[str, str], number: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    match words:
        case [key]:
            yield "panel", "key_pressed", {"key": key}
        case ["lay" | "lift" as verb, to, *cards] if cards:
            event = "card_placed" if verb == "lay" else "card_removed"
            for card in cards:
                yield "card_position", event, {"card": None if card == "?" else card, "to": _place(to)}
        case ["lap", times, *places] if places:
            for _ in range(int(times)):
                for to in places:
                    yield "card_position", "card_placed", {"card": None, "to": _place(to)}
        case ["shoe", to, *cards] if cards and "=" not in cards[0] and to != "-" and not to.islower():
            raise ValueError(f"line {number} of the play: {to!r} is no position")
        case ["shoe", to, *cards] if cards and "=" not in cards[0]:
            for card in cards:
                yield "shoe", "card_drawn", {"card": None if card == "?" else card, "to": _place(to)}
        case ["packet", count, *places] if places:
            for to in places:
                yield "shuffler", "packet_dispensed", {"cards": int(count), "to": _place(to)}
        case [device, event, *pairs] if all("=" in pair for pair in pairs):
            yield device, event, {name: _value(text) for name, _, text in (pair.partition("=") for pair in pairs)}
        case _:
            raise ValueError(f"line {number} of the play is none of the forms: {' '.join(words)}")


def _place(word: str) -> str | None:
    return None if word == "-" else word


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text

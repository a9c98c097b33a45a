"""Lines of the view as styled text. Uses the model; independent of the screen. Colour never says what words do not.

The palette is Okabe and Ito's, which people with any common colour blindness can distinguish.
"""

from __future__ import annotations

import time

from pitwatch.daemon.contract.wording import named
from pitwatch.floor.watch.concern import Concern
from pitwatch.floor.watch.payloads import Alert, Irregularity, System, Trouble
from pitwatch.floor.watch.table import SIGNS as STATE_SIGNS
from pitwatch.floor.watch.table import STATES, Table
from pitwatch.floor.watch.wording import SIGNS, age, clean, result

Piece = tuple[str, str]
"""Text and its style in Rich's words."""

VERMILLION, ORANGE, YELLOW, SKY, GREEN, PURPLE = "#D55E00", "#E69F00", "#F0E442", "#56B4E9", "#009E73", "#CC79A7"
PLAIN, FAINT, BOLD, HEADING = "#DDDDDD", "#999999", "bold #FFFFFF", f"bold {SKY}"

SEVERITY = {
    "critical": f"bold #000000 on {VERMILLION}",
    "alert": f"bold {ORANGE}",
    "warning": YELLOW,
    "notice": SKY,
}
STATE = {
    "LOST": f"bold #000000 on {VERMILLION}",
    "SILENT": f"bold #000000 on {PURPLE}",
    "GAP": f"bold #000000 on {ORANGE}",
    "ready": GREEN,
    "aligning": SKY,
    "starting": SKY,
}
WIDEST_NAME = 20


def name_width(names: list[str]) -> int:
    """Columns for the names of tables."""
    return min(max((len(name) for name in names), default=8), WIDEST_NAME)


def fit(text: str, width: int) -> str:
    """Exactly so wide, cut with a mark."""
    text = clean(text)
    return text.ljust(width) if len(text) <= width else text[: width - 1] + "~"


def headline(concern: Concern, table: Table | None, now: float) -> str:
    """What it is about, in a few words."""
    if isinstance(concern.data, Irregularity):
        return f"{named(concern.data.rule, concern.data.says)}  {concern.told}"
    if isinstance(concern.data, Alert):
        return f"{concern.data.condition}: {concern.data.device or 'the table'}  {concern.told}"
    if concern.kind == "integrity":
        return f"integrity: changed {concern.told}"
    if isinstance(concern.data, System):
        return f"UPGRADE ROLLED BACK: {concern.told}"
    if isinstance(concern.data, Trouble):
        return f"{concern.data.kind.replace('_', ' ').upper()}: {concern.told}"
    if concern.kind == "gap":
        return f"GAP: {table.missing if table else 0} records of this table did not come"
    if concern.kind == "silent":
        return f"SILENT for {age(now - concern.at)}: connected, but nothing received"
    return "LOST: disconnected without notice"


def concern_line(concern: Concern, table: Table | None, now: float, width: int) -> list[Piece]:
    """`!!! CRITICAL  12s  toledo/RL-07  Ball and wheel turn alike (same-direction-spin)  ball cw, rotor cw`."""
    done = concern.acknowledged
    word = concern.severity.upper() if done is None else {"sent": "acking", "here": "ack HERE"}.get(done.where, "acked")
    sign = SIGNS.get(concern.severity, "!!!") if done is None else "ok "
    style = SEVERITY.get(concern.severity, SEVERITY["critical"]) if done is None else FAINT
    said = headline(concern, table, now)
    if done is not None:
        said = f"by {done.who}: {said}"
    return [
        (f"{sign} {fit(word, 8)}", style),
        (f" {age(now - concern.at):>4}  ", PLAIN if done is None else FAINT),
        (f"{fit(concern.table, width)}  ", BOLD if done is None else FAINT),
        (clean(said), PLAIN if done is None else FAINT),
    ]


def table_line(table: Table, open_concerns: int, now: float, width: int) -> list[Piece]:
    """`ok ready     toledo/RL-07  roulette          round 12   1 to acknowledge`."""
    state = table.state
    notes = []
    if open_concerns:
        notes.append(f"{open_concerns} open")
    out = sum(device.state != "online" for device in table.devices.values())
    if out:
        notes.append(f"{out} of {len(table.devices)} devices not on line")
    if state in ("LOST", "SILENT"):
        more = " or more" if state == "LOST" and table.status_earlier else ""
        notes.append(f"since {age(now - (table.heard if state == 'SILENT' else table.status_at))}{more}")
    if state != "GAP" and table.missing:
        notes.append(f"GAP of {table.missing}")
    if table.health is not None and table.health.queue > 100:
        notes.append(f"{table.health.queue} records waiting")
    number = f"round {table.rounds[-1][1].round}" if table.rounds else ""
    return [
        (f"{STATE_SIGNS.get(state, '..')} {fit(state, 8)}", STATE.get(state, PLAIN)),
        (f"  {fit(table.name, width)}  ", BOLD),
        (f"{fit(table.game, 18)} {fit(number, 11)}", PLAIN),
        (clean("  ".join(notes)), YELLOW if notes else PLAIN),
    ]


def table_order(table: Table) -> tuple[int, str]:
    """Tables that need eyes first."""
    state = table.state
    return (STATES.index(state) if state in STATES else STATES.index("unknown"), table.name)


def clock(seconds: float) -> str:
    """Local time of day."""
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def round_line(number: int, told: str, void: str | None, partial: bool, broken: int) -> str:
    """One round that is over."""
    notes = [f"void: {void}" if void else "", "partly seen" if partial else "", f"{broken} irregular" if broken else ""]
    shown = "; ".join(note for note in notes if note)
    return clean(f"round {number:<5} {told}{f'  ({shown})' if shown else ''}")


def rounds(table: Table, most: int) -> list[str]:
    """The last rounds, the newest first."""
    return [
        round_line(each.round, result(each.result), each.void, each.partial, len(each.irregularities))
        for _, each in reversed(table.rounds[-most:])
    ]

"""Pages of the view: one line in full, one table in full. Styled text; uses the model, independent of the screen."""

from __future__ import annotations

import textwrap

import msgspec

from pitwatch.floor.watch.concern import Concern, Kept
from pitwatch.floor.watch.looks import FAINT, HEADING, PLAIN, SEVERITY, STATE, Piece, clock, headline, rounds
from pitwatch.floor.watch.payloads import Alert, Integrity, Irregularity, Observation, System, Trouble
from pitwatch.floor.watch.table import SIGNS as STATE_SIGNS
from pitwatch.floor.watch.table import Table
from pitwatch.floor.watch.wording import SIGNS, age, clean, fields

Line = list[Piece]


def hang(lines: list[Line], width: int) -> list[Line]:
    """Lines no wider than the page; the rest of a text continues below its beginning."""
    out: list[Line] = []
    for line in lines:
        (first, _), rest = (line[0], line[1:]) if line else (("", ""), [])
        room = width - len(first)
        if len(rest) != 1 or room < 20 or len(rest[0][0]) <= room:
            out.append(line)
            continue
        told, style = rest[0]
        for number, part in enumerate(textwrap.wrap(told, room)):
            out.append([line[0] if number == 0 else (" " * len(first), ""), (part, style)])
    return out


def heading(text: str) -> Line:
    return [(text, HEADING)]


def field(name: str, text: str, style: str = PLAIN) -> Line:
    return [(f"{name:<13}", FAINT), (clean(text), style)]


def concern_page(concern: Concern, table: Table | None, now: float) -> list[Line]:
    """Everything that is known of it, in the order in which it is needed."""
    style = SEVERITY.get(concern.severity, SEVERITY["critical"])
    lines: list[Line] = [
        [
            (f"{SIGNS.get(concern.severity, '!!!')} {clean(concern.severity.upper())}", style),
            (f"  {concern.table}", "bold"),
        ],
        field("what", headline(concern, table, now), "bold"),
        field("when", _when(concern, now)),
        field("acknowledged", _acknowledged(concern)),
    ]
    if isinstance(concern.data, Irregularity):
        lines += _irregularity(concern, concern.data)
    elif isinstance(concern.data, Alert):
        lines.append(field("detail", fields(concern.data.detail)))
    elif isinstance(concern.data, Integrity):
        for what in concern.data.changed:
            lines.append(field("changed", what))
            lines.append(field("  was", concern.data.was.get(what, "-")))
            lines.append(field("  is now", concern.data.now.get(what, "-")))
    elif isinstance(concern.data, Trouble):
        lines += [field("heard before", fields(concern.data.heard)), field("said now", fields(concern.data.said))]
        lines.append(field("remedy", "The archive has the proof: pitwatch archive troubles and archive verify"))
    elif isinstance(concern.data, System):
        lines.append(field("version", str(concern.data.detail.get("from", "-"))))
        lines.append(field("rolled back", str(concern.data.detail.get("to", "-"))))
        lines.append(field("remedy", "The version before runs again. On the board: pitwatch upgrade status"))
    elif concern.kind == "gap" and table is not None:
        lines += [field("missing", f"{first} to {last}") for first, last in table.sequences.gaps]
        lines.append(field("remedy", "r asks the table for them; a acknowledges that they are missing here"))
    elif concern.kind == "lost":
        lines.append(field("remedy", "The table's last will: power, network or program failed. Look at its board."))
    elif concern.kind == "silent":
        lines.append(field("remedy", "Connected, but no sign of life: the board may hang. Look at it."))
    return lines


def _irregularity(concern: Concern, data: Irregularity) -> list[Line]:
    cited = data.citation
    lines = [
        field("round", str(data.round) if data.round is not None else "outside a round"),
        field("seen", fields(data.observed)),
        field("required", fields(data.required)),
        field("remedy", data.instruction or "none stated", "bold"),
        field("disposition", f"{data.disposition} ({data.category})"),
        field("notify", ", ".join(data.notify) or "nobody named"),
        field("rule", data.rule),
        field("written in", f"Section {cited.section}, lines {cited.lines}: {cited.title} [{cited.document}]"),
        field("video", video(concern)),
        [],
        heading(f"Evidence, {len(data.evidence)} records of the table's journal"),
    ]
    for sequence in data.evidence:
        kept = concern.evidence.get(sequence)
        if kept is None:
            lines.append([(f"{sequence:>9}  ", FAINT), ("not heard by this view; r asks the table for it", FAINT)])
        else:
            lines.append([(f"{sequence:>9}  {clean(kept.time[11:23]):<12}  ", FAINT), (evidence(kept), PLAIN)])
    return lines


def evidence(record: Kept) -> str:
    """A record in one line."""
    try:
        if record.kind == "observation":
            seen = msgspec.json.decode(record.data, type=Observation)
            hidden = "  (cards withheld until the round is over)" if seen.withheld else ""
            return clean(f"{seen.device}: {seen.event.replace('_', ' ')}  {fields(seen.data)}{hidden}")
        return clean(f"{record.kind}: {fields(msgspec.json.decode(record.data, type=dict))}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "not readable"


def video(concern: Concern) -> str:
    """Camera and seconds, as far as they are known."""
    event = concern.message.event if concern.message else None
    if event is None:
        return "-"
    camera = f"camera {event.camera}" if event.camera else "no camera configured"
    second = f"{event.time[:19]}Z" if event.time else "time unknown"
    if event.preroll is None or event.postroll is None:
        return f"{camera}, {second}"
    return f"{camera}, {second}, from {event.preroll} s before to {event.postroll} s after"


def _when(concern: Concern, now: float) -> str:
    event = concern.message.event if concern.message else None
    heard = f"{clock(concern.at)} here, {age(now - concern.at)} ago"
    if event is None or not event.time:
        return f"before {heard}" if concern.earlier else heard
    return f"{event.time}{'' if event.clocksynced else ' (clock not set)'}; {heard}"


def _acknowledged(concern: Concern) -> str:
    done = concern.acknowledged
    if done is None:
        return "no; a acknowledges"
    where = {"sent": "the table has not answered yet", "table": "journalled by the table"}.get(
        done.where, f"IN THIS VIEW ONLY: {done.reason}"
    )
    return f"by {done.who} at {clock(done.at)}; {where}{f'; {done.note}' if done.note else ''}"


def table_page(table: Table, concerns: list[Concern], now: float) -> list[Line]:
    """A table in full."""
    status, health = table.status, table.health
    lines: list[Line] = [
        [
            (f" {STATE_SIGNS.get(table.state, '..')} {clean(table.state)} ", STATE.get(table.state, "bold")),
            (f"  {clean(table.name)}", "bold"),
        ],
        field("game", status.game if status else "not received yet"),
        field("heard", f"{age(now - table.heard)} ago"),
        field("journal", status.journal if status else "-"),
    ]
    if health is not None:
        dropped = f"; dropped: {fields(health.dropped)}" if health.dropped else ""
        synced = "set" if health.clock_synced else "NOT SET"
        lines.append(field("health", f"clock {synced}, {health.queue} records waiting{dropped}"))
    if table.missing:
        lines.append(field("GAP", f"{table.missing} records did not come; r asks the table for them"))
    lines += [field("open", headline(each, table, now)) for each in concerns if each.acknowledged is None][:20]
    lines += [[], heading(current(table))]
    lines += [[("  ", FAINT), (line, PLAIN)] for line in seen(table, now, 12)]
    lines += [[], heading("Rounds that are over")]
    lines += [[("  ", FAINT), (line, PLAIN)] for line in rounds(table, 20)] or [
        [("  none since this view listens", FAINT)]
    ]
    lines += [[], heading("Devices")]
    lines += [device_line(table, name) for name in sorted(table.devices)]
    lines += [[], heading("The board")]
    lines += [[(f"  {clock(at)}  ", FAINT), (note, PLAIN)] for at, note in reversed(table.notes)]
    return lines


def current(table: Table) -> str:
    """What of the round that is being played has been heard."""
    if not table.rounds:
        return f"Current round: {table.seen_count} observations"
    after = table.rounds[-1][1].round
    return f"Current round, after {after}: {table.seen_count} observations"


def seen(table: Table, now: float, most: int) -> list[str]:
    """Observations since the last round, the newest first."""
    return [
        clean(f"{age(now - at):>4}  {each.device}: {each.event.replace('_', ' ')}  {fields(each.data)}")
        for at, each in list(table.seen)[-most:][::-1]
    ]


def device_line(table: Table, name: str) -> Line:
    device = table.devices[name]
    style = PLAIN if device.state == "online" else f"bold {STATE['GAP'].rpartition(' ')[2]}"
    sign = "ok" if device.state == "online" else "XX"
    said = f"{device.type or ''} {device.protocol or ''}{f'  {device.reason}' if device.reason else ''}"
    return [(f"  {sign} {clean(device.state):<8} {clean(name):<16} ", style), (clean(said), PLAIN)]


def detail(table: Table, now: float, lines: int) -> list[Line]:
    """A table in a few lines, for below the lists."""
    out = [each for each in table.devices.values() if each.state != "online"]
    devices = ", ".join(f"{each.device} {each.state}" for each in out) if out else "all on line"
    state = f"{STATE_SIGNS.get(table.state, '..')} {clean(table.state)}"
    page: list[Line] = [
        [
            (state, STATE.get(table.state, "bold")),
            (f"  {clean(table.name)}  ", "bold"),
            (clean(f"{table.game}; {len(table.devices)} devices, {devices}"), PLAIN),
        ],
        [(current(table), HEADING), *[(f" {line}", PLAIN) for line in seen(table, now, 1)]],
    ]
    return page + [[(f"{line}", PLAIN)] for line in rounds(table, max(lines - len(page), 1))]

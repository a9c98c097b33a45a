"""The list of the fleet: a row for each table, and what somebody should look at. Pure: no I/O, no clock."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pitwatch.floor.fleet.clean_text import clean
from pitwatch.floor.fleet.config import Fleet
from pitwatch.floor.fleet.heard import Health, Heard, Status, TableHeard
from pitwatch.floor.identity.approved import Approved

SILENT_S = 100.0
"""Three times the pace of `health`, and a little."""
AHEAD_S = 5.0
SOON_DAYS = 30
HOT_C = 80.0
"""Where a Raspberry Pi begins to slow down."""
LOW_MIB = 500
THROTTLED = ("under-voltage", "frequency capped", "throttled", "temperature limit")
"""Of bits 0 to 3 now, of 16 to 19 since the board started."""
PRINTS = ("book", "game", "configuration", "program")


class Row(NamedTuple):
    """One table; texts are a board's own words and are cleaned where they are printed. `look`: what is wrong."""

    board: str
    table: str
    state: str
    version: str
    book: str
    key: str
    certificate: str
    clock: str
    disk: str
    temperature: str
    last_word: str
    look: tuple[str, ...]


def rows(
    fleet: Fleet, heard: Heard, approved: Approved, now: float, troubles: Mapping[str, int] | None = None
) -> list[Row]:
    """A row for each table of FLOOR.toml in its order, then for each other one that is heard. `now`: seconds since
    1970. `troubles`: how many the archive knows to stand, by table."""
    where = {table: board.name for board in fleet.boards for table in board.tables}
    others = sorted(set(heard.tables) - set(where)) if where else sorted(heard.tables)
    found = []
    for table in (*where, *others):
        said = heard.tables.get(table, TableHeard())
        look = _look(said, approved, table, now)
        if where and table not in where:
            look.insert(0, "no board of FLOOR.toml has this table")
        if standing := (troubles or {}).get(table, 0):
            look.append(f"{standing} troubles in the archive (pitwatch archive troubles)")
        found.append(_row(where.get(table, "-"), table, said, tuple(look), now))
    return found


def _row(board: str, table: str, said: TableHeard, look: tuple[str, ...], now: float) -> Row:
    status, health = said.status or Status(), said.health or Health()
    return Row(
        board=board,
        table=table,
        state=clean(status.state)[:10] or "-",
        version=clean(status.version)[:40] or "-",
        book=clean(status.fingerprints.get("book", ""))[:8] or "-",
        key=clean(status.key or "")[-9:-1] or "-",
        certificate=clean(health.certificate_ends or "")[:10] or "-",
        clock={True: "set", False: "not set", None: "-"}[health.clock_synced],
        disk=_disk(health.disk_free_mib),
        temperature=f"{health.temperature_c:.0f}" if _is_number(health.temperature_c) else "-",
        last_word=_age(_seconds(said.said_at), now),
        look=look,
    )


def _look(said: TableHeard, approved: Approved, table: str, now: float) -> list[str]:
    found = []
    status, health = said.status, said.health
    if status is None:
        return ["never heard"] + (["it publishes what no table would"] if said.unreadable else [])
    at = _seconds(said.said_at)
    if status.state in ("lost", "stopping"):
        found.append("off line" if status.state == "lost" else "stopped")
    elif at is not None and now - at > SILENT_S and now - said.live > SILENT_S:
        found.append(f"silent for {_age(at, now)}")
    if at is not None and at - now > AHEAD_S:
        found.append(f"its clock is ahead by {_age(now, at)}")
    for what in PRINTS:
        right = approved.of(table, what)
        if right and status.fingerprints.get(what) not in right:
            found.append(f"{what} is not approved")
    if (keys := approved.of(table, "key")) and status.key is not None and status.key not in keys:
        found.append("key is not approved")
    if status.journal not in ("ok", ""):
        found.append(f"journal: {clean(status.journal)}")
    if said.unreadable:
        found.append("it publishes what no table would")
    found += [
        f"{clean(name)} is {clean(state)}" for name, state in said.devices.items() if state in ("offline", "fault")
    ]
    found += [f"alert {clean(name)}" for name in said.alerts if not name.endswith(("-offline", "-fault"))]
    return found + (_board(health, now) if health is not None else [])


def _board(health: Health, now: float) -> list[str]:
    """What is wrong with the board itself."""
    found = []
    if health.clock_synced is False:
        found.append("clock not set")
    if health.certificate_ends is not None:
        ends = _seconds(health.certificate_ends)
        if ends is None:
            found.append("the end of its certificate cannot be read")
        elif ends - now < SOON_DAYS * 86_400:
            found.append(
                "certificate has ended" if ends < now else f"certificate ends in {int((ends - now) / 86_400)} d"
            )
    if health.disk_free_mib is not None and health.disk_free_mib < LOW_MIB:
        found.append(f"{_disk(health.disk_free_mib)} left on the disk")
    if _is_number(health.temperature_c) and health.temperature_c is not None and health.temperature_c >= HOT_C:
        found.append(f"{health.temperature_c:.0f} degrees")
    bits = health.throttled or 0
    now_, since = ([text for bit, text in enumerate(THROTTLED) if bits >> (shift + bit) & 1] for shift in (0, 16))
    if now_:
        found.append(", ".join(now_))
    elif since:
        found.append(f"{', '.join(since)} since it started")
    if health.errors:
        found.append(f"{health.errors} faults in the program" if health.errors < 10**9 else "faults in the program")
    return found


def _is_number(value: float | None) -> bool:
    return value is not None and math.isfinite(value) and abs(value) < 1000


def _seconds(text: str) -> float | None:
    """Seconds since 1970; None for what is no time."""
    try:
        when = datetime.fromisoformat(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _age(at: float | None, now: float) -> str:
    if at is None:
        return "-"
    age = max(0.0, now - at)
    for unit, seconds in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if age >= 2 * seconds:
            return f"{age / seconds:.0f} {unit}"
    return f"{age:.0f} s"


def _disk(mib: int | None) -> str:
    if mib is None or not 0 <= mib < 10**9:
        return "-"
    return f"{mib / 1024:.1f} GiB" if mib >= 1024 else f"{mib} MiB"


def as_json(row: Row, said: TableHeard | None) -> dict[str, Any]:
    """All that is known of a table, for scripts."""
    known: dict[str, Any] = {"board": row.board, "table": row.table, "look": list(row.look)}
    if said is not None:
        known |= {"last_word": said.said_at or None, "status": said.status, "health": said.health}
        known |= {"devices": said.devices, "alerts": said.alerts, "unreadable": said.unreadable}
    return known

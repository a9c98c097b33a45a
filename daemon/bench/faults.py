"""Which faults a simulated dealer can play at a table, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pitwatch import sim_hw
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.pages import Page
from pitwatch.daemon.config import Config
from pitwatch.rules.text.did_you_mean import did_you_mean


def sim_devices(table: Config) -> list[sim_hw.SimDeviceSpec]:
    """The devices of the table as the simulation takes them."""
    return [
        sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
        for d in table.devices
    ]


def roles(table: Config) -> dict[str, str]:
    """Credential to role, of the people that the table knows."""
    return {credential: person.role for credential, person in table.people.items()}


def playable(table: Config) -> tuple[str, ...]:
    """The rules that a dealer can break at the table and its devices can judge, sorted. Raises UsageError if nobody
    can play the table."""
    try:
        return sim_hw.provokable(table.game, sim_devices(table), dict(table.table.options), roles(table))
    except (ValueError, sim_hw.CannotSimulateError) as error:
        raise UsageError(f"{table.path}: {error}") from None


def wanted(table: Config, names: Sequence[str]) -> tuple[str, ...]:
    """The rules of these names, each once; BOOK/GAME/RULE is as good as RULE. Raises UsageError for one that cannot be
    provoked at the table."""
    possible = playable(table)
    found = {name.removeprefix(f"{table.game.path}/"): None for name in names}
    for rule in found:
        if rule in possible:
            continue
        if rule not in table.game.rules:
            hint = did_you_mean(rule, possible, "--list shows the faults of this table")
            raise UsageError(f"--fault {rule}: {table.game.path} has no such rule; {hint}")
        judged = sim_hw.judged(table.game, sim_devices(table), dict(table.table.options))
        why = "no simulated dealer breaks it at this table" if rule in judged else "this table cannot judge it"
        raise UsageError(f"--fault {rule}: {why}; --list shows the faults that can be played")
    return tuple(found)


def listed(table: Config) -> dict[str, Any]:
    """The faults that can be played at the table, with the sentence of each rule."""
    rules = table.game.rules
    return {
        "table": table.table.id,
        "file": str(table.path),
        "game": table.game.path,
        "faults": [{"rule": rule, "says": rules[rule].says} for rule in playable(table)],
    }


def listing(tables: Sequence[dict[str, Any]]) -> str:
    """The same for people."""
    page = Page()
    for table in tables:
        count = len(table["faults"])
        page.heading(f"{table['table']}: {table['game']}, {count} fault{'' if count == 1 else 's'} can be played")
        for fault in table["faults"]:
            page.line(f"  {fault['rule']}")
            page.paragraph(fault["says"], 6)
        page.line()
    return str(page).rstrip("\n")

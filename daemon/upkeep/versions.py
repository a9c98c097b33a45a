"""The version of the package on this board: another one by apt, and back to the one before, by the board itself, if a
table is not watched as it was.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pitwatch.daemon.upkeep.answer import Answer, Look
from pitwatch.daemon.upkeep.programs import Done, program
from pitwatch.daemon.upkeep.putting import fleet_folder
from pitwatch.daemon.upkeep.swapping import write
from pitwatch.daemon.upkeep.table import BACK_S, ON, Table, installed_tables

PACKAGE = "pitwatch"
VERSION = re.compile(r"[0-9][A-Za-z0-9.+~:-]{0,99}\Z")
"""As Debian has them (deb-version(7))."""
PREVIOUS = "previous-version"
APT = ("apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Options::=--force-confold")
APT_S = 900.0
ASK_S = 30.0


def version_now() -> str:
    """The installed version; empty for an installation from source."""
    done = program(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", PACKAGE], ASK_S)
    status, _, version = done.out.decode(errors="replace").partition(" ")
    return version if done.code == 0 and status == "ii" and VERSION.match(version) else ""


def previous_version() -> str:
    try:
        text = (fleet_folder() / PREVIOUS).read_text().strip()
    except (OSError, ValueError):
        return ""
    return text if VERSION.match(text) else ""


def upgrade(version: str, patience_s: float) -> Answer:
    """Install a version that is not older. Raises UsageError, OSError."""
    return _change(version, patience_s, back=False)


def rollback(leave: str, patience_s: float) -> Answer:
    """Install the version before the last upgrade, if `leave` is installed now. Raises UsageError, OSError."""
    version, now = previous_version(), version_now()
    if now != leave or not version:
        reason = "no earlier version is known" if now == leave else f"{now or 'no package'} is installed, not {leave}"
        return Answer(result="refused", reason=reason, package=now, previous=version)
    return _change(version, patience_s, back=True)


def _change(version: str, patience_s: float, back: bool) -> Answer:
    was = version_now()
    if not was:
        return Answer(result="refused", reason="Pitwatch is not installed as a package here")
    if was == version:
        return Answer(result="done", reason=f"{version} is installed already", package=was, previous=previous_version())
    before = {table.name: table.look() for table in installed_tables() if table.service() in ON}
    if unseen := [f"{name}: {look.fault}" for name, look in before.items() if look.fault]:
        reason = f"how tables are watched now cannot be seen: {'; '.join(unseen)}"
        return Answer(result="refused", reason=reason, package=was)
    if not back and (done := program([*APT, "update"], APT_S)).code:
        return Answer(result="refused", reason=f"apt-get update: {done.said}", package=was)
    done = _install(version, downgrade=back)
    fault = f"apt-get install: {done.said}" if done.code else _given_up(version) or _watched_again(before, patience_s)
    if not fault:
        _remember("" if back else was)
        return Answer(result="done", package=version_now(), previous=previous_version())
    if version_now() == was:
        return Answer(result="refused", reason=fault, package=was, previous=previous_version())
    done = _install(was, downgrade=True)
    again = f"apt-get install: {done.said}" if done.code else _watched_again(before, max(patience_s, BACK_S))
    reason = f"{fault}; {was} is installed again, but {again}" if again else fault
    result = "broken" if again else "put_back"
    return Answer(result=result, reason=reason, package=version_now(), previous=previous_version())  # type: ignore[arg-type]


def _install(version: str, downgrade: bool) -> Done:
    return program([*APT, *(["--allow-downgrades"] if downgrade else []), "install", f"{PACKAGE}={version}"], APT_S)


def _given_up(version: str) -> str:
    """Why the package itself runs another version: it checks what is installed (`pitwatch upgrade`), and may have
    put the one before back. Empty if it runs this one, or is of a version that does not check."""
    done = program(["pitwatch", "upgrade", "status", "--wait", "--json"], APT_S)
    try:
        said = msgspec.json.decode(done.out, type=_Upgrade)
    except msgspec.DecodeError:
        return ""
    if said.runs in (None, version):
        return ""
    faults = "; ".join(said.last.faults) if said.last is not None else "it was not taken into use"
    return f"{said.runs} still runs: {faults}"


class _Outcome(msgspec.Struct):
    faults: list[str] = []


class _Upgrade(msgspec.Struct):
    runs: str | None = None
    last: _Outcome | None = None


def _watched_again(before: dict[str, Look], patience_s: float) -> str:
    """What the tables lack that ran before, or empty. The package restarts them; one that it did not restart is
    restarted here."""
    faults = []
    for name, was in before.items():
        table = Table(name)
        if table.look().started <= was.started and (done := table.restart()).code:
            faults.append(f"{name}: does not start: {done.said}")
        elif lacks := table.watched_again(was, patience_s):
            faults.append(f"{name}: {lacks}")
    return "; ".join(faults)


def _remember(version: str) -> None:
    path: Path = fleet_folder() / PREVIOUS
    if version:
        write(path, f"{version}\n".encode(), 0o600)
    else:
        path.unlink(missing_ok=True)

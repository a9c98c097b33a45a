"""Puts a table's new configuration and certificates in use: checked first, the old kept and put back by the board
itself if the table is not watched as before.
"""

from __future__ import annotations

import os
import shutil
import ssl
import stat
from pathlib import Path

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config import installed
from pitwatch.daemon.config.sections import read_toml
from pitwatch.daemon.upkeep.answer import Answer, Look
from pitwatch.daemon.upkeep.bundle import Bundle
from pitwatch.daemon.upkeep.programs import program
from pitwatch.daemon.upkeep.swapping import Kept, copy_folder, write
from pitwatch.daemon.upkeep.table import BACK_S, ON, Table

FLEET = ".fleet"
"""The folder of what is kept, below that of the configurations."""
SHARED = ("books", "shared")
VERIFY_S = 30.0


def put(bundle: Bundle, patience_s: float) -> Answer:
    """Raises UsageError for a table that the board cannot name, OSError for a disk that refuses."""
    table = table_of(bundle.table)
    if table.file.exists() and (fault := _place_fault(table.file, bundle.table)):
        return _refused(f"{table.file}: {fault}")
    if bundle.configuration is None and not table.file.exists():
        return _refused(f"{bundle.table} is not installed here; send its configuration too")
    staged = stage(table, bundle)
    if fault := _place_fault(staged / table.file.name, bundle.table) or table.check(staged / table.file.name):
        shutil.rmtree(staged)
        return _refused(fault)
    if fault := _credentials_fault(staged / table.file.name):
        shutil.rmtree(staged)
        return _refused(fault)
    service, is_new = table.service(), not table.file.exists()
    before = Look() if is_new else table.look()
    if before.fault and service in ON:
        shutil.rmtree(staged)
        return _refused(f"how the table is watched now cannot be seen: {before.fault}")
    kept = _kept(table)
    kept.remove()
    kept.folder.parent.mkdir(mode=0o700, exist_ok=True)
    staged.rename(kept.folder)
    kept.swap()
    if fault := table.check(table.file):  # what it names by absolute paths is seen only now
        return _back(kept, table, fault, None, patience_s)
    if is_new:
        done = program(["systemctl", "enable", "--now", table.unit], VERIFY_S * 3)
    elif service in ON:
        done = table.restart()
    else:
        return Answer(result="done", reason=f"{table.unit} is {service}: nothing was started")
    fault = f"{table.unit} does not start: {done.said}" if done.code else table.watched_again(before, patience_s)
    if fault:
        return _back(kept, table, fault, None if is_new else before, patience_s)
    return Answer(result="done")


def revert(name: str, patience_s: float) -> Answer:
    """Put the configuration before the last one in use again. Raises UsageError, OSError."""
    table = table_of(name)
    kept = _kept(table)
    if not kept.exists():
        return _refused(f"no earlier configuration of {name} is kept")
    before, service = table.look(), table.service()
    kept.restore()
    if not table.file.exists():
        program(["systemctl", "disable", "--now", table.unit], VERIFY_S * 3)
        return Answer(result="done", reason=f"{name} was not installed before: it is stopped")
    if service not in ON:
        return Answer(result="done", reason=f"{table.unit} is {service}: nothing was started")
    done = table.restart()
    fault = f"{table.unit} does not start: {done.said}" if done.code else table.watched_again(before, patience_s)
    return Answer(result="broken", reason=f"the old configuration is in use again, but {fault}") if fault else DONE


DONE = Answer(result="done")


def table_of(name: str) -> Table:
    """The installed table SITE/TABLE; the last part is the name of a new one's file. Raises UsageError."""
    try:
        path = installed.find(name)
    except installed.NoSuchTableError:
        path = None
    return Table(path.stem if path is not None else name.rpartition("/")[2])


def is_kept(table: Table) -> bool:
    return _kept(table).exists()


def fleet_folder() -> Path:
    """The folder of what is kept: nobody but root and the daemon's user may enter it. Raises OSError."""
    folder, above = installed.FOLDER / FLEET, installed.FOLDER.stat()
    if not folder.is_dir():
        folder.mkdir(mode=0o700)
        os.chown(folder, above.st_uid, above.st_gid)
        folder.chmod(stat.S_IMODE(above.st_mode) & 0o750)
    return folder


def stage(table: Table, bundle: Bundle) -> Path:
    """The table as it would be, beside the one in use, in a folder in which `check` finds what the service is shown.
    Raises OSError."""
    staged = fleet_folder() / f"new-{table.name}"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(mode=0o750)
    above = installed.FOLDER.stat()
    os.chown(staged, above.st_uid, above.st_gid)
    for name in SHARED:
        os.symlink(installed.FOLDER / name, staged / name)
    owner, mode = above, 0o640
    if table.file.exists():
        owner = table.file.stat()
        mode = stat.S_IMODE(owner.st_mode)
    configuration = table.file.read_bytes() if bundle.configuration is None else bundle.configuration
    write(staged / table.file.name, configuration, mode)
    os.chown(staged / table.file.name, owner.st_uid, owner.st_gid)
    if bundle.files or table.folder.is_dir():
        copy_folder(table.folder, staged / table.name)
        for name, content in bundle.files.items():
            write(staged / table.name / name, content, 0o644 if name.endswith(".crt") else 0o600)
        keeper = (table.folder if table.folder.is_dir() else table.owner).stat()
        for path in (staged / table.name, *(staged / table.name).rglob("*")):
            os.chown(path, keeper.st_uid, keeper.st_gid, follow_symlinks=False)
    return staged


def _kept(table: Table) -> Kept:
    return Kept(fleet_folder() / "kept" / table.name, table)


def _back(kept: Kept, table: Table, fault: str, before: Look | None, patience_s: float) -> Answer:
    """Put the old one back. `before`: how the table was watched; None: nothing of it was started before."""
    kept.restore()
    if not table.file.exists():
        program(["systemctl", "disable", "--now", table.unit], VERIFY_S * 3)
        return Answer(result="put_back", reason=fault)
    if before is None:
        return Answer(result="put_back", reason=fault)
    done = table.restart()
    patience_s = max(patience_s, BACK_S)
    again = f"{table.unit} does not start: {done.said}" if done.code else table.watched_again(before, patience_s)
    if again:
        return Answer(result="broken", reason=f"{fault}; the old configuration is in use again, but {again}")
    return Answer(result="put_back", reason=fault)


def _refused(reason: str) -> Answer:
    return Answer(result="refused", reason=reason)


def _place_fault(file: Path, place: str) -> str:
    """Whether the configuration is that of the table that the floor means."""
    try:
        section = read_toml(file, "a table's")[1].get("table")
    except ConfigError as error:
        return str(error)
    says = f"{section.get('site')}/{section.get('id')}" if isinstance(section, dict) else "no table"
    return "" if says == place else f"the configuration is of {says}, not of {place}"


def _credentials_fault(file: Path) -> str:
    """What is wrong with the certificate and key that a configuration names: they do not belong together, are not of
    the authority, or their time is over."""
    mqtt = read_toml(file, "a table's")[1].get("mqtt", {})
    ca, cert, key = (mqtt.get(name) for name in ("ca", "cert", "key"))
    if not cert or not key:
        return ""
    ca, cert, key = (str(file.parent / name) if name else "" for name in (ca, cert, key))
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(cert, key, password=lambda: b"")
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        return f"{Path(cert).name} and {Path(key).name} cannot be used together: {error}"
    trust = ["-CAfile", ca] if ca else []
    done = program(["openssl", "verify", *trust, "-purpose", "sslclient", cert], VERIFY_S)
    return f"{Path(cert).name} is not accepted: {done.said}" if done.code else ""

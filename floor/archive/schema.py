"""Brings an archive's tables to this program's version by the steps in `steps/versions`, with Alembic.

Alembic and SQLAlchemy are imported only where there is a step to take: a database that is up to date opens without.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitwatch.daemon.common.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

STEPS = Path(__file__).with_name("steps")
VERSION = max(int(step.name.split("_")[1]) for step in (STEPS / "versions").glob("step_*.py"))
"""Of the newest step."""

FOUND = "SELECT max(version) AS version FROM archive_version"
ALEMBICS_FROM = 6
"""Archives of earlier versions have no table of Alembic. Step 6 is taken again there, since some that say 6 were made
before its last index; it changes nothing that is there."""

LOCKS = {"sqlite": "BEGIN IMMEDIATE", "postgresql+psycopg": "SELECT pg_advisory_xact_lock(7481215)"}
"""By which an instance waits until another has taken the steps. Earlier programs take the same ones."""


class NewerError(Exception):
    """The archive is not for this program; one line says so."""


def is_current(found: int | None) -> bool:
    """Whether tables of that version need no step; None: there are no tables yet. Raises NewerError."""
    if found is not None and found > VERSION:
        raise NewerError(f"the archive is of version {found}, this program's is {VERSION}; a newer Pitwatch opens it")
    return found == VERSION


def bring_up_to_date(kind: str, connect: Callable[[], Any]) -> None:
    """Take the steps that are missing, all of them or none. `kind`: of LOCKS; `connect` gives a connection of the
    database's own package, which is closed afterwards. Raises NewerError, UsageError without Alembic, and what that
    package raises."""
    try:
        import sqlalchemy
        from sqlalchemy.exc import DBAPIError
        from sqlalchemy.pool import NullPool
    except ModuleNotFoundError as error:
        raise _without(error) from None
    engine = sqlalchemy.create_engine(f"{kind}://", creator=connect, poolclass=NullPool)
    sqlalchemy.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(LOCKS[kind]))
    try:
        with engine.begin() as connection:
            _take_steps(connection, sqlalchemy.inspect(connection).get_table_names())
    except DBAPIError as error:
        if error.orig is None:
            raise
        raise error.orig from None


def _take_steps(connection: Connection, there: list[str]) -> None:
    try:
        from alembic import command
        from alembic.config import Config
    except ModuleNotFoundError as error:
        raise _without(error) from None
    config = Config()
    config.set_main_option("script_location", str(STEPS).replace("%", "%%"))
    config.attributes["connection"] = connection
    found = connection.exec_driver_sql(FOUND).scalar() if "archive_version" in there else None
    if is_current(found):
        return  # another instance was quicker
    if found is not None and "archive_steps" not in there:
        command.stamp(config, f"{min(found, ALEMBICS_FROM - 1):04}")
    command.upgrade(config, "head")
    connection.exec_driver_sql(f"INSERT INTO archive_version VALUES ({VERSION})")


def _without(error: ModuleNotFoundError) -> Exception:
    if error.name not in ("sqlalchemy", "alembic"):
        return error
    return UsageError(
        "a new archive, and one of an earlier version, needs alembic; in Pitwatch's clone:"
        " .venv/bin/pip install -e '.[archive]'"
    )

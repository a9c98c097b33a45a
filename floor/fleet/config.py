"""`[fleet]` of FLOOR.toml: the boards, how each is reached, and the one host key that is believed. Opens nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.config.sections import Sections, is_table, shown

HOST = re.compile(r"[A-Za-z0-9:]([A-Za-z0-9.:-]{0,252}[A-Za-z0-9])?\Z")
USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}\Z")
HOST_KEY = re.compile(r"(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]{32,1000}={0,2}\Z")


class BoardSection(msgspec.Struct, frozen=True, kw_only=True):
    """`host_key`: the public key of the board's ssh server, as in its `/etc/ssh/ssh_host_ed25519_key.pub`. `tables`:
    SITE/TABLE of each."""

    host: str
    host_key: str
    tables: list[str]
    port: int = 22


class FleetSection(msgspec.Struct, frozen=True, kw_only=True):
    """`key`: the file of the private ssh key that the boards accept. `patience_s`: how long a board waits for a table
    to be watched as before, before it puts the old back."""

    key: str = ""
    user: str = "root"
    patience_s: int = 120
    boards: dict[str, Any] = {}


class Board(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    host: str
    port: int
    host_key: str
    tables: tuple[str, ...]


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """As FleetSection, checked; the boards in the order of the file, which is that of the rings."""

    key: Path = Path()
    user: str = "root"
    patience_s: int = 120
    boards: tuple[Board, ...] = ()


def read_fleet(sections: Sections, data: Any) -> Fleet:
    """Raises ConfigError."""
    section: FleetSection = sections.section(data, FleetSection, "fleet")
    if not section.key:
        raise sections.error("fleet.key", "missing; name the private ssh key that the boards accept")
    if not USER.match(section.user):
        raise sections.error("fleet.user", f"{shown(section.user)} is no name of a user")
    if not 1 <= section.patience_s <= 3600:
        raise sections.error("fleet.patience_s", f"{section.patience_s} is not 1 to 3600")
    boards: list[Board] = []
    where: dict[str, str] = {}
    for name, each in section.boards.items():
        board = _board(sections, name, each)
        for table in board.tables:
            if table in where:
                raise sections.error(f"fleet.boards.{name}.tables", f"{table} is on board {where[table]} already")
            where[table] = name
        boards.append(board)
    key = sections.beside(section.key, "fleet.key")
    return Fleet(key=key, user=section.user, patience_s=section.patience_s, boards=tuple(boards))


def _board(sections: Sections, name: str, data: Any) -> Board:
    where = f"fleet.boards.{name}"
    sections.name(name, where)
    each: BoardSection = sections.section(data, BoardSection, where)
    if not HOST.match(each.host):
        raise sections.error(f"{where}.host", f"{shown(each.host)} is no host name or address")
    if not 1 <= each.port <= 65_535:
        raise sections.error(f"{where}.port", f"{each.port} is no port; 1 to 65535 are right")
    host_key = " ".join(each.host_key.split()[:2])  # a comment may follow
    if not HOST_KEY.match(host_key):
        raise sections.error(
            f"{where}.host_key",
            f"{shown(each.host_key)} is no public key; the line in ssh_host_ed25519_key.pub is right",
        )
    for table in each.tables:
        if not is_table(table):
            raise sections.error(f"{where}.tables", f"{shown(table)} is no table; SITE/TABLE is right")
    return Board(name=name, host=each.host, port=each.port, host_key=host_key, tables=tuple(each.tables))

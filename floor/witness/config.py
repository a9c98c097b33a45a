"""`[witness]` of a FLOOR.toml, and the WITNESS.toml of a witness that serves HTTP. Opens nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pitwatch.daemon.config.sections import Sections, read_toml, shown
from pitwatch.daemon.tlog.note import COSIGNATURE, ED25519, Key, NoteError, check_name
from pitwatch.floor.witness.outside import Outside

LISTEN = "127.0.0.1:8460"
DATABASE = "sqlite:pitwatch-witness.db"


class WitnessSection(msgspec.Struct, frozen=True, kw_only=True):
    """`name` of the witness, empty where there is none; `key` is the path of its key; `outside` are further witnesses,
    which the archive asks over HTTP."""

    name: str = ""
    key: str = "witness.key"
    outside: tuple[Outside, ...] = ()


class OutsideSection(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    key: str
    ca: str = ""


class OwnSection(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    key: str = "witness.key"


class _Serving(OwnSection, frozen=True, kw_only=True):
    listen: str = LISTEN
    database: str = DATABASE


class _Log(msgspec.Struct, frozen=True, kw_only=True):
    key: str | list[str]


class WitnessConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Of a witness that serves HTTP. `logs`: the keys of each by its origin, the newest last."""

    witness: WitnessSection
    host: str
    port: int
    database: str
    logs: dict[str, tuple[Key, ...]]


def read_witness(sections: Sections, data: Any) -> WitnessSection:
    """`[witness]` of a FLOOR.toml, its paths counted from the folder of the file. Raises ConfigError."""
    given = dict(data) if isinstance(data, dict) else data
    others = given.pop("outside", []) if isinstance(given, dict) else []
    own: OwnSection = sections.section(given, OwnSection, "witness")
    _name(sections, own.name)
    if not isinstance(others, list):
        raise sections.error("witness.outside", "is no list; [[witness.outside]] with url and key is right")
    outside = [_outside(sections, each, f"witness.outside[{number}]") for number, each in enumerate(others)]
    names = [own.name, *(each.name for each in outside)]
    for name in names:
        if names.count(name) > 1:
            raise sections.error("witness", f"{shown(name)} is the name of two witnesses; each needs its own")
    key = str(sections.beside(own.key, "witness.key"))
    return WitnessSection(name=own.name, key=key, outside=tuple(outside))


def load_witness(path: str | Path) -> WitnessConfig:
    """A WITNESS.toml. Raises ConfigError."""
    path = Path(path)
    sections = Sections(path)
    _, data = read_toml(path, "a witness's")
    sections.known_keys(data, ("witness", "logs"), "")
    if "witness" not in data:
        raise sections.error("witness", "missing; a witness needs [witness] with name")
    own: _Serving = sections.section(data["witness"], _Serving, "witness")
    _name(sections, own.name)
    host, _, port = own.listen.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65_535:
        raise sections.error("witness.listen", f'{shown(own.listen)} is no address; "127.0.0.1:8460" is right')
    logs = data.get("logs", {})
    if not isinstance(logs, dict) or not logs:
        raise sections.error("logs", 'missing; [logs."ORIGIN"] with key = "VKEY" for each table is right')
    return WitnessConfig(
        witness=WitnessSection(name=own.name, key=str(sections.beside(own.key, "witness.key"))),
        host=host.strip("[]"),
        port=int(port),
        database=own.database,
        logs={origin: _keys(sections, origin, section) for origin, section in logs.items()},
    )


def _keys(sections: Sections, origin: str, data: Any) -> tuple[Key, ...]:
    where = f'logs."{origin}"'
    section: _Log = sections.section(data, _Log, where)
    lines = [section.key] if isinstance(section.key, str) else section.key
    if not lines:
        raise sections.error(f"{where}.key", "is empty; the verifier key of the table's board is right")
    return tuple(_vkey(sections, f"{where}.key", line, ED25519, origin) for line in lines)


def _outside(sections: Sections, data: Any, where: str) -> Outside:
    section: OutsideSection = sections.section(data, OutsideSection, where)
    try:
        parts = urlsplit(section.url)
        right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and not parts.query
    except ValueError:
        right = False
    if not right:
        raise sections.error(f"{where}.url", f'{shown(section.url)} is no address; "https://HOST/PREFIX" is right')
    ca = str(sections.beside(section.ca, f"{where}.ca")) if section.ca else ""
    return Outside(section.url, _vkey(sections, f"{where}.key", section.key, COSIGNATURE), ca)


def _vkey(sections: Sections, where: str, line: str, type: int, name: str = "") -> Key:
    try:
        key = Key.parse(line)
    except NoteError as error:
        raise sections.error(where, f"{shown(line)} is no verifier key: {error}") from None
    if key.type != type:
        kind = "a witness (type 4)" if type == COSIGNATURE else "a log (type 1)"
        raise sections.error(where, f"{shown(line)} is of type {key.type}; the key of {kind} is right")
    if name and key.name != name:
        raise sections.error(where, f"{shown(line)} is the key of {shown(key.name)}, not of {shown(name)}")
    return key


def _name(sections: Sections, name: str) -> None:
    try:
        check_name(name)
    except NoteError as error:
        raise sections.error("witness.name", f'{error}; such as "house.example/archive" is right') from None

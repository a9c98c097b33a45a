"""TOML tables to structs, key by key, so that an error can name its key. Independent of the sections of any file."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import UnsetType

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.common.last_upgrade import ROLLED_BACK, last_upgrade
from pitwatch.rules.text import toml_text

NAME = re.compile(r"[A-Za-z0-9_-]+\Z")
NO_PREFIX = "is no topic prefix; levels of letters, digits, - and _ are right"


def is_prefix(text: str) -> bool:
    """Whether these are topic levels that a prefix may have."""
    return all(NAME.match(level) for level in text.split("/"))


def is_table(name: str) -> bool:
    """Whether this is SITE/TABLE, as topics and certificates have it."""
    site, _, table = name.partition("/")
    return bool(NAME.match(site) and NAME.match(table))


def read_toml(path: Path, whose: str) -> tuple[bytes, dict[str, Any]]:
    """The file as it is, and the table in it. Raises ConfigError: one line; `whose` file it should be."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(path, "", f"no such file; give the path of {whose} TOML file") from None
    except IsADirectoryError:
        raise ConfigError(path, "", f"is a folder; give the path of {whose} TOML file") from None
    except OSError as error:
        raise ConfigError(path, "", f"cannot be read: {error.strerror}") from None
    try:
        return raw, toml_text.parse(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(path, "", f"is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(path, "", f"is not TOML: {error}") from None


class Sections:
    """Reads the sections of the file at `path`; every method raises ConfigError at the first key that is not right."""

    def __init__(self, path: Path):
        self.path = path
        self.included: list[bytes] = []
        """Contents of files that the file has parts of itself in."""
        upgrade = last_upgrade()
        self._rolled_back = upgrade.after if upgrade is not None and upgrade.result == ROLLED_BACK else None
        self.passed_over: list[str] = []
        """Keys that only the version may know that was rolled back, one line each."""

    def error(self, key: str, what: str) -> ConfigError:
        return ConfigError(self.path, key, what)

    def beside(self, path: str, key: str) -> Path:
        """A path as the file means it: relative ones are counted from the folder of the configuration."""
        try:
            return self.path.parent / Path(path).expanduser()
        except RuntimeError:
            raise self.error(key, f"{shown(path)} names the home of somebody unknown here; a path is right") from None

    def known_keys(self, data: Any, known: Sequence[str], where: str) -> None:
        if not isinstance(data, dict):
            raise self.error(where, f"{shown(data)} is {kind_of(data)}; a table ({', '.join(known)}) is right")
        for key in data:
            if key not in known:
                self.unknown(f"{where}.{key}".lstrip("."), f"unknown key; {nearest(key, known)}")

    def unknown(self, key: str, what: str) -> None:
        """A key that this version does not know. It is no reason not to watch if a newer version was rolled back, for
        which it may have been written; else raises ConfigError."""
        if self._rolled_back is None:
            raise self.error(key, what)
        self.passed_over.append(
            f"{key}: passed over; this version does not know it, version {self._rolled_back} was rolled back and may"
        )

    def section(self, data: Any, shape: type[msgspec.Struct], where: str) -> Any:
        """One struct from one TOML table. Raises ConfigError at the first key that is not right."""
        fields = _fields(shape)
        self.known_keys(data, tuple(field.encode_name for field in fields), where)
        values = {}
        for field in fields:
            key = f"{where}.{field.encode_name}"
            if field.encode_name in data:
                values[field.name] = self.value(data[field.encode_name], field.type, key)
            elif field.required:
                raise self.error(key, f"missing; [{where}] needs it")
        return shape(**values)

    def value(self, value: Any, kind: Any, key: str) -> Any:
        if get_origin(kind) is Literal and value not in get_args(kind):
            raise self.error(key, f"{shown(value)} is none of {', '.join(map(str, get_args(kind)))}")
        if kind is str and value == "":
            raise self.error(key, "is empty; leave the key out or give a value")
        if isinstance(value, str) and "\0" in value:
            raise self.error(key, f"{shown(value)} holds a zero character; leave it out")
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise self.error(key, f"{shown(value)} is {kind_of(value)}; {_wanted(kind)} is right") from None

    def name(self, value: str, key: str) -> None:
        if not NAME.match(value):
            raise self.error(key, f"{shown(value)} has other characters than letters, digits, - and _")


_fields = cache(msgspec.structs.fields)
"""Of a struct; it compiles every annotation anew whenever it is asked."""


def nearest(wrong: str, known: Sequence[str]) -> str:
    """What was probably meant: the nearest known word, or all of them."""
    near = difflib.get_close_matches(wrong, known, 1)
    return f'did you mean "{near[0]}"?' if near else f"known: {', '.join(known)}"


def shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list", dict: "a table"}


def kind_of(value: Any) -> str:
    return _KINDS.get(type(value), "a date or time")


def _wanted(kind: Any) -> str:
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    wanted = [_KINDS[get_origin(each) or each] for each in kinds if each is not UnsetType]
    return " or ".join([", ".join(wanted[:-1]), wanted[-1]]) if len(wanted) > 1 else wanted[0]

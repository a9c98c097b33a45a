"""A table's file as `pitwatch new` writes it: TOML with a comment at each part, whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.common.errors import ConfigError, UsageError
from pitwatch.daemon.common.whole_file import write_beside
from pitwatch.daemon.config import config
from pitwatch.devices import registry


class Draft(msgspec.Struct, kw_only=True):
    """What has been answered so far. `notes`: a comment for each device, by its id; `mqtt`: the lines of that section,
    without its heading."""

    site: str
    id: str
    game: str
    title: str = ""
    options: dict[str, Any] = {}
    mqtt: str = ""
    rounds_an_hour: float | None = None
    devices: list[dict[str, Any]] = []
    notes: dict[str, str] = {}


def text_of(draft: Draft) -> str:
    """The file's content."""
    lines = [
        f"# {draft.site}/{draft.id}: {draft.title}. Written by `pitwatch new`; docs/hardware.md has every key.",
        "",
        "[table]",
        f"site = {value(draft.site)}",
        f"id = {value(draft.id)}",
        f"game = {value(draft.game)}",
    ]
    if draft.options:
        lines += [
            "# What the house chose; `pitwatch rules show` tells what else it may.",
            f"options = {value(draft.options)}",
        ]
    lines.append("")
    if draft.mqtt:
        lines += ["# Where the table publishes.", "[mqtt]", draft.mqtt.strip(), ""]
    else:
        lines += ["# A running table needs a broker:", "# [mqtt]", '# url = "mqtts://broker.example"', ""]
    if draft.rounds_an_hour is not None:
        lines += ["# Slower play is a notice (docs/fairness.md, Pace).", "[statistics]"]
        lines += [f"rounds_an_hour = {draft.rounds_an_hour:g}", ""]
    for device in draft.devices:
        lines += [*(f"# {each}" for each in draft.notes.get(device["id"], "").splitlines()), "[[device]]"]
        lines += [f"{key} = {value(each)}" for key, each in device.items() if key != "lines"]
        lines += _settings(device)
        if "lines" in device:
            lines.append("[device.lines]")
            lines += [f"{_key(name)} = {value(line)}" for name, line in device["lines"].items()]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _settings(device: Mapping[str, Any]) -> list[str]:
    """What else a device of this class may be told, as comments with the usual value."""
    cls = registry.find(device["type"], device["protocol"])
    known = [(key, *rest) for key, rest in cls.SETTINGS.items() if key not in device and key not in cls.OF_TABLE]
    return [f"# {key} = {'…' if default is None else value(default)}  # {says}" for key, default, says in known]


def value(given: Any) -> str:
    """A value in TOML, tables inline."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int | float):
        return repr(given)
    if isinstance(given, Mapping):
        inside = ", ".join(f"{_key(str(key))} = {value(each)}" for key, each in given.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(given, Sequence) and not isinstance(given, str):
        return f"[{', '.join(map(value, given))}]"
    return json.dumps(str(given), ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else value(name)


def write_new(path: Path, text: str) -> None:
    """The file at once, if it is a good one and none is there. Raises UsageError; then there is no file."""
    refuse_existing(path)
    try:
        part = write_beside(path, text.encode(), 0o644)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        try:
            config.load(part)
        except ConfigError as error:
            raise UsageError(
                str(error).replace(str(part), f"{path} was not written: as answered, {path.name}")
            ) from None
        os.link(part, path)  # unlike a rename it never replaces a file
    except FileExistsError:
        refuse_existing(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path}: exists already and is not written over; name another file, or edit this one")

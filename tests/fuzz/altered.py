"""Tables of TOML files as somebody may have written them: values, keys and kinds stand where they do not belong.

Each three bytes of an input are one change: where, what, and with which word or value.
"""

from __future__ import annotations

import copy
import datetime
import json
import math
from collections.abc import Iterator
from typing import Any

from pitwatch.devices import registry

WORDS = (
    "", "\n", "a\nb\x1b[1m", "\0", "\u2028", "é" * 300, "x" * 2000, "~nobody/x", "../..", "/", "//", ".", "none",
    "sim:", "gpio:", "gpio:RPi.GPIO", "wiegand:", "hid:/dev/input/a", "tcp:[::1]:1", "tcp:a:99999999999",
    "serial:/dev/a?baud=1", "serial:/dev/a?baud=9600&baud=9600", "rfc2217:a:1?parity=X",
    "osdp:serial:/dev/a?address=127", "osdp:serial:/a?key_file=/b", "node:serial:/dev/a#", "node:serial:/dev/a#e6",
    "mqtt://a", "mqtts://[::1", "mqtts://a:0", "mqtt://a b", "seat-1", "9", "toledo-2020/roulette", "toledo-2019/craps",
    "toledo-poker-guide/x", "california/", "apart", "H10302", "1-2, 3", "9-1", "person", "wheel.ball_settled | dice.x",
    "option.wheel:double-zero", "option.:", "option.a", "any.device_fault",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    *WORDS, -1, 0, 1, 2, 255, 2**31, 2**63, 10**40, 1.5, -0.0, math.inf, -math.inf, math.nan, True, False, [], [[]],
    [{}], {}, {"a": 1}, {"": ""}, [1, "a", 2.5], ["seat-1", "seat-1"], datetime.date(1979, 5, 27), datetime.time(1, 2),
)  # fmt: skip


def keys() -> list[str]:
    """Every key and name that a table's file may have, and some that none has."""
    known = {
        "table",
        "mqtt",
        "journal",
        "device",
        "people",
        "video",
        "id",
        "type",
        "link",
        "protocol",
        "lines",
        "12:34",
    }
    known |= {"a\nb", "", "seats", "options", "live_cards", "keep_days", "path", "camera", "preroll_s", "requests"}
    for kind in registry.TYPES:
        for protocol in registry.protocols(kind):
            cls = registry.find(kind, protocol)
            known |= {*cls.SETTINGS, *cls.LINES, kind, protocol}
    return sorted(known)


def altered(tables: list[dict[str, Any]], words: list[str], data: bytes) -> dict[str, Any]:
    """The first byte chooses a table, the rest changes it."""
    table = copy.deepcopy(tables[data[0] % len(tables)]) if data else {}
    for where, what, which in zip(data[1::3], data[2::3], data[3::3], strict=False):
        places = list(_places(table))
        if not places:
            break
        holder, key = places[(where << 3 | what >> 5) % len(places)]
        value = copy.deepcopy(VALUES[which % len(VALUES)])
        here = holder[key]
        match what % 8:
            case 0 | 1:
                holder[key] = value
            case 2:
                del holder[key]
            case 3 if isinstance(holder, dict):
                holder[words[which % len(words)]] = holder.pop(key)
            case 4 if isinstance(here, dict):
                here[words[which % len(words)]] = value
            case 5:
                other, there = places[which % len(places)]
                holder[key] = copy.deepcopy(other[there])
            case 6 if isinstance(here, str):
                holder[key] = here[: which % (len(here) + 1)] + chr(which) + here[which % (len(here) + 1) :]
            case _:
                holder[key] = words[which % len(words)]
    return table


def _places(table: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in list(table.items() if isinstance(table, dict) else enumerate(table)):
        yield table, key
        if isinstance(value, dict | list):
            yield from _places(value)


def toml(table: dict[str, Any]) -> str:
    """The table as TOML text, a line for each of its keys."""
    return "".join(f"{_string(key)} = {_inline(value)}\n" for key, value in table.items())


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_string(key)} = {_inline(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

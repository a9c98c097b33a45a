"""The JSON Schemas of TABLE.toml and FLOOR.toml accept every example there is, and refuse what the programs refuse."""

from __future__ import annotations

import copy
import json
import re
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config import config, editor_schema
from pitwatch.floor import config as floor_config
from pitwatch.floor import editor_schema as floor_schema

ROOT = Path(__file__).parents[2]
TABLE, FLOOR = editor_schema.document(), floor_schema.document()
SHARED = ("mqtt", "video", "witness")
"""Sections that both files may have."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path) -> list[dict[str, Any]]:
    """The TOML of a page that stands alone, each block, fenced or indented."""
    text = page.read_text()
    parts = re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S)
    parts += [textwrap.dedent(part) for part in re.findall(r"(?:^ {4}.*\n(?:\n(?= {4}))*)+", text, re.M)]
    found = []
    for part in parts:
        try:
            data = tomllib.loads(part)
        except tomllib.TOMLDecodeError:  # no TOML, or with … for what is left out
            continue
        if any(isinstance(each, (dict, list)) for each in data.values()) and "…" not in part:
            found.append(data)
    return found


def complaints(schema: dict[str, Any], data: dict[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in Draft7Validator(schema).iter_errors(data)]


@pytest.mark.parametrize(("name", "schema"), [("table", TABLE), ("floor", FLOOR)])
def test_the_files_are_those_that_the_structs_make(name: str, schema: dict[str, Any]) -> None:
    Draft7Validator.check_schema(schema)
    assert json.loads((ROOT / "docs" / "schemas" / f"{name}.toml.json").read_text()) == schema, "run `make asyncapi`"


@pytest.mark.parametrize("path", sorted((ROOT / "sim_hw" / "tables").glob("*.toml")), ids=lambda path: path.stem)
def test_every_simulated_table_is_right(path: Path) -> None:
    assert complaints(TABLE, tomllib.loads(path.read_text())) == []


def test_the_tables_and_floors_of_the_pages_are_right() -> None:
    whole = [block for page in PAGES if page.name != "rule-books.md" for block in blocks(page)]
    tables = [block for block in whole if set(block) <= set(TABLE["properties"]) and set(block) - set(SHARED)]
    assert len(tables) >= 5
    for block in tables:
        block.setdefault("table", {"site": "a", "id": "b", "game": "c/d"})
        assert complaints(TABLE, block) == [], block
    packaged = tomllib.loads((ROOT / "systemd" / "deb" / "floor" / "FLOOR.toml").read_text())
    floors = [block for block in whole if set(block) <= set(FLOOR["properties"]) and set(block) - set(SHARED)]
    assert len(floors) > 2
    either = [block for block in whole if set(block) <= set(SHARED)]
    assert len(either) > 2
    for block in either:
        block.setdefault("mqtt", {}).setdefault("url", "mqtt://127.0.0.1")
        with_table = {"table": {"site": "a", "id": "b", "game": "c/d"}, **block}
        assert not complaints(TABLE, with_table) or not complaints(FLOOR, block), block
    for block in [packaged, *floors]:
        block.setdefault("mqtt", {"url": "mqtt://127.0.0.1"})
        assert complaints(FLOOR, block) == [], block


GOOD = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
seats = [1, "seat-2"]
live_cards = "apart"
[mqtt]
url = ["mqtts://a", "mqtts://b"]
cert = "a.crt"
key = "a.key"
requests = ["replay"]
[journal]
keep_days = 30
[people]
"12:34567" = { role = "supervisor", name = "Ann" }
[statistics]
false_alerts_a_year = 2
[[device]]
id = "wheel"
type = "wheel"
link = "serial:/dev/ttyUSB0"
protocol = "slingshot2"
[[device]]
id = "panel"
type = "panel"
link = "gpio:"
lines = { no-more-bets = { chip = "pinctrl-bcm2711", line = 17, bias = "pull-up" } }
"""
WRONG = {
    "an unknown section": (["mqt"], {}),
    "an unknown key": (["table", "sight"], "toledo"),
    "no name": (["table", "id"], "RL 07"),
    "empty text": (["table", "game"], ""),
    "another type": (["journal", "keep_days"], "30"),
    "too many days": (["journal", "keep_days"], 0),
    "no seat": (["table", "seats"], ["seat-12"]),
    "no choice": (["table", "live_cards"], "always"),
    "no verb": (["mqtt", "requests"], ["rewind"]),
    "no version": (["mqtt", "version"], "4"),
    "no role": (["people", "12:34567", "role"], "king"),
    "no credential": (["people", "1 2"], {"role": "dealer"}),
    "out of range": (["statistics", "tables"], 0),
    "no device type": (["device", 0, "type"], "whel"),
    "no key of this device": (["device", 0, "decks"], 8),
    "a device without a link": (["device", 0, "link"], None),
    "no bias": (["device", 1, "lines", "no-more-bets", "bias"], "up"),
    "a line without its number": (["device", 1, "lines", "no-more-bets", "line"], None),
    "a line's unknown key": (["device", 1, "lines", "no-more-bets", "pin"], 3),
}


def write(folder: Path, data: dict[str, Any]) -> Path:
    """The table as TOML: inline, which needs no library; JSON's values are TOML's but for the colon."""

    def shown(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {shown(each)}" for key, each in value.items()) + "}"
        return f"[{', '.join(map(shown, value))}]" if isinstance(value, list) else json.dumps(value)

    path = folder / "file.toml"
    path.write_text("".join(f"{json.dumps(key)} = {shown(value)}\n" for key, value in data.items()))
    assert tomllib.loads(path.read_text()) == data
    return path


def changed(data: dict[str, Any], keys: list[Any], value: Any) -> dict[str, Any]:
    """With one value set, or left out if it is None."""
    made = at = copy.deepcopy(data)
    for key in keys[:-1]:
        at = at[key]
    if value is None:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return made


def test_a_good_table_is_right_for_both(tmp_path: Path) -> None:
    data = tomllib.loads(GOOD)
    assert complaints(TABLE, data) == []
    config.load(write(tmp_path, data))


@pytest.mark.parametrize("mistake", WRONG)
def test_what_the_daemon_refuses_the_editor_marks(tmp_path: Path, mistake: str) -> None:
    data = changed(tomllib.loads(GOOD), *WRONG[mistake])
    with pytest.raises(ConfigError):
        config.load(write(tmp_path, data))
    assert len(complaints(TABLE, data)) >= 1


def test_a_protocol_of_another_package_is_no_mistake() -> None:
    data = changed(tomllib.loads(GOOD), ["device", 0, "protocol"], "houses-own")
    assert complaints(TABLE, changed(data, ["device", 0, "spokes"], 12)) == []


FLOOR_GOOD = {
    "mqtt": {"url": "mqtt://127.0.0.1"},
    "archive": {"database": "sqlite:floor.db", "group": "a", "keep": {"round": "1y", "alert": "forever"}},
    "approved": {"book": "a" * 64},
    "tables": {"toledo/RL-07": {"program": ["b" * 64]}},
}


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (["mqtt"], None),
        (["mqtt", "monotonicns"], True),
        (["archives"], {}),
        (["archive", "databse"], "x"),
        (["archive", "database"], 3),
        (["archive", "keep"], {"hold": "30d"}),
        (["archive", "keep"], {"round": "30"}),
        (["approved", "book"], "abc"),
        (["tables", "RL-07"], {}),
        (["timestamp"], {"url": "http://tsa.example/"}),
        (["witness"], {"key": "a"}),
        (["onvif"], {"clients": "a"}),
        (["boards"], {}),
    ],
)
def test_what_a_floor_s_program_refuses_the_editor_marks(tmp_path: Path, keys: list[Any], value: Any) -> None:
    assert complaints(FLOOR, FLOOR_GOOD) == []
    floor_config.load(write(tmp_path, FLOOR_GOOD))
    data = changed(FLOOR_GOOD, keys, value)
    with pytest.raises(ConfigError):
        floor_config.load(write(tmp_path, data))
    assert len(complaints(FLOOR, data)) >= 1

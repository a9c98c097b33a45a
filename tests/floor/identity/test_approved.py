"""What the house approves, as FLOOR.toml says it, and what is refused there in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.floor.config import load
from tests.floor.identity.history import ONE, TABLE, TWO

MQTT = '[mqtt]\nurl = "mqtt://127.0.0.1"\n'


def read(folder: Path, text: str):  # type: ignore[no-untyped-def]
    path = folder / "floor.toml"
    path.write_text(MQTT + text)
    return load(path).approved


def test_a_table_s_own_take_the_place_of_those_for_all(tmp_path: Path) -> None:
    text = f'[approved]\nbook = "{"a" * 64}"\nprogram = ["{"b" * 64}", "{"c" * 64}"]\n'
    text += f'[tables."{TABLE}"]\nbook = ["{"d" * 64}"]\nkey = ["{ONE.public}", "{TWO.public}"]\n'
    approved = read(tmp_path, text)
    assert approved.of(TABLE, "book") == ("d" * 64,)
    assert approved.of(TABLE, "program") == ("b" * 64, "c" * 64)
    assert approved.of(TABLE, "key") == (ONE.public, TWO.public)
    assert approved.of("toledo/BJ-01", "book") == ("a" * 64,)
    assert approved.of("toledo/BJ-01", "key") == ()
    assert read(tmp_path, "").of(TABLE, "book") == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[approved]\nkey = "x"', "approved.key: unknown key"),
        ('[approved]\nbook = "1234"', "approved.book: "),
        ('[tables."toledo/RL-07"]\nkey = "MCow"', 'tables."toledo/RL-07".key: '),
        ('[tables."toledo/RL-07"]\nkeys = "MCow"', 'tables."toledo/RL-07".keys: unknown key'),
        ("[tables.toledo]\nbook = 5", "is no table"),
        ("tables = 5", "unknown key"),
        ('[tables."a/b"]\nprogram = 5', 'tables."a/b".program'),
    ],
)
def test_what_is_not_right_is_named_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, text)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)

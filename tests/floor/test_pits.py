"""`[pits]` of FLOOR.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.floor.config import load
from pitwatch.floor.pits import pit_of


def test_the_first_pit_that_has_a_table() -> None:
    pits = {"high": ["toledo/BJ-1*"], "main": ["toledo/*"]}
    assert [pit_of(f"toledo/{name}", pits) for name in ("BJ-11", "BJ-01", "RL-07")] == ["high", "main", "main"]
    assert pit_of("columbus/RL-07", pits) is None
    assert pit_of("columbus/RL-07", {}) is None


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("pits = 1", "pits: is no section"),
        ('pits = { main = "toledo/RL-07" }', 'pits."main": is no list of tables'),
        ("pits = { main = [] }", 'pits."main": is no list of tables'),
        ('pits = { main = ["RL-07"] }', '"RL-07" is no table'),
        ('pits = { main = ["toledo/"] }', '"toledo/" is no table'),
        ("pits = { main = [7] }", "7 is no table"),
    ],
)
def test_a_mistake_is_one_line_with_its_key(tmp_path: Path, written: str, why: str) -> None:
    file = tmp_path / "FLOOR.toml"
    file.write_text(f'{written}\n[mqtt]\nurl = "mqtt://127.0.0.1:1"\n')
    with pytest.raises(ConfigError) as error:
        load(file)
    assert why in str(error.value)
    assert "\n" not in str(error.value)

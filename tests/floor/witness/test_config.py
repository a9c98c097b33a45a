"""`[witness]` of FLOOR.toml and WITNESS.toml: what is read, what is refused in one line, and what is printed."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest

from pitwatch.daemon.cli import main
from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.tlog.checkpoint import Checkpoint, signed
from pitwatch.daemon.tlog.merkle import EMPTY
from pitwatch.daemon.tlog.note import Key
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.config import load
from pitwatch.floor.witness.config import WitnessSection, load_witness
from pitwatch.floor.witness.heads import NOTHING, Heads
from pitwatch.floor.witness.heads import Log as HeadsLog
from tests.daemon.tlog.test_cosignature import key
from tests.floor.witness import boards
from tests.floor.witness.independent import Log

MQTT = '[mqtt]\nurl = "mqtt://127.0.0.1"\n'
OUTSIDE = key("regulator.example/w1", 32)
ORIGIN = "house.example/pitwatch/toledo/RL-07"


def floor(folder: Path, text: str) -> WitnessSection:
    path = folder / "floor.toml"
    path.write_text(MQTT + text)
    return load(path).witness


def test_a_floor_s_witness_and_others(tmp_path: Path) -> None:
    assert floor(tmp_path, "") == WitnessSection()
    text = '[witness]\nname = "house.example/archive"\nkey = "keys/w.key"\n[[witness.outside]]\n'
    text += f'url = "https://regulator.example/p"\nkey = "{OUTSIDE.format()}"\nca = "ca.crt"\n'
    found = floor(tmp_path, text)
    assert (found.name, found.key) == ("house.example/archive", str(tmp_path / "keys/w.key"))
    assert [(each.url, each.key, each.ca) for each in found.outside] == [
        ("https://regulator.example/p", OUTSIDE, str(tmp_path / "ca.crt"))
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[witness]\n", "witness.name: missing"),
        ('[witness]\nname = "a b"\n', "witness.name: "),
        ('[witness]\nname = "a+b"\n', "witness.name: "),
        ('[witness]\nname = "a"\nurl = "x"\n', "witness.url: unknown key"),
        ('[witness]\nname = "a"\noutside = 5\n', "witness.outside: is no list"),
        ('[witness]\nname = "a"\n[[witness.outside]]\nurl = "http://h"\n', "witness.outside[0].key: missing"),
        ('[witness]\nname = "a"\n[[witness.outside]]\nurl = "ftp://h"\nkey = "x"\n', "witness.outside[0].url: "),
        ('[witness]\nname = "a"\n[[witness.outside]]\nurl = "http://h"\nkey = "x"\n', "witness.outside[0].key: "),
        (
            f'[witness]\nname = "a"\n[[witness.outside]]\nurl = "http://h"\nkey = "{key("x", 0, 1).format()}"\n',
            "is of type 1",
        ),
        (
            f'[witness]\nname = "{OUTSIDE.name}"\n[[witness.outside]]\nurl = "http://h"\nkey = "{OUTSIDE.format()}"\n',
            "is the name of two witnesses",
        ),
    ],
)
def test_what_is_wrong_in_a_floor_s_section(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        floor(tmp_path, text)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "witness: missing"),
        ('[witness]\nname = "w"\n', "logs: missing"),
        ('[witness]\nname = "w"\nlisten = "8460"\n[logs.x]\nkey = "k"\n', "witness.listen: "),
        ('[witness]\nname = "w"\nlisten = "h:99999"\n[logs.x]\nkey = "k"\n', "witness.listen: "),
        ('[witness]\nname = "w"\n[logs.x]\nkey = []\n', 'logs."x".key: is empty'),
        ('[witness]\nname = "w"\n[logs.x]\nkey = "k"\n', 'logs."x".key: '),
        (f'[witness]\nname = "w"\n[logs.x]\nkey = "{Log("y").vkey}"\n', 'is the key of "y", not of "x"'),
        (f'[witness]\nname = "w"\n[logs.x]\nkey = "{key("x", 0).format()}"\n', "is of type 4"),
    ],
)
def test_what_is_wrong_in_a_witness_s_file(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "witness.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_witness(path)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_key_is_made_once_and_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "floor.toml"
    path.write_text(f'{MQTT}[witness]\nname = "house.example/archive"\n')
    assert main(["witness", "key", str(path)]) == 0
    printed = capsys.readouterr().out
    assert Key.parse(printed.strip()).name == "house.example/archive"
    assert stat.S_IMODE((tmp_path / "witness.key").stat().st_mode) == 0o600
    assert main(["witness", "key", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"name": "house.example/archive", "key": printed.strip()}
    path.write_text(MQTT)
    assert main(["witness", "key", str(path)]) == 2
    assert "is no witness" in capsys.readouterr().err


def test_the_logs_are_printed_for_another_witness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "floor.toml"
    database = f"sqlite:{tmp_path / 'floor.db'}"
    path.write_text(f'{MQTT}[witness]\nname = "w"\n[archive]\ndatabase = "{database}"\n')
    board = boards.Key(5)

    async def cosigned() -> None:
        store = store_at(database)
        await store.open()
        head = Checkpoint(ORIGIN, 7, EMPTY)
        note = signed(head, board.public, board.sign).format()
        await Heads(store).move(
            HeadsLog(ORIGIN, board.public, "toledo/RL-07"), NOTHING, head, note, "2027-01-15T08:00:00Z"
        )
        await store.close()

    asyncio.run(cosigned())
    assert main(["witness", "logs", str(path)]) == 0
    printed = Key.parse(capsys.readouterr().out.strip())
    assert (printed.name, printed.public, printed.type) == (ORIGIN, board.raw, 1)
    witness = tmp_path / "witness.toml"
    witness.write_text(f'[witness]\nname = "r"\n[logs."{ORIGIN}"]\nkey = "{printed.format()}"\n')
    assert load_witness(witness).logs == {ORIGIN: (printed,)}

"""Boards that `provision` announces: their keys are approved if the house's authority has signed the list."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.common.errors import ConfigError
from pitwatch.floor.config import load
from tests.floor.witness.boards import Key

pytest.importorskip("cryptography")
TABLE, OTHER = "toledo/RL-07", "toledo/BJ-01"
ONE, TWO, THREE = (Key(seed).public for seed in (1, 2, 3))


def provision(house: Path, *boards: str) -> int:
    arguments = [word for board in boards for word in ("--board", board)]
    tables = ["--table", TABLE, "--table", OTHER]
    return cli.main(["provision", str(house), "--broker", "broker.example", *tables, *arguments])


def approved(folder: Path, house: Path, more: str = "") -> dict[str, tuple[str, ...]]:
    path = folder / "floor.toml"
    mqtt = f'[mqtt]\nurl = "mqtts://broker.example"\nca = "{house}/ca/ca.crt"\n'
    path.write_text(f'{mqtt}[boards]\nlist = "{house}/boards.txt"\n{more}')
    found = load(path).approved
    return {table: found.of(table, "key") for table in (TABLE, OTHER)}


def test_boards_are_approved_in_the_order_in_which_they_were_announced(tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert provision(house, f"{TABLE}={ONE}") == 0
    assert approved(tmp_path, house) == {TABLE: (ONE,), OTHER: ()}
    before = (house / "boards.txt").read_bytes()
    assert provision(house, f"{TABLE}={ONE}") == 0
    assert (house / "boards.txt").read_bytes() == before
    assert provision(house, f"{TABLE}={TWO}", f"{OTHER}={THREE}") == 0
    assert approved(tmp_path, house) == {TABLE: (ONE, TWO), OTHER: (THREE,)}
    more = f'[approved]\nprogram = "{"a" * 64}"\n[tables."{TABLE}"]\nkey = "{THREE}"\nbook = "{"b" * 64}"\n'
    assert approved(tmp_path, house, more)[TABLE] == (THREE, ONE, TWO)
    found = load(tmp_path / "floor.toml").approved
    assert (found.of(TABLE, "book"), found.of(OTHER, "program")) == (("b" * 64,), ("a" * 64,))


def test_openssl_alone_verifies_the_list(tmp_path: Path) -> None:
    assert provision(tmp_path / "house", f"{TABLE}={ONE}") == 0
    script = """
        openssl x509 -in house/ca/ca.crt -noout -pubkey > key.pem
        tail -n 1 house/boards.txt | cut -d ' ' -f 2 | openssl base64 -d -A > sig
        head -n -1 house/boards.txt | openssl dgst -sha256 -verify key.pem -signature sig
    """
    done = subprocess.run(["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "Verified OK\n"


@pytest.mark.parametrize(
    ("board", "told"),
    [
        (f"toledo/XX-99={TWO}", "the house has no such table"),
        (f"{OTHER}={ONE}", f"this is the key of {TABLE}"),
        (f"{TABLE}=MCow", "is no public key"),
        (TWO, "names no table"),
    ],
)
def test_what_is_no_board_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], board: str, told: str) -> None:
    house = tmp_path / "house"
    assert provision(house, f"{TABLE}={ONE}") == 0
    before = (house / "boards.txt").read_bytes()
    assert provision(house, board) == 2
    assert told in capsys.readouterr().err
    assert (house / "boards.txt").read_bytes() == before


def test_a_replaced_board_does_not_come_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = tmp_path / "house"
    assert provision(house, f"{TABLE}={ONE}", f"{TABLE}={TWO}") == 0
    assert provision(house, f"{TABLE}={ONE}") == 2
    assert "was replaced by another" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["key", "line", "signature", "nothing left", "other authority", "missing"])
def test_an_altered_list_is_not_believed(tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str) -> None:
    house = tmp_path / "house"
    assert provision(house, f"{TABLE}={ONE}", f"{TABLE}={TWO}") == 0
    path = house / "boards.txt"
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    if change == "key":
        path.write_text(text.replace(TWO, THREE))
    elif change == "line":
        path.write_text("".join(lines[:2] + lines[3:]))
    elif change == "signature":
        path.write_text("".join(lines[:-1]) + "signature AAAA\n")
    elif change == "nothing left":
        path.write_text("")
    elif change == "other authority":
        assert provision(tmp_path / "thief", f"{TABLE}={THREE}") == 0
        path.write_bytes((tmp_path / "thief" / "boards.txt").read_bytes())
    else:
        path.unlink()
    with pytest.raises(ConfigError) as refused:
        approved(tmp_path, house)
    assert "boards.list: " in str(refused.value)
    assert "\n" not in str(refused.value)
    if change != "missing":
        capsys.readouterr()
        assert provision(house, f"{OTHER}={THREE}") == 2
        assert str(path) in capsys.readouterr().err


def test_a_list_needs_an_authority(tmp_path: Path) -> None:
    path = tmp_path / "floor.toml"
    path.write_text('[mqtt]\nurl = "mqtt://127.0.0.1"\n[boards]\nlist = "boards.txt"\n')
    with pytest.raises(ConfigError, match=r"boards.list: needs mqtt.ca"):
        load(path)

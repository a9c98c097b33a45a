"""Files of /etc/pitwatch that the service does not show a table are named, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config import config
from pitwatch.daemon.doctor import sight

ROOT = Path(__file__).parents[2]


@pytest.fixture
def etc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in ("RL-07", "BJ-01", "shared", "books"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(sight, "FOLDER", tmp_path)
    return tmp_path


def table(folder: Path, mqtt: str = "", game: str = "toledo-2020/roulette", more: str = "") -> config.Config:
    path = folder / "RL-07.toml"
    url = '[mqtt]\nurl = "mqtts://broker.example"\n'
    path.write_text(f'[table]\nsite = "toledo"\nid = "RL-07"\ngame = "{game}"\n{url}{mqtt}\n{more}')
    return config.load(path)


READER = """
[[device]]
id = "keys"
type = "key_reader"
protocol = "osdp"
link = "osdp:serial:/dev/ttyUSB0?baud=9600&address=0&key_file=FILE"
"""


def test_what_the_service_shows_is_not_named(etc: Path) -> None:
    own = 'ca = "shared/ca.crt"\ncert = "RL-07/client.crt"\nkey = "RL-07/client.key"\n'
    shutil.copytree(ROOT / "rules" / "books" / "toledo-2020", etc / "books" / "house")
    reader = READER.replace("FILE", str(etc / "RL-07" / "reader.scbk"))
    assert list(sight.unseen(table(etc, own, str(etc / "books" / "house" / "roulette"), reader))) == []
    assert list(sight.unseen(table(etc, 'ca = "/etc/ssl/certs/ca-certificates.crt"'))) == []


@pytest.mark.parametrize(
    ("mqtt", "named"),
    [
        ('cert = "BJ-01/client.crt"\nkey = "BJ-01/client.key"', ["mqtt.cert", "mqtt.key"]),
        ('username = "x"\npassword_file = "password"', ["mqtt.password_file"]),
        ('ca = "RL-07/../ca.crt"', ["mqtt.ca"]),
        ('ca = "RL-07/link.crt"', ["mqtt.ca"]),
    ],
)
def test_what_it_hides_is_named_with_where_to_put_it(
    etc: Path, mqtt: str, named: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (etc / "ca.crt").touch()
    (etc / "RL-07" / "link.crt").symlink_to(etc / "ca.crt")
    told = list(sight.unseen(table(etc, mqtt)))
    assert [each.partition(":")[0] for each in told] == named
    assert all(f"move it to {etc}/RL-07, or to {etc}/shared" in each for each in told)
    assert cli.main(["check", str(etc / "RL-07.toml")]) == 0
    assert capsys.readouterr().out.count("the service does not show") == len(named)


def test_a_book_and_a_reader_s_key_are_named_too(etc: Path) -> None:
    shutil.copytree(ROOT / "rules" / "books" / "toledo-2020", etc / "house")
    reader = READER.replace("FILE", str(etc / "RL-07.scbk"))
    told = list(sight.unseen(table(etc, game=str(etc / "house" / "roulette"), more=reader)))
    assert [each.partition(":")[0] for each in told] == ["table.game", "key_file of keys"]


def test_a_table_that_is_no_service_is_left_alone(etc: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert list(sight.unseen(table(tmp_path / "elsewhere", 'ca = "/etc/pitwatch/x.crt"'))) == []


def test_in_the_service_what_a_drop_in_shows_is_not_named(etc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARD_DEVICES", "/devices")
    assert len(list(sight.unseen(table(etc, 'ca = "ca.crt"')))) == 1
    (etc / "ca.crt").touch()
    assert list(sight.unseen(table(etc, 'ca = "ca.crt"'))) == []


def test_the_unit_shows_what_it_is_said_to_show() -> None:
    lines = (ROOT / "systemd" / "pitwatch@.service").read_text().splitlines()
    shown = [f"-/etc/pitwatch/{each}" for each in ("%i.toml", "%i", *sight.SHARED)]
    assert "BindReadOnlyPaths=" + " ".join(shown) in lines
    assert "TemporaryFileSystem=/var:ro /etc/pitwatch:ro" in lines

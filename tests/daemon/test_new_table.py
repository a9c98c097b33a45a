"""The questions of `pitwatch new` without a board: answers that are none, lines, a table that was provisioned."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import config
from pitwatch.daemon.newtable.asking import Terminal
from pitwatch.daemon.newtable.devices import Devices
from pitwatch.daemon.newtable.file import Draft, text_of, value, write_new
from pitwatch.daemon.newtable.plugs import Plug, plugs
from pitwatch.daemon.newtable.table import ask_table
from pitwatch.rules.book import load_game

CHIP = Plug("gpio", "pinctrl-bcm2711", "pinctrl-bcm2711 (58 lines)", 58)


@pytest.fixture(autouse=True)
def no_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARD_DEVICES", str(tmp_path / "dev"))


def answered(out: Path, answers: str) -> int:
    file = out.parent / "answers.toml"
    file.write_text(answers)
    return cli.main(["new", str(out), "--answers", str(file), "--listen", "0"])


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ("sites = 'a'", "answers.toml: sites: is no question; did you mean 'site'?"),
        ('site = "a b"', "answers.toml: site: letters, digits"),
        ('site = "a"', "answers.toml: game: missing"),
        ('site = "a"\ngame = "roulette"', "answers.toml: game: 'roulette' fits"),
        ('site = "a"\ngame = "toledo-2020/rulet"', "answers.toml: game: no game is called"),
        ('site = "a"\ngame = "toledo-2020/roulette"\nbroker = "x"', "answers.toml: broker: "),
        ('site = "a"\ngame = "toledo-2020/roulette"\nrounds_an_hour = "fast"', "answers.toml: rounds_an_hour: "),
        ('site = "a"\ngame = "toledo-2020/roulette"\noptions = { wheel = 3 }', "answers.toml: options.wheel: 3 is not"),
        ('site = "a"\ngame = "toledo-2020/roulette"\n[[device]]\nid = "x"', "answers.toml: device[0].type: missing"),
        ("site = ", "answers.toml: is not TOML"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_one_line_and_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answers: str, says: str
) -> None:
    assert answered(tmp_path / "RL-07.toml", answers) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("RL-07*"))


def test_an_existing_file_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "RL-07.toml"
    out.write_text("mine")
    assert (answered(out, 'site = "a"'), out.read_text()) == (2, "mine")
    assert "exists already and is not written over" in capsys.readouterr().err
    gone = tmp_path / "link.toml"
    gone.symlink_to(tmp_path / "nowhere.toml")
    assert answered(gone, 'site = "a"') == 2
    assert not (tmp_path / "nowhere.toml").exists()
    assert cli.main(["new", str(tmp_path / "none" / "t.toml"), "--answers", "x"]) == 2


def test_a_file_that_came_while_questions_were_asked_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "RL-07.toml"
    draft = Draft(site="toledo", id="RL-07", game="toledo-2020/roulette")
    write_new(out, text_of(draft))
    before = out.read_text()
    with pytest.raises(UsageError, match="exists already"):
        write_new(out, text_of(draft) + "# other\n")
    assert out.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["RL-07.toml"]


def test_what_the_file_would_be_refused_for_is_said_before_it_is_written(tmp_path: Path) -> None:
    out = tmp_path / "RL-07.toml"
    twice = {"type": "wheel", "protocol": "slingshot2", "link": "serial:/dev/ttyUSB0"}
    draft = Draft(
        site="toledo", id="RL-07", game="toledo-2020/roulette", devices=[{"id": "a", **twice}, {"id": "b", **twice}]
    )
    with pytest.raises(UsageError, match=r"RL-07.toml was not written: as answered, RL-07.toml: device\[1\]"):
        write_new(out, text_of(draft))
    assert list(tmp_path.iterdir()) == []


def test_without_a_terminal_it_asks_for_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", str(tmp_path / "t.toml")]) == 2
    assert "--answers" in capsys.readouterr().err


class Person:
    """Gives these answers in turn; `heard` is all that was said and asked."""

    def __init__(self, *answers: str):
        self._answers = list(answers)
        self.heard: list[str] = []
        self.terminal = Terminal(self._read, self.heard.append)

    def _read(self, question: str) -> str:
        self.heard.append(question)
        if not self._answers:
            raise EOFError
        return self._answers.pop(0)

    @property
    def left(self) -> list[str]:
        return self._answers


def chosen(kind: str, game: str) -> str:
    """The number at which a type of device stands in the list of those on lines."""
    person = Person("1")
    draft = Draft(site="a", id="b", game=game)
    Devices(person.terminal, draft, load_game(game), Path("t.toml")).ask([], [CHIP])
    return next(line.split()[0] for line in person.heard if line.endswith(f"  {kind}"))


def test_a_device_on_lines_is_asked_line_by_line(tmp_path: Path) -> None:
    game = "toledo-2020/three-card-poker"
    person = Person(
        chosen("shuffler", game), "yes", "none", "17", "17", "99", "x", "27",  # motor; jam after mistakes
        *["none"] * 5, "", "machine", "1",
    )  # fmt: skip
    draft = Draft(site="toledo", id="TC-01", game=game, mqtt='url = "mqtt://127.0.0.1:9"')
    Devices(person.terminal, draft, load_game(game), tmp_path / "t.toml").ask([], [CHIP])
    assert person.left == []
    said = "\n".join(person.heard)
    assert said.count("  the number of a line from 0 to 57 is right") == 3  # none, 99, x
    assert "  line 17 is taken by another wire of this device" in said
    assert "shuffler by lines: adds " in said
    write_new(tmp_path / "t.toml", text_of(draft))
    (device,) = config.load(tmp_path / "t.toml").devices
    assert (device.id, device.type, device.link) == ("machine", "shuffler", "gpio:")
    wired = {"chip": "pinctrl-bcm2711", "active_low": True, "bias": "pull-up", "debounce_us": 2000}
    assert draft.devices[0]["lines"] == {"motor": {**wired, "line": 17}, "jam": {**wired, "line": 27}}
    assert '# machine = "batch"  # batch: shuffles the whole deck out; packet: ' in (tmp_path / "t.toml").read_text()


def test_keys_that_are_named_by_the_person(tmp_path: Path) -> None:
    game = "toledo-2020/roulette"
    fixed = ["none"] * 14
    person = Person(chosen("panel", game), "no", *fixed, "none", "late-bet marker", "5", "6", "", "", "1")
    draft = Draft(site="toledo", id="RL-01", game=game)
    Devices(person.terminal, draft, load_game(game), tmp_path / "t.toml").ask([], [CHIP])
    assert person.left == []
    (device,) = draft.devices
    assert device["lines"] == {
        "report-late-bet": {"chip": "pinctrl-bcm2711", "line": 5, "debounce_us": 5000},
        "report-marker": {"chip": "pinctrl-bcm2711", "line": 6, "debounce_us": 5000},
    }


def test_the_broker_that_was_provisioned_for_the_table_is_taken(tmp_path: Path) -> None:
    (tmp_path / "RL-07").mkdir()
    (tmp_path / "RL-07" / "mqtt.toml").write_text('[mqtt]\nurl = "mqtts://b.example"\nca = "RL-07/ca.crt"\n')
    person = Person("toledo", "", "toledo-2020/roulette", "", "", "none")
    draft, _ = ask_table(person.terminal, tmp_path / "RL-07.toml")
    write_new(tmp_path / "RL-07.toml", text_of(draft))
    (broker,) = config.load(tmp_path / "RL-07.toml").brokers
    assert (broker.host, broker.tls) == ("b.example", True)


def test_a_game_that_has_no_rounds_and_the_end_of_the_answers() -> None:
    person = Person("toledo", "RL-07", "california/poker-collection-rates")
    with pytest.raises(UsageError, match="the answers ended before the last question; nothing was written"):
        ask_table(person.terminal, Path("t.toml"))
    assert any("has no rounds to follow" in line for line in person.heard)


def test_plugs_of_a_board(tmp_path: Path) -> None:
    dev, w1 = tmp_path / "dev", tmp_path / "w1"
    for folder in ("serial/by-id", "serial/by-path", "input/by-id"):
        (dev / folder).mkdir(parents=True)
    for name in ("ttyUSB0", "ttyUSB1", "ttyACM0", "ttyS0", "event3", "event4", "null"):
        (dev / name).touch()
    (dev / "serial/by-id/usb-FTDI_FT232R_A1-if00-port0").symlink_to(dev / "ttyUSB0")
    (dev / "serial/by-id/usb-Gone_X-if00").symlink_to(dev / "ttyUSB9")
    for number in (0, 1):
        (dev / f"serial/by-path/pci-usb-0:{number}").symlink_to(dev / f"ttyUSB{number}")
    (dev / "input/by-id/usb-Acme_Reader-event-kbd").symlink_to(dev / "event3")
    (dev / "input/by-id/usb-Acme_Mouse-event-mouse").symlink_to(dev / "event4")
    (w1 / "w1_bus_master1").mkdir(parents=True)
    (dev / "gpiochip0").touch()  # no chip: it is passed over
    assert [(each.kind, each.path, each.name) for each in plugs(str(w1))] == [
        ("serial", "/dev/serial/by-id/usb-FTDI_FT232R_A1-if00-port0", "FTDI FT232R A1"),
        ("serial", "/dev/serial/by-path/pci-usb-0:1", "pci-usb-0:1"),
        ("serial", "/dev/ttyACM0", "ttyACM0"),
        ("keyboard", "/dev/input/by-id/usb-Acme_Reader-event-kbd", "Acme Reader"),
        ("1-wire", str(w1), "1-Wire bus of the kernel"),
    ]


@pytest.mark.parametrize("given", ["a", 'a"b\\c\n\x7f\u2028', True, 3, 2.5, [1, "x"], {"a-b": 1, "c d": {"e": []}}, {}])
def test_values_are_read_as_they_were(given: object) -> None:
    assert tomllib.loads(f"key = {value(given)}") == {"key": given}

"""Device classes of other packages: installed as pip leaves them, used by the command line like built-in ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "hardware.md").read_text().partition("## A device class from another package")[2]
PROJECT, CODE, DEVICE = re.findall(r"```(?:toml|python)\n(.*?)```", PAGE, re.DOTALL)[:3]
ENTRY = tomllib.loads(PROJECT)["project"]["entry-points"]["pitwatch.devices"]
TABLE = '[table]\nsite = "toledo"\nid = "T-1"\ngame = "toledo-2020/blackjack"\n' + DEVICE.replace(
    "serial:/dev/ttyUSB0?baud=9600", "none"
)


def install(site: Path, entries: dict[str, str], code: str = CODE, name: str = "house-shoe") -> Path:
    """A package of one module, as pip leaves it; returns the module's file."""
    module = name.replace("-", "_")
    info = site / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{key} = {value}\n" for key, value in entries.items())
    (info / "entry_points.txt").write_text(f"[pitwatch.devices]\n{lines}")
    file = site / f"{module}.py"
    file.write_text(code)
    return file


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site-packages"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    return path


def pitwatch(site: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(site))), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pitwatch.daemon.cli", *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def program(site: Path, table: Path) -> str:
    answer = pitwatch(site, "check", table, "--json")
    assert answer.returncode == 0, answer.stderr
    return str(json.loads(answer.stdout)["fingerprints"]["program"])


def test_the_example_of_the_page_reads_a_capture(site: Path, table: Path, tmp_path: Path) -> None:
    install(site, ENTRY)
    assert "device   shoe: shoe by house_shoe" in pitwatch(site, "check", table).stdout
    capture = tmp_path / "capture.jsonl"
    wire = [{"t": 1.0, "device": "shoe", "rx": "OUT T"}, {"t": 1.1, "device": "shoe", "rx": "D\r\nOUT 5H\r\n"}]
    capture.write_text("".join(json.dumps(line) + "\n" for line in wire))
    answer = pitwatch(site, "replay", capture, "--table", table, "--all")
    assert answer.returncode == 0, answer.stderr
    records = [json.loads(line) for line in answer.stdout.splitlines()]
    seen = [each["data"] for each in records if each["type"] == "pitwatch.observation.v1"]
    assert [each["data"]["card"] for each in seen if each["event"] == "card_drawn"] == ["TD", "5H"]


def test_the_example_of_the_page_installs(site: Path, table: Path, tmp_path: Path) -> None:
    source = tmp_path / "house-shoe"
    source.mkdir()
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "house_shoe.py").write_text(CODE)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", site, source]
    subprocess.run(pip, check=True, timeout=300)
    before = program(site, table)
    (site / "house_shoe.py").write_text(CODE + "# another byte\n")
    assert program(site, table) != before


def test_settings_and_protocols_are_checked_as_of_built_in_ones(site: Path, table: Path) -> None:
    install(site, ENTRY)
    table.write_text(TABLE.replace("word =", "wort ="))
    assert 'unknown key of a shoe by house_shoe; did you mean "word"?' in pitwatch(site, "check", table).stderr
    table.write_text(TABLE.replace('"house_shoe"', '"hose_shoe"'))
    assert 'did you mean "house_shoe"?' in pitwatch(site, "check", table).stderr
    table.write_text(TABLE.replace('protocol = "house_shoe"\n', "").replace("none", "tcp:h:1"))
    assert "one of angel_eye, card_lines, ndjson, house_shoe" in pitwatch(site, "check", table).stderr


BROKEN = {
    "no module": ({"shoe.house_shoe": "not_there:HouseShoe"}, CODE, "cannot be loaded (ModuleNotFoundError"),
    "no class": ({"shoe.house_shoe": "house_shoe:Shoe"}, CODE, "cannot be loaded (AttributeError"),
    "raises": (ENTRY, "1 / 0", "cannot be loaded (ZeroDivisionError"),
    "two lines": (ENTRY, "raise ValueError('one\\ntwo')", "cannot be loaded (ValueError: one two)"),
    "exits": (ENTRY, "raise SystemExit(0)", "cannot be loaded (SystemExit"),
    "no device": (ENTRY, "HouseShoe = dict", "is no device class; a subclass of pitwatch.devices.base.Device"),
    "other type": (ENTRY, CODE.replace('TYPE = "shoe"', 'TYPE = "wheel"'), "TYPE is 'wheel'; \"shoe\""),
    "event": (ENTRY, CODE.replace('("card_drawn",)', '("card_eaten",)'), "'card_eaten', which no shoe can report"),
    "no events": (ENTRY, CODE.replace('("card_drawn",)', "()"), "EVENTS names no event"),
    "own key": (ENTRY, CODE.replace('{"word"', '{"link"'), "'link', a key of every [[device]]"),
    "settings": (ENTRY, CODE.replace('("OUT", "what the shoe sends before a card")', '"OUT"'), "SETTINGS is no {key"),
    "constructor": (ENTRY, CODE.replace("LineFramer(80)", "LineFramer(80, 1)"), "constructor raises TypeError"),
    "reads nothing": (
        ENTRY,
        'from pitwatch.devices.base import Device\nclass HouseShoe(Device):\n    TYPE, EVENTS = "shoe", ("locked",)\n',
        "reads nothing",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_class_that_cannot_be_used_is_one_line(site: Path, table: Path, case: str) -> None:
    entries, code, told = BROKEN[case]
    install(site, entries, code)
    answer = pitwatch(site, "check", table)
    assert (answer.returncode, answer.stdout) == (2, "")
    (line,) = answer.stderr.splitlines()
    named = f'package house-shoe 1.0, entry point "shoe.house_shoe = {entries["shoe.house_shoe"]}"'
    assert line.startswith(f"{table}: device[0].protocol: {named}")
    assert told in line


def test_two_packages_with_one_name_are_refused(site: Path, table: Path) -> None:
    install(site, ENTRY)
    install(site, ENTRY, name="second-shoe")
    (line,) = pitwatch(site, "check", table).stderr.splitlines()
    assert "packages house-shoe 1.0 and second-shoe 1.0 both have the entry point shoe.house_shoe" in line


@pytest.mark.parametrize("protocol", ["angel_eye", "ndjson"])
def test_a_built_in_protocol_is_not_replaced_and_check_notes_it(site: Path, table: Path, protocol: str) -> None:
    entry = {f"shoe.{protocol}": "house_shoe:HouseShoe", "show.x": "house_shoe:HouseShoe"}
    install(site, entry, "raise RuntimeError('must not be imported')")
    table.write_text(TABLE.replace("house_shoe", protocol).replace('word = "OUT"\n', ""))
    answer = pitwatch(site, "check", table)
    assert answer.returncode == 0, answer.stderr
    assert f"note     package house-shoe 1.0, entry point \"shoe.{protocol} = house_shoe:HouseShoe\" is not used: {protocol} of a shoe is built in" in answer.stdout  # fmt: skip  # noqa: E501
    assert '"show.x = house_shoe:HouseShoe" is not used: its name is no TYPE.PROTOCOL' in answer.stdout


def test_a_package_that_no_device_names_is_not_imported_and_changes_nothing(site: Path, table: Path) -> None:
    table.write_text(TABLE.replace("house_shoe", "card_lines").replace('word = "OUT"\n', ""))
    before = program(site, table)
    install(site, ENTRY, "raise RuntimeError('must not be imported')")
    assert program(site, table) == before


def test_the_program_s_fingerprint_knows_the_outside_files(site: Path, table: Path) -> None:
    file = install(site, ENTRY)
    before = program(site, table)
    assert program(site, table) == before
    file.write_text(CODE + "# another byte\n")
    assert program(site, table) != before
    file.write_text(CODE)
    assert program(site, table) == before


def test_the_fingerprint_knows_all_of_a_package_and_of_its_bases(site: Path, table: Path) -> None:
    """A class in a package of several files, whose base another package has, and a table that it reads."""
    info = install(site, {"shoe.house_shoe": "acme.shoes.house:HouseShoe"}, "").parent
    parts = {
        "acme/__init__.py": "",
        "acme/shoes/__init__.py": "",
        "acme/shoes/house.py": "from beside import Base\nfrom acme import words\n\nclass HouseShoe(Base):\n    pass\n",
        "acme/words.py": "WORDS = ()\n",
        "acme/cards.csv": "1,AS\n",
        "beside.py": CODE.replace("HouseShoe", "Base"),
    }
    for name, text in parts.items():
        (info / name).parent.mkdir(parents=True, exist_ok=True)
        (info / name).write_text(text)
    known = {program(site, table)}
    for name, text in parts.items():
        (info / name).write_text(text + "\n")
        known.add(program(site, table))
    (info / "acme" / "more.py").write_text("")
    known.add(program(site, table))
    assert len(known) == len(parts) + 2


def test_another_class_of_the_same_files_is_another_program(site: Path, table: Path) -> None:
    code = CODE + "\n\nclass Other(HouseShoe):\n    pass\n"
    install(site, ENTRY, code)
    before = program(site, table)
    points = site / "house_shoe-1.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text().replace(":HouseShoe", ":Other"))
    assert program(site, table) != before

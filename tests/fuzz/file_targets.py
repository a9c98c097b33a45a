"""Files that people write and hand over: configurations, rule books, captures."""

from __future__ import annotations

import atexit
import contextlib
import shutil
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path

import msgspec

from pitwatch.daemon.captures import capture
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import config
from pitwatch.floor import config as floor_config
from pitwatch.rules.book import load_game
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.book.bookcheck import check_path
from tests.fuzz.altered import altered, keys, toml
from tests.fuzz.target import PROJECT, Target, in_one_line


@cache
def scratch() -> Path:
    """A folder in memory, for what reads files by path."""
    folder = Path(tempfile.mkdtemp(prefix="pitwatch-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _file(name: str, load: Callable[[Path], object], seeds: list[bytes]) -> Target:
    """A file that is read by its path: good, or one line that says why not."""
    path = scratch() / name

    def once(data: bytes) -> None:
        path.write_bytes(data)
        try:
            load(path)
        except UsageError as error:
            in_one_line(error)

    return Target(seeds, once, lambda: None)


def table_file() -> Target:
    """A table's configuration."""
    tables = sorted((PROJECT / "sim_hw" / "tables").glob("*.toml"))
    return _file("table.toml", config.load, [table.read_bytes() for table in tables])


def table_values() -> Target:
    """A table's configuration that has something where it does not belong."""
    path = scratch() / "values.toml"
    tables = [tomllib.loads(each.read_text()) for each in sorted((PROJECT / "sim_hw" / "tables").glob("*.toml"))]
    words = keys()

    def once(data: bytes) -> None:
        try:
            read = config._Reader(path).config(altered(tables, words, data), "")
        except UsageError as error:
            in_one_line(error)
        else:
            for device in read.devices:
                device.decoder()

    return Target([bytes([table, *range(table, 250, 17)]) for table in range(len(tables))], once, lambda: None)


def floor_file() -> Target:
    """A subscriber's configuration."""
    good = b'[mqtt]\nurl = ["mqtt://a", "mqtt://b"]\n[archive]\ndatabase = "sqlite:a.db"\n'
    return _file("floor.toml", floor_config.load, [good])


def floor_values() -> Target:
    """A subscriber's configuration that has something where it does not belong."""
    mqtt = {"url": ["mqtt://a", "mqtts://b:1"], "username": "eye", "password_file": "p"}
    cameras = {"toledo/RL-07": "cam-1"}
    command = {"command": ["true", "$camera"], "cameras": cameras, "preroll_s": 5}
    post = {"url": "https://nvr/bookmark", "template": '{"camera": "$camera"}', "cameras": cameras}
    tables = [
        {"mqtt": mqtt, "archive": {"database": "sqlite:a.db", "group": "g"}, "video": each} for each in (command, post)
    ]
    words = sorted(
        {*tables[0], *mqtt, *command, *post, "ca", "headers_file", "$begin_ms", "$$", "$", "${x", "toledo/RL-07"}
    )

    def once(data: bytes) -> None:
        try:
            floor_config._Reader(scratch() / "floor.toml").config(altered(tables, words, data))
        except UsageError as error:
            in_one_line(error)

    return Target([bytes([table, *range(table, 250, 17)]) for table in range(4)], once, lambda: None)


def rule_book() -> Target:
    """A game's file in a book: what the checker says of it has a line number and one line."""
    folder = scratch() / "book"
    folder.mkdir(exist_ok=True)
    book = PROJECT / "rules" / "books" / "toledo-2020"
    for name in ("book.toml", "general.toml"):
        if (book / name).is_file():
            (folder / name).write_bytes((book / name).read_bytes())
    path = folder / "roulette.toml"

    def once(data: bytes) -> None:
        path.write_bytes(data)
        for problem in check_path(path):
            assert len(str(problem).splitlines()) == 1, f"{problem}"

    seeds = [(book / name).read_bytes()[:4000] for name in ("roulette.toml", "craps.toml")]
    return Target(seeds, once, lambda: None)


def rule_values() -> Target:
    """A game's file that is TOML and has something where it does not belong."""
    folder = scratch() / "values"
    folder.mkdir(exist_ok=True)
    book = PROJECT / "rules" / "books" / "toledo-2020"
    for name in ("book.toml", "general.toml"):
        (folder / name).write_bytes((book / name).read_bytes())
    path = folder / "roulette.toml"
    game = tomllib.loads((book / "roulette.toml").read_text())
    words = sorted({*game, *game["figures"], *(key for rule in game["irregularity"] for key in rule)})

    def once(data: bytes) -> None:
        path.write_text(toml(altered([game], words, data)))
        for problem in check_path(path):
            assert len(str(problem).splitlines()) == 1, f"{problem}"
        with contextlib.suppress(BookError):
            load_game(f"{folder}/roulette")

    return Target([bytes([0, *range(start, 250, 17)]) for start in range(4)], once, lambda: None)


def capture_file() -> Target:
    """A capture: lines, or one line that says which is wrong."""

    def once(data: bytes) -> None:
        last = -(10.0**300)
        try:
            for number, line in capture.lines("capture.jsonl", BytesIO(data)):
                assert number > 0
                assert line.t >= last
                last = line.t
                assert isinstance(line.t_ns, int)
                if line.rx is not msgspec.UNSET or line.rx_hex is not msgspec.UNSET:
                    line.received()
        except UsageError as error:
            in_one_line(error)

    seeds = [
        b'{"t":1.25,"device":"wheel","rx":"*X;3;007; 9;0;150;1\\r\\n"}\n{"t":1.5,"device":"shoe","rx_hex":"0531"}\n',
        b'{"t":1,"device":"dice","line":"rail-left","level":1}\n{"t":2,"device":"dice","levels":{"a":0,"b":1}}\n',
        b'{"t":1.25,"device":"wheel","event":"ball_settled","data":{"pocket":"17"}}\n\n',
    ]
    return Target(seeds, once, lambda: None)

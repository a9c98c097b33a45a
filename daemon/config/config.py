"""The configuration of one table: TOML to structs. Each mistake is reported in one line with file and key path.

Checks the file against the settings that device classes and games declare. Opens no port and reads no clock. The result
can be run; the doctor tests whether ports and pins exist.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config import token_key, tpm_key
from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.config.claims import Claims
from pitwatch.daemon.config.device_config import DeviceConfig, read_device, warnings_of
from pitwatch.daemon.config.house_names import HOUSE, NO_HOUSE, is_house
from pitwatch.daemon.config.mqtt_config import MqttSection, read_mqtt
from pitwatch.daemon.config.sections import Sections, kind_of, nearest, read_toml, shown
from pitwatch.daemon.config.token_key import TokenKey
from pitwatch.daemon.config.tpm_key import TpmKey
from pitwatch.daemon.config.witness_config import read_witnesses
from pitwatch.daemon.contract.messages import APART
from pitwatch.daemon.tlog.note import Key
from pitwatch.rules.book import load_game
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.game import Game
from pitwatch.rules.people import ROLES

MOST_DAYS = 36_500

CREDENTIAL = re.compile(r"[A-Za-z0-9:_.-]+\Z")


class TableSection(msgspec.Struct, frozen=True, kw_only=True):
    """`seats`: hands in play where no sensor says so; `live_cards`: card values are published while a round is
    open; "apart": on `live/<device>` only, which the broker may keep for a few. `house` stands before the table's name
    in the origin of its log of records: HOUSE/pitwatch/SITE/TABLE."""

    site: str
    id: str
    game: str
    house: str = HOUSE
    options: dict[str, str | int | bool] = {}
    seats: list[str] = []
    live_cards: bool | str = False


class JournalSection(msgspec.Struct, frozen=True, kw_only=True):
    """`path` of the SQLite file; delivered records older than `keep_days` are pruned. `key`: the signing key in a
    PKCS#11 token or a TPM; without it, it is a file beside the journal."""

    path: str = ""
    keep_days: int = 14
    key: str = ""


class VideoSection(msgspec.Struct, frozen=True, kw_only=True):
    """Which camera sees the table, as the video system calls it; the seconds of video that belong to an irregularity,
    before and after it was reported."""

    camera: str = ""
    preroll_s: int = 30
    postroll_s: int = 10


STATISTICS_BOUNDS: dict[str, tuple[float, float]] = {
    "tables": (1, 10_000),
    "false_alerts_a_year": (0.001, 1000),
    "rounds_an_hour": (1, 1000),
    "idle_minutes": (1, 1440),
}


class StatisticsSection(msgspec.Struct, frozen=True, kw_only=True):
    """The monitors of wheel, dice, cards and pace (docs/fairness.md). `tables` in the house, and how many false alerts
    all of them together may raise in a year on average. `shuffle`: "perfect" where a machine or a wash leaves no order.
    `rounds_an_hour`: what the house expects of this table; `idle_minutes`: so long without a round, and the table
    counts as closed."""

    watch: bool = True
    shuffle: Literal["by-hand", "perfect"] = "by-hand"
    tables: int = 300
    false_alerts_a_year: float = 1.0
    rounds_an_hour: float | None = None
    idle_minutes: int = 15

    @property
    def scale(self) -> float:
        """What a monitor's usual number of rounds to a false alarm is multiplied by."""
        return self.tables / 300 / self.false_alerts_a_year


class UpgradeSection(msgspec.Struct, frozen=True, kw_only=True):
    """`within_s`: seconds after an upgrade of the package in which the table must be watched as before."""

    within_s: int = 90


class Person(msgspec.Struct, frozen=True, kw_only=True):
    role: str
    name: str = ""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """A table, ready to be wired. `fingerprint` is the SHA-256 of the file and of those it includes; `warnings` are one
    line each."""

    path: Path
    table: TableSection
    mqtt: MqttSection | None
    journal: Path
    keep_days: int
    token: TokenKey | TpmKey | None
    devices: tuple[DeviceConfig, ...]
    people: dict[str, Person]
    video: VideoSection
    statistics: StatisticsSection
    upgrade: UpgradeSection = UpgradeSection()
    witnesses: tuple[Key, ...]
    game: Game
    fingerprint: str
    warnings: tuple[str, ...]
    passed_over: tuple[str, ...] = ()
    """Those among them about keys that only a version may know that was rolled back."""

    @property
    def brokers(self) -> tuple[BrokerAddress, ...]:
        """Where to publish, in the order in which it is tried. Raises ConfigError if the file has no `[mqtt]`."""
        if self.mqtt is None:
            raise ConfigError(
                self.path, "mqtt", 'missing; to publish, a table needs [mqtt] with url = "mqtt://HOST:1883"'
            )
        return self.mqtt.addresses

    @property
    def topic(self) -> str:
        """The MQTT topic everything of this table is published below."""
        prefix = self.mqtt.prefix if self.mqtt else "pitwatch/1"
        return f"{prefix}/{self.table.site}/{self.table.id}"


def load(path: str | Path) -> Config:
    """Read and check a table's configuration. Raises ConfigError: one line with file, key and what would be right,
    and what else is wrong."""
    path = Path(path)
    raw, data = read_toml(path, "a table's")
    return _Reader(path).config(data, hashlib.sha256(raw).hexdigest())


class _Reader(Sections):
    """The sections of a table's file."""

    SECTIONS = ("table", "mqtt", "journal", "device", "people", "video", "statistics", "upgrade", "witness")

    def __init__(self, path: Path):
        super().__init__(path)
        self._wrong: list[ConfigError] = []

    @contextmanager
    def _part(self) -> Iterator[None]:
        """A part of the file that is read whether the others can be or not; what is wrong in it is kept."""
        try:
            yield
        except ConfigError as error:
            self._wrong.append(error)

    def config(self, data: dict[str, Any], fingerprint: str) -> Config:
        """Raises ConfigError for the first part that is wrong, with the other parts that are."""
        options: dict[str, Any] = {}
        with self._part():
            self.known_keys(data, self.SECTIONS, "")
        with self._part():
            table = self.table(data)
            game = self.game(table)
            options = game.settle_options(table.options)
        with self._part():
            mqtt = read_mqtt(self, data["mqtt"]) if "mqtt" in data else None
        with self._part():
            journal = self.journal(data)
            token = self.token(journal.key)
        with self._part():
            video = self.video(data)
        with self._part():
            statistics = self.statistics(data)
        with self._part():
            upgrade = self.upgrade(data)
        with self._part():
            devices = self.devices(data.get("device", []), options)
        with self._part():
            people = self.people(data.get("people", {}))
        with self._part():
            witnesses = read_witnesses(self, data["witness"]) if "witness" in data else ()
        if self._wrong:
            first, *others = self._wrong
            first.also = tuple(others)
            raise first
        return Config(
            path=self.path,
            table=table,
            mqtt=mqtt,
            journal=self.journal_path(journal, table.id),
            keep_days=journal.keep_days,
            token=token,
            devices=devices,
            people=people,
            video=video,
            statistics=statistics,
            upgrade=upgrade,
            witnesses=witnesses,
            game=game,
            fingerprint=self.with_included(fingerprint),
            passed_over=tuple(self.passed_over),
            warnings=(*self.passed_over, *(warning for device in devices for warning in warnings_of(device))),
        )

    def with_included(self, fingerprint: str) -> str:
        """The fingerprint of the file and of the files that it names for parts of itself."""
        if not self.included:
            return fingerprint
        included = b"".join(hashlib.sha256(raw).digest() for raw in self.included)
        return hashlib.sha256(fingerprint.encode() + included).hexdigest()

    def table(self, data: dict[str, Any]) -> TableSection:
        if "table" not in data:
            raise self.error("table", "missing; a table needs [table] with site, id and game")
        given = data["table"]
        if isinstance(given, dict) and "seats" in given:
            given = {**given, "seats": self.seats(given["seats"])}
        table: TableSection = self.section(given, TableSection, "table")
        self.name(table.site, "table.site")
        self.name(table.id, "table.id")
        if not is_house(table.house):
            raise self.error("table.house", f"{shown(table.house)} {NO_HOUSE}")
        if table.live_cards not in (False, True, APART):
            raise self.error("table.live_cards", f'{shown(table.live_cards)} is none of true, false, "{APART}"')
        return table

    def journal(self, data: dict[str, Any]) -> JournalSection:
        journal: JournalSection = self.section(data.get("journal", {}), JournalSection, "journal")
        if not 1 <= journal.keep_days <= MOST_DAYS:
            few = "few" if journal.keep_days < 1 else "many"
            raise self.error("journal.keep_days", f"{journal.keep_days} is too {few}; 1 to {MOST_DAYS} days are right")
        if not journal.path:
            return journal
        return msgspec.structs.replace(journal, path=str(self.beside(journal.path, "journal.path")))

    def token(self, uri: str) -> TokenKey | TpmKey | None:
        try:
            if uri.startswith(tpm_key.SCHEME):
                return tpm_key.parse(uri)
            return token_key.parse(uri) if uri else None
        except ValueError as error:
            raise self.error("journal.key", str(error)) from None

    def video(self, data: dict[str, Any]) -> VideoSection:
        video: VideoSection = self.section(data.get("video", {}), VideoSection, "video")
        for key in ("preroll_s", "postroll_s"):
            if not 0 <= getattr(video, key) <= 3600:
                raise self.error(f"video.{key}", f"{getattr(video, key)} is not from 0 to 3600 seconds")
        return video

    def statistics(self, data: dict[str, Any]) -> StatisticsSection:
        found: StatisticsSection = self.section(data.get("statistics", {}), StatisticsSection, "statistics")
        for key, (least, most) in STATISTICS_BOUNDS.items():
            value = getattr(found, key)
            if value is not None and not least <= value <= most:
                raise self.error(f"statistics.{key}", f"{value} is not from {least} to {most:,}")
        return found

    def upgrade(self, data: dict[str, Any]) -> UpgradeSection:
        found: UpgradeSection = self.section(data.get("upgrade", {}), UpgradeSection, "upgrade")
        if not 10 <= found.within_s <= 3600:
            raise self.error("upgrade.within_s", f"{found.within_s} is not from 10 to 3600 seconds")
        return found

    def seats(self, given: Any) -> list[str]:
        """Seats as `seat-1` … `seat-9`; a plain 1 … 9 means the same."""
        if not isinstance(given, list):
            raise self.error("table.seats", f'{shown(given)} is {kind_of(given)}; a list such as ["seat-1"] is right')
        seats: list[str] = []
        for position, seat in enumerate(given):
            text = f"seat-{seat}" if type(seat) is int else seat
            if not (isinstance(text, str) and re.fullmatch(r"seat-[1-9]", text)):
                raise self.error(f"table.seats[{position}]", f"{shown(seat)} is no seat; seat-1 to seat-9 are right")
            if text in seats:
                raise self.error(f"table.seats[{position}]", f"{text} is named twice")
            seats.append(text)
        return seats

    def journal_path(self, section: JournalSection, table: str) -> Path:
        if section.path:
            return Path(section.path)
        folder = os.environ.get("STATE_DIRECTORY", "").split(":")[0]
        return Path(folder or ".") / f"pitwatch-{table}.db"

    def devices(self, given: Any, options: dict[str, Any]) -> tuple[DeviceConfig, ...]:
        if not isinstance(given, list):
            raise self.error(
                "device", f"is {kind_of(given)}; devices are written as [[device]], each with its own table"
            )
        claims = Claims(self)
        devices: list[DeviceConfig] = []
        for number, data in enumerate(given):
            where = f"device[{number}]"
            with self._part():
                device = read_device(self, data, where, options)
                claims.claim(device, where)
                devices.append(device)
        return tuple(devices)

    def people(self, given: Any) -> dict[str, Person]:
        if not isinstance(given, dict):
            raise self.error(
                "people", f'is {kind_of(given)}; [people] with "12:34567" = {{ role = "supervisor" }} is right'
            )
        people = {}
        for credential, data in given.items():
            key = f'people."{credential}"'
            with self._part():
                if not CREDENTIAL.match(credential):
                    raise self.error(key, 'is no credential; it is what the reader reports, such as "12:34567"')
                person: Person = self.section(data, Person, key)
                if person.role not in ROLES:
                    raise self.error(f"{key}.role", f"{shown(person.role)} is no role; {nearest(person.role, ROLES)}")
                people[credential] = person
        return people

    def game(self, table: TableSection) -> Game:
        book, _, game_id = table.game.rstrip("/").rpartition("/")
        beside = self.path.parent / book
        inside = book and not book.startswith("/") and os.path.isfile(beside / "book.toml")
        try:
            game = load_game(f"{beside.resolve()}/{game_id}" if inside else table.game)
        except BookError as error:
            raise self.error("table.game", str(error)) from None
        try:
            game.settle_options(table.options)
        except ValueError as error:
            raise self.error(f"table.options.{error}", "") from None
        return game

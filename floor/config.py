"""A subscriber's configuration, FLOOR.toml: the same `[mqtt]` as a table's, and the settings of watch and archive.

Each mistake is reported in one line with file and key path. Opens no connection.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.config.mqtt_config import MqttSection, read_mqtt
from pitwatch.daemon.config.sections import NAME, Sections, read_toml, shown
from pitwatch.floor.archive.keep import rules
from pitwatch.floor.boards import announced, with_boards
from pitwatch.floor.cases.config import CasesSection, read_cases
from pitwatch.floor.evidence.config import EvidenceSection, TimestampSection, read_evidence, read_timestamp
from pitwatch.floor.fleet.config import Fleet, read_fleet
from pitwatch.floor.identity.approved import Approved, read_approved
from pitwatch.floor.metrics.config import MetricsSection, read_metrics
from pitwatch.floor.notify.config import NotifySection, read_notify
from pitwatch.floor.onvif.config import Onvif, read_onvif
from pitwatch.floor.pace.config import PaceSection, read_pace
from pitwatch.floor.pits import Pits, read_pits
from pitwatch.floor.video.config import FloorVideo, read_video
from pitwatch.floor.web.config import WebSection, read_web
from pitwatch.floor.witness.config import WitnessSection, read_witness

DATABASE = "sqlite:pitwatch-floor.db"
DATABASES = "sqlite:PATH or postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE"
"""What may be named as one."""


class ArchiveSection(msgspec.Struct, frozen=True, kw_only=True):
    """`database`: one of DATABASES; `group`: instances of one name share the messages between them; `keep`: how long
    events of a kind are kept ("30d", "8w", "1y", "forever"); a kind that is not named is kept for ever."""

    database: str = DATABASE
    group: str = ""
    keep: dict[str, str] = {}


class BoardsSection(msgspec.Struct, frozen=True, kw_only=True):
    """`list`: the path of `boards.txt`, which `pitwatch provision --board` writes."""

    list: str


class FloorConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Where a floor is heard, and what is done with it."""

    mqtt: MqttSection
    archive: ArchiveSection = ArchiveSection()
    names_archive: bool = False
    """Whether the file names the archive's database."""
    video: FloorVideo = FloorVideo()
    approved: Approved = Approved()
    witness: WitnessSection = WitnessSection()
    timestamp: TimestampSection = TimestampSection()
    evidence: EvidenceSection = EvidenceSection()
    onvif: Onvif = Onvif()
    pace: PaceSection = PaceSection()
    metrics: MetricsSection = MetricsSection()
    cases: CasesSection = CasesSection()
    web: WebSection = WebSection()
    fleet: Fleet = Fleet()
    notify: NotifySection = NotifySection()
    pits: Pits = {}


def default(url: str = "mqtt://127.0.0.1:1883") -> FloorConfig:
    """Without a file: one broker, nobody to be named."""
    return FloorConfig(mqtt=MqttSection(url=url))


def load(path: str | Path) -> FloorConfig:
    """Read and check the file. Raises ConfigError."""
    path = Path(path)
    _, data = read_toml(path, "a floor's")
    return _Reader(path).config(data)


class _Reader(Sections):
    SECTIONS = (
        "mqtt",
        "archive",
        "video",
        "approved",
        "tables",
        "timestamp",
        "evidence",
        "witness",
        "boards",
        "onvif",
        "pace",
        "metrics",
        "cases",
        "web",
        "fleet",
        "notify",
        "pits",
    )

    def config(self, data: dict[str, Any]) -> FloorConfig:
        self.known_keys(data, self.SECTIONS, "")
        if "mqtt" not in data:
            raise self.error("mqtt", 'missing; a floor needs [mqtt] with url = "mqtt://HOST:1883"')
        mqtt = read_mqtt(self, data["mqtt"])
        if mqtt.requests:
            raise self.error("mqtt.requests", "is for tables; a subscriber asks, it answers nothing")
        if mqtt.monotonicns:
            raise self.error("mqtt.monotonicns", "is for tables; a subscriber reads both forms")
        archive: ArchiveSection = self.section(data.get("archive", {}), ArchiveSection, "archive")
        if archive.group and not NAME.match(archive.group):
            raise self.error("archive.group", f"{shown(archive.group)} is no name; letters, digits, - and _ are right")
        try:
            rules(archive.keep)
        except ValueError as error:
            kind, what = error.args
            raise self.error(f"archive.keep.{kind}", what) from None
        video = read_video(self, data["video"]) if "video" in data else FloorVideo()
        approved = read_approved(self, data.get("approved", {}), data.get("tables", {}))
        if "boards" in data:
            approved = self.boards(data["boards"], mqtt.ca, approved)
        witness = read_witness(self, data["witness"]) if "witness" in data else WitnessSection()
        stamped = read_timestamp(self, data["timestamp"]) if "timestamp" in data else TimestampSection()
        onvif = read_onvif(self, data["onvif"], mqtt) if "onvif" in data else Onvif()
        evidence = read_evidence(self, data.get("evidence", {}))
        pace, pits = read_pace(self, data.get("pace", {})), read_pits(self, data.get("pits", {}))
        return FloorConfig(
            mqtt=mqtt,
            archive=archive,
            names_archive="database" in data.get("archive", {}),
            video=video,
            approved=approved,
            timestamp=stamped,
            evidence=evidence,
            witness=witness,
            onvif=onvif,
            pace=pace,
            metrics=read_metrics(self, data.get("metrics", {})),
            cases=read_cases(self, data.get("cases", {})),
            web=read_web(self, data["web"]) if "web" in data else WebSection(),
            fleet=read_fleet(self, data["fleet"]) if "fleet" in data else Fleet(),
            notify=read_notify(self, data["notify"], pace, pits) if "notify" in data else NotifySection(),
            pits=pits,
        )

    def boards(self, data: Any, authority: str, approved: Approved) -> Approved:
        """`[boards]`: the house's list of boards. Raises ConfigError."""
        section: BoardsSection = self.section(data, BoardsSection, "boards")
        if not authority:
            raise self.error("boards.list", "needs mqtt.ca, the house's authority, which has signed the list")
        try:
            return with_boards(approved, announced(self.beside(section.list, "boards.list"), authority))
        except ValueError as error:
            raise self.error("boards.list", str(error)) from None

"""`[pace]` of a FLOOR.toml: local time, shifts, dealers, and the rounds an hour that the house expects."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from pitwatch.daemon.config.sections import Sections, shown

CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)\Z")
DIGITS = 12
"""Of a credential's SHA-256, as in the names of monitors (docs/fairness.md)."""


class PaceSection(msgspec.Struct, frozen=True, kw_only=True):
    """`zone`: an IANA name, empty for the machine's own; `idle_minutes`: so long without a round, and the table counts
    as closed; `dealers`: credentials, or the first 12 digits of their SHA-256; `shifts`: local beginning by name;
    `target`: rounds an hour by game, BOOK/GAME or GAME."""

    zone: str = ""
    idle_minutes: int = 15
    dealers: list[str] = []
    shifts: dict[str, str] = {}
    target: dict[str, float] = {}

    def local(self, at: datetime) -> datetime:
        """The same moment in the house's time."""
        zone: tzinfo | None = ZoneInfo(self.zone) if self.zone else None
        return at.astimezone(zone)

    def shift(self, at: datetime) -> str | None:
        """The shift that works at a moment; None if the house names none."""
        begins = sorted((begin, name) for name, begin in self.shifts.items())
        clock = self.local(at).strftime("%H:%M")
        earlier = [name for begin, name in begins if begin <= clock]
        return (earlier[-1] if earlier else begins[-1][1]) if begins else None

    def until(self, at: datetime) -> datetime:
        """When the next hour or shift begins."""
        here = self.local(at)
        minutes = {0} | {int(begin[3:]) for begin in self.shifts.values()}
        past = timedelta(seconds=here.second, microseconds=here.microsecond)
        return at + min(timedelta(minutes=(each - here.minute - 1) % 60 + 1) for each in minutes) - past

    def dealer(self, credential: str) -> str | None:
        """The digest by which a dealer is shown; None for somebody who is no dealer."""
        digest = sha256(credential.encode()).hexdigest()[:DIGITS]
        return digest if credential in self.dealers or digest in self.dealers else None

    def expects(self, game: str) -> float | None:
        """Rounds an hour of a game; None if the house gives no figure."""
        return self.target.get(game, self.target.get(game.rpartition("/")[2]))


def read_pace(sections: Sections, data: Any) -> PaceSection:
    """Raises ConfigError."""
    section: PaceSection = sections.section(data, PaceSection, "pace")
    if section.zone:
        try:
            ZoneInfo(section.zone)
        except (KeyError, ValueError, OSError):
            raise sections.error(
                "pace.zone", f'{shown(section.zone)} is no zone; such as "America/New_York" is right'
            ) from None
    if not 1 <= section.idle_minutes <= 1440:
        raise sections.error("pace.idle_minutes", f"{section.idle_minutes} is not 1 to 1440")
    for name, begin in section.shifts.items():
        if not CLOCK.match(begin):
            raise sections.error(f"pace.shifts.{name}", f'{shown(begin)} is no time of day; such as "06:00" is right')
        sections.name(name, f"pace.shifts.{name}")
    if len(set(section.shifts.values())) < len(section.shifts):
        raise sections.error("pace.shifts", "two shifts begin at one time; each needs its own")
    for game, rounds in section.target.items():
        if not 0 < rounds < 10_000:
            raise sections.error(f'pace.target."{game}"', f"{rounds} is no number of rounds an hour")
    return section

"""`[notify]` of a FLOOR.toml: who is notified, by which way, of what. Opens no connection."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from pitwatch.daemon.config.sections import Sections, nearest, shown
from pitwatch.floor.pace.config import PaceSection
from pitwatch.floor.pits import Pits, fits
from pitwatch.floor.private_text import private_text

SEVERITIES = ("notice", "warning", "alert", "critical")
KINDS = ("irregularity", "alert", "trouble", "jackpot", "report")
REASONS = ("opened", "raised", "ended", "taken", "closed", "reopened")
WAYS = ("email", "webhook", "ntfy", "gotify", "syslog", "program")
SCHEMES = {
    "email": ("smtp", "smtps"),
    "webhook": ("http", "https"),
    "ntfy": ("http", "https"),
    "gotify": ("http", "https"),
    "syslog": ("udp", "tcp", "tls"),
}
ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+\Z")
LOOPBACK = ("localhost", "127.0.0.1", "::1")

Severity = Literal["notice", "warning", "alert", "critical"]
Way = Literal["email", "webhook", "ntfy", "gotify", "syslog", "program"]


class Receiver(msgspec.Struct, frozen=True, kw_only=True):
    """One `[[notify.to]]`. `severity` at least; `kinds`, `rules`, `tables`, `pits`, `shifts`, `on`: any of them, empty:
    all (`on`: `opened`). Of `rules` and `tables` * stands for anything. `after_minutes`: only of cases that nobody took
    within so many minutes; 0: at once. `cool_down_minutes`: so long nothing more of the same rule and table."""

    name: str
    way: Way
    url: str = ""
    severity: Severity = "alert"
    kinds: list[str] = []
    rules: list[str] = []
    tables: list[str] = []
    pits: list[str] = []
    shifts: list[str] = []
    on: list[str] = []
    after_minutes: float = 0.0
    cool_down_minutes: float = 10.0
    # of some ways alone
    to: list[str] = []
    sender: str = ""
    username: str = ""
    secret_file: str = ""
    topic: str = ""
    ca: str = ""
    plain: bool = False
    command: list[str] = []


class NotifySection(msgspec.Struct, frozen=True, kw_only=True):
    """`link`: address of a case's page, with `{case}` for its number; `give_up_hours`: so long a receiver is tried;
    `timeout_s` of one attempt; `pits`: those of the house."""

    link: str = ""
    give_up_hours: float = 24.0
    timeout_s: float = 15.0
    pits: Pits = {}
    to: tuple[Receiver, ...] = ()


class NotifyKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The section without its receivers, as it stands in the file."""

    link: str = ""
    give_up_hours: float = 24.0
    timeout_s: float = 15.0


def read_notify(sections: Sections, data: Any, house: PaceSection, pits: Pits) -> NotifySection:
    """Paths from here. Raises ConfigError."""
    given = dict(data) if isinstance(data, dict) else data
    receivers = given.pop("to", []) if isinstance(given, dict) else []
    keys: NotifyKeys = sections.section(given, NotifyKeys, "notify")
    if keys.link and (not keys.link.startswith(("http://", "https://")) or "{case}" not in keys.link):
        raise sections.error(
            "notify.link", f'{shown(keys.link)} is no address with {{case}}; "https://HOST/cases/{{case}}"'
        )
    for name, least, most in (("give_up_hours", 0.01, 720), ("timeout_s", 1, 120)):
        if not least <= getattr(keys, name) <= most:
            raise sections.error(f"notify.{name}", f"{getattr(keys, name)} is not {least} to {most}")
    if not isinstance(receivers, list) or not receivers:
        raise sections.error("notify.to", "missing; [[notify.to]] with name and way for each receiver is right")
    read = [_receiver(sections, each, f"notify.to[{at}]", pits, house) for at, each in enumerate(receivers)]
    names = [each.name for each in read]
    for name in names:
        if names.count(name) > 1:
            raise sections.error("notify.to", f"{shown(name)} is the name of two receivers; each needs its own")
    return NotifySection(
        link=keys.link, give_up_hours=keys.give_up_hours, timeout_s=keys.timeout_s, pits=pits, to=tuple(read)
    )


def _receiver(sections: Sections, data: Any, where: str, pits: Pits, house: PaceSection) -> Receiver:
    to: Receiver = sections.section(data, Receiver, where)
    if not to.name.isprintable() or len(to.name) > 64:
        raise sections.error(f"{where}.name", f"{shown(to.name)} is no name of 1 to 64 printable characters")
    known = {"kinds": KINDS, "on": REASONS, "pits": tuple(pits), "shifts": tuple(house.shifts)}
    for key, words in known.items():
        for word in getattr(to, key):
            if word not in words:
                raise sections.error(f"{where}.{key}", f"{shown(word)} is none; {nearest(word, words)}")
    for key in ("after_minutes", "cool_down_minutes"):
        if not 0 <= getattr(to, key) <= 10_080:
            raise sections.error(f"{where}.{key}", f"{getattr(to, key)} is not 0 to 10080 (a week)")
    if to.after_minutes and to.on:
        raise sections.error(
            f"{where}.on", "is for receivers without after_minutes; that one hears of cases nobody took"
        )
    if to.way == "program":
        return _program(sections, to, where)
    _check_url(sections, to, f"{where}.url")
    _needs(sections, to, where)
    files = {
        key: str(sections.beside(getattr(to, key), f"{where}.{key}"))
        for key in ("secret_file", "ca")
        if getattr(to, key)
    }
    to = msgspec.structs.replace(to, **files)
    if to.secret_file:
        try:
            secret_of(to.secret_file)
        except ValueError as error:
            raise sections.error(f"{where}.secret_file", str(error)) from None
    if to.ca and not Path(to.ca).is_file():
        raise sections.error(f"{where}.ca", f"{to.ca}: no such file")
    return to


def _check_url(sections: Sections, to: Receiver, key: str) -> None:
    schemes = SCHEMES[to.way]
    example = f"{schemes[-1]}://HOST"
    try:
        parts = urlsplit(to.url)
        port = parts.port
    except ValueError as error:
        raise sections.error(key, f"{shown(to.url)}: {error}") from None
    if parts.scheme not in schemes or not parts.hostname or port == 0:
        raise sections.error(key, f"{shown(to.url)} is no address for {to.way}; {example} is right")
    if "@" in parts.netloc or parts.fragment or not all("!" <= each <= "~" for each in to.url):
        raise sections.error(
            key, f"{shown(to.url)} has a user, a password, # or other than ASCII letters; leave it out"
        )
    if to.way == "email" and parts.scheme == "smtp" and to.username and to.plain and parts.hostname not in LOOPBACK:
        raise sections.error(key, "sends the password without TLS; leave plain out, or use smtps://")


def _needs(sections: Sections, to: Receiver, where: str) -> None:
    needs = {"email": ("to", "sender"), "ntfy": ("topic",), "gotify": ("secret_file",)}.get(to.way, ())
    for key in needs:
        if not getattr(to, key):
            raise sections.error(f"{where}.{key}", f"missing; {to.way} needs it")
    for key, ways in (
        ("to", "email"),
        ("sender", "email"),
        ("username", "email"),
        ("topic", "ntfy"),
        ("plain", "email"),
    ):
        if getattr(to, key) and to.way != ways:
            raise sections.error(f"{where}.{key}", f"is for {ways}; leave it out")
    if to.command:
        raise sections.error(f"{where}.command", "is for a program; leave it out")
    for address in (*to.to, *([to.sender] if to.sender else [])):
        if not ADDRESS.match(address):
            raise sections.error(f"{where}.to", f"{shown(address)} is no mail address; NAME@HOST is right")
    if to.username and not to.secret_file:
        raise sections.error(f"{where}.secret_file", "missing; the password of username stands in it")


def _program(sections: Sections, to: Receiver, where: str) -> Receiver:
    if not to.command:
        raise sections.error(
            f"{where}.command", 'missing; the program and its arguments, as ["notify-pit", "--urgent"]'
        )
    for key in ("url", "to", "sender", "username", "secret_file", "topic", "ca"):
        if getattr(to, key):
            raise sections.error(f"{where}.{key}", "is not for a program; leave it out")
    program = to.command[0]
    found = shutil.which(str(sections.beside(program, where).absolute()) if "/" in program else program)
    if found is None:
        raise sections.error(f"{where}.command", f"{shown(program)}: no such program that may be run")
    return msgspec.structs.replace(to, command=[found, *to.command[1:]])


def secret_of(file: str) -> str:
    """The one line of a file that nobody else may read. Raises ValueError, which contains nothing of it."""
    secret = private_text(Path(file)).strip()
    if not secret or not secret.isprintable():
        raise ValueError(f"{file}: is not one line of text")
    return secret


def matches(word: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns fits; none fit all."""
    return not patterns or fits(word, patterns)

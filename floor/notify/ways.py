"""The way to each kind of receiver. `send` blocks; `abort` ends it from another thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pitwatch.floor.notify.config import Receiver
from pitwatch.floor.notify.mail import Mail
from pitwatch.floor.notify.notice import Notice
from pitwatch.floor.notify.syslog import Syslog
from pitwatch.floor.notify.web import Web
from pitwatch.floor.outward import Program


class Way(Protocol):
    def send(self, notice: Notice) -> None:
        """Raises OutwardError."""

    def abort(self) -> None: ...


class Command(Program):
    """A program with the notice as JSON on standard input; its arguments are those of the configuration alone."""

    def __init__(self, command: Sequence[str], timeout_s: float):
        super().__init__(timeout_s)
        self._command = command

    def send(self, notice: Notice) -> None:
        self.run(self._command, msgspec.json.encode(notice) + b"\n")


def way_of(to: Receiver, timeout_s: float) -> Way:
    match to.way:
        case "email":
            return Mail(to, timeout_s)
        case "syslog":
            return Syslog(to, timeout_s)
        case "program":
            return Command(to.command, timeout_s)
        case _:
            return Web(to, timeout_s)

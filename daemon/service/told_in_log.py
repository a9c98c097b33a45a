"""What the log says of the table: that it is judged, and each irregularity in one line. Values that were observed are
left out: among them are cards of a round that is still open, and the log has other readers than the broker."""

from __future__ import annotations

import logging
from typing import Any

from pitwatch.daemon.config import Config
from pitwatch.daemon.pipeline.pipeline import Appendable
from pitwatch.rules import house
from pitwatch.rules.game import Game
from pitwatch.rules.records import Irregularity
from pitwatch.rules.text.one_line import one_line

log = logging.getLogger("pitwatch")


def say_ready(config: Config) -> None:
    """The rules are judged from here on."""
    brokers = ", ".join(f"{each.host}:{each.port}" for each in config.brokers)
    log.info("ready: table %s/%s, game %s, broker %s", config.table.site, config.table.id, config.game.path, brokers)


class LoggedJournal:
    """The journal; each irregularity that is appended is a line of the log, too."""

    def __init__(self, journal: Appendable, game: Game):
        self._journal = journal
        self._says = {name: rule.says for name, rule in (house.RULES | game.rules).items()}

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int:
        seq = self._journal.append(kind, subtopic, t_ns, data, retained)
        if isinstance(data, Irregularity):
            says = self._says.get(data.rule.rpartition("/")[2])
            place = "no round" if data.round is None else f"round {data.round}"
            told = f"irregularity: {data.severity}, {data.rule}{f' ({says})' if says else ''}, {place}, record {seq}"
            log.info("%s", one_line(told))
        return seq

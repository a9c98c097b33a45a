"""The dealer's panel: one line for each key. MicroPython subset. Must not know what a key means to the game.

A line is named like its key with "-" for "_" ("no-more-bets"); "hand-<name>" is the key "hand:<name>" and
"report-<rule-id>" is "report:<rule-id>", with the rest of the name unchanged.
"""

from pitwatch.devices.line_device import MS, Input, LineDevice
from pitwatch.devices.vocabulary import KEYS, NAMING_KEYS, is_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"panel.lines": "DealerPanel"}


def key_of(line: str) -> str:
    """The key that a line name stands for, "" if there is none."""
    key = line.replace("-", "_")
    if key in KEYS:
        return key
    for prefix in NAMING_KEYS:
        named = prefix + ":" + line[len(prefix) + 1 :]
        if line.startswith(prefix + "-") and is_key(named):
            return named
    return ""


class DealerPanel(LineDevice):
    """A press is reported once, when the key has been held for some milliseconds; a long press and a second press of
    the same key straight after the first are the same press. A key found pressed at the start was not pressed now."""

    TYPE = "panel"
    EVENTS = ("key_pressed",)
    SETTINGS = {
        "hold_ms": (10, "milliseconds a key must be held to count"),
        "repeat_ms": (250, "milliseconds after a release within which the same key is the same press"),
        "stuck_s": (30, "seconds a key may be held before it counts as stuck"),
    }
    LINES = {
        "no-more-bets": "key: no more bets",
        "round-over": "key: the round is over",
        "no-spin": "key: no spin called",
        "no-roll": "key: no roll called",
        "misdeal": "key: misdeal called",
        "supervisor": "key: supervisor present",
        "dealer-change": "key: dealer relieved",
        "dice-inspected": "key: dice inspected",
        "dice-set-changed": "key: set of dice changed",
        "deck-changed": "key: deck changed",
        "cards-verified": "key: cards verified",
        "hand-shuffled": "key: cards shuffled by hand",
        "collection-taken": "key: collection taken",
        "wheel-serviced": "key: wheel serviced, levelled or changed",
        "hand-*": "key: a winning hand, by name",
        "report-*": "key: a person reports what no device can see, by rule id",
    }

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """Which keys there are is reported too, as `key_pressed:no_more_bets`."""
        return cls.EVENTS + tuple(["key_pressed:" + key_of(line) for line in lines])

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.repeat = self.settings["repeat_ms"] * MS
        self._released: dict[str, int] = {}

    def input_for(self, line: str) -> "Input | None":
        if not key_of(line):
            return None
        return Input(line, hold_ms=self.settings["hold_ms"], stuck_s=self.settings["stuck_s"])

    def on_initial(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        self.on_level(line, level, t, out)

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if not level:
            self._released[line] = t
        elif not self.reading and (line not in self._released or t >= self._released[line] + self.repeat):
            out.append(self.saw(t, "key_pressed", key=key_of(line)))

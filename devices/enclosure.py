"""The switch under the lid of the table's electronics: opened, closed. MicroPython subset.

Must not know who may open it.
"""

from pitwatch.devices.line_device import Input, LineDevice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.observation import Observation

DEVICES = {"enclosure.lines": "Enclosure"}


class Enclosure(LineDevice):
    """Tells the state it finds as well as each change, so that an alert left from before a restart heals."""

    TYPE = "enclosure"
    EVENTS = ("opened", "closed")
    LINES = {"lid": "level: active while the lid is open"}
    REQUIRED = ("lid",)
    REPEATS_STATE = True

    def input_for(self, line: str) -> "Input | None":
        return Input(line) if line == "lid" else None

    def on_initial(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        self.on_level(line, level, t, out)

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        out.append(self.saw(t, "opened" if level else "closed"))

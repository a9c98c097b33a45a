"""An observation of a device: the one value that passes from `devices` to `rules`.

MicroPython subset. Must not know how it was observed (lines or bytes), nor what a game makes of it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Observation:
    """One thing a device saw at one instant.

    t: integer nanoseconds of the board's monotonic clock; device: the configured device id;
    event: a name of DESIGN section 2; data: the event's fields, JSON values only.
    """

    __slots__ = ("t", "device", "event", "data")

    def __init__(self, t: int, device: str, event: str, data: "dict[str, Any] | None" = None):
        self.t = t
        self.device = device
        self.event = event
        self.data: dict[str, Any] = {} if data is None else data

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Observation)
            and self.t == other.t
            and self.device == other.device
            and self.event == other.event
            and self.data == other.data
        )

    def __repr__(self) -> str:
        return "Observation(%d, %r, %r, %r)" % (self.t, self.device, self.event, self.data)

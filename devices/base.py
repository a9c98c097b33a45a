"""The device interface: bytes or edges in with their time, observations out.

MicroPython subset. A device never reads a clock: time comes with the data, and `deadline` is the time it waits for.
"""

from pitwatch.devices.observation import Observation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.protocols.magstripe import Screen

OWN_KEYS = ("id", "type", "link", "protocol", "lines")
"""Keys of every `[[device]]`, which no class may take for its SETTINGS."""


class Device:
    """Base of all devices. Class attributes say what a configuration may ask of it:

    TYPE      device type of DESIGN section 2.
    EVENTS    names of the events this class can produce (besides those every device has).
    SETTINGS  {key: (default, "what it means, with its unit")}: extra keys of its `[[device]]` table.
    OF_TABLE  settings that are the table's option of the same name where the device's own table is silent.
    LINES     {line name or "prefix-*": "what the line carries"}; empty for a byte device.
    EVENT_LINES  {event: lines of which one at least must be wired for it}; an event not named here needs none.
    REQUIRED  line names of which the device is useless without.
    SERIAL    (baud, "8N1") the protocol states; None for a line device.
    POLLED    True if it speaks only when asked: its link is one that may be written to, which no gaming device's is.
    REPEATS_STATE  True if the wire repeats its state, so that a lost piece heals by itself.
    """

    TYPE: "str" = ""
    EVENTS: "tuple[str, ...]" = ()
    SETTINGS: "dict[str, tuple[Any, str]]" = {}
    OF_TABLE: "tuple[str, ...]" = ()
    LINES: "dict[str, str]" = {}
    EVENT_LINES: "dict[str, tuple[str, ...]]" = {}
    REQUIRED: "tuple[str, ...]" = ()
    SERIAL: "tuple[int, str] | None" = None
    POLLED: "bool" = False
    REPEATS_STATE: "bool" = False

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        self.id = device_id
        self.settings = {key: default for key, (default, _) in self.SETTINGS.items()}
        if settings:
            self.settings.update(settings)
        self.deadline: int | None = None  # ns at which tick() wants to be called, or None
        self.understood = 0  # whole messages of a byte device since the start
        self.sister = ""  # protocol of the maker's other device, once this one has recognised it on its port

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """The events the class can produce with these lines wired and these settings; with none named, all it knows."""
        if not lines:
            return cls.EVENTS
        return tuple([event for event in cls.EVENTS if _any_wired(cls.EVENT_LINES.get(event), lines)])

    @classmethod
    def screen(cls) -> "Screen | None":
        """A new filter that the bytes pass before anything else hears, keeps or journals them; None: they need none."""
        return None

    def opened(self, t: int) -> "list[Observation]":
        """The link is there from `t` on: what should speak by itself may be missed."""
        return []

    def feed(self, data: bytes, t: int) -> "list[Observation]":
        """Bytes as they came, however they were split; returns the observations they complete."""
        raise NotImplementedError

    def interrupted(self, t: int) -> "list[Observation]":
        """The link was lost at `t`: what is half received must not be joined to what comes after it."""
        return []

    def initial(self, levels: "dict[str, int]", t: int) -> "list[Observation]":
        """Levels {line: 0|1} read when the lines were opened: a state that holds already is observed, a pulse not."""
        return []

    def edge(self, line: str, level: int, t: int) -> "list[Observation]":
        """A line went to `level` (logical, after active-low) at `t`; returns the observations it completes."""
        raise NotImplementedError

    def tick(self, t: int) -> "list[Observation]":
        """The deadline has passed (or time just went on): returns what the silence means."""
        return []

    def saw(self, t: int, event: str, **data: "Any") -> Observation:
        return Observation(t, self.id, event, data)

    def fault(self, t: int, reason: str, **evidence: "Any") -> Observation:
        evidence["reason"] = reason
        return Observation(t, self.id, "device_fault", evidence)


def _any_wired(wanted: "tuple[str, ...] | None", lines: "tuple[str, ...]") -> bool:
    """Whether one of the wanted lines ("name" or "prefix-*") is among the wired ones."""
    if wanted is None:
        return True
    for name in wanted:
        for line in lines:
            if line == name or (name[-1] == "*" and line[: len(name) - 1] == name[:-1]):
                return True
    return False

"""The present faults of a device, so that each is reported once, when it appears. MicroPython subset.

`device_recovered` has no reason, so it is reported only when the last fault is gone.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.base import Device
    from pitwatch.devices.observation import Observation


class Faults:
    """The faults of one device that hold now; each call returns what is to be reported."""

    def __init__(self, device: "Device") -> None:
        self._device = device
        self._held: set[str] = set()

    def __contains__(self, reason: str) -> bool:
        return reason in self._held

    def set(self, t: int, reason: str, key: str = "", **evidence: object) -> "list[Observation]":
        """`reason` holds from `t`: a `device_fault` unless it held already. `key` distinguishes faults of one reason,
        such as two lines stuck at once; `clear` then takes the key."""
        if (key or reason) in self._held:
            return []
        self._held.add(key or reason)
        return [self._device.fault(t, reason, **evidence)]

    def clear(self, t: int, reason: str) -> "list[Observation]":
        """`reason` no longer holds: `device_recovered` if nothing else does."""
        if reason not in self._held:
            return []
        self._held.remove(reason)
        return [] if self._held else [self._device.saw(t, "device_recovered")]

    def once(self, t: int, reason: str, **evidence: object) -> "list[Observation]":
        """Something was wrong for a moment: the fault, and at once the recovery unless a lasting fault holds."""
        seen = [self._device.fault(t, reason, **evidence)]
        if not self._held:
            seen.append(self._device.saw(t, "device_recovered"))
        return seen


def earliest(*deadlines: "int | None") -> "int | None":
    """The first of several deadlines (ns, or None for none)."""
    pending = [deadline for deadline in deadlines if deadline is not None]
    return min(pending) if pending else None

"""Noise on a device's wire: whether it hid something, the device may say with its next message.

`bytes_discarded` whose `lost` is null is kept back until the device says 0 (it hid nothing, nobody need know) or
anything else; until something is seen that may end a round, which must not be judged as if all of it had been heard; or
until the stream ends. Must not know any device or game.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation

NOISE = "bytes_discarded"
HARMLESS = frozenset((
    "seat_taken", "seat_left", "coin_in", "coin_in_cleared", "credential_presented", "card_placed", "opened", "closed",
    NOISE, "edges_lost", "device_online", "device_offline", "device_fault", "device_recovered",
))  # fmt: skip
"""What another device may say meanwhile: it ends no round and says of none that a card is missing."""


class Noise:
    """Keeps what is not decided yet, the last of each device with its journal sequence."""

    def __init__(self) -> None:
        self.open: dict[str, tuple[int, Observation]] = {}

    def passed(self, seq: int, observation: Observation) -> list[tuple[int, Observation]]:
        """What the rules are to be reported now, in order, each with its sequence."""
        device, data = observation.device, observation.data
        if observation.event == NOISE:
            lost = data.get("lost", -1)
            if lost is None:
                self.open[device] = (seq, observation)
                return []
            self.open.pop(device, None)
            return [] if type(lost) is int and lost == 0 else [(seq, observation)]
        if device not in self.open and observation.event in HARMLESS:
            return [(seq, observation)]
        return [*self.decided(None if observation.event not in HARMLESS else device), (seq, observation)]

    def decided(self, device: str | None = None) -> list[tuple[int, Observation]]:
        """Nobody waits any longer: what was kept back, of one device or of all, counts as heard in part only."""
        which = list(self.open) if device is None else [device]
        return [self.open.pop(each) for each in which if each in self.open]

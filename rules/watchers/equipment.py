"""Equipment under suspicion: a gaming device that reports or shows a fault, an enclosure that is opened."""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules import house
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part

WATCHER = {"turn": 30, "class": "Equipment"}
RULES = ("equipment-malfunction", "tampering-suspected")

NOT_THE_EQUIPMENT = frozenset(
    (
        "silent", "retransmission", "restarted", "malformed_frame", "bad_parity", "bad_length", "wrong_device_on_port",
        "overlapping_pulses", "irregular_pulses", "garbage", "unknown_event", "unknown_code", "unknown_channel",
        "bad_field", "preset_changed", "wrong_mode",
        "unknown_family", "no_serial", "bad_crc", "bad_lrc", "card_refused", "decoder fault", "flood",
    )
)  # fmt: skip
"""Fault reasons that speak of the connection, of set-up or of this program, not of the gaming equipment."""


class Equipment(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._types = {device.id: device.type for device in desk.table.devices}
        self._suspect: set[str] = set()
        self._open: set[str] = set()

    def on_device_fault(self, observation: Observation) -> None:
        """One irregularity a fault, however often the device repeats it before it recovers."""
        reason, device = observation.data.get("reason"), observation.device
        if reason in NOT_THE_EQUIPMENT or device in self._suspect:
            return
        self._suspect.add(device)
        self.desk.breach(
            "equipment-malfunction",
            {"device": device, "type": self._types.get(device), **observation.data},
            {"device": "working properly"},
            once=device,
            always=True,
        )

    def on_device_recovered(self, observation: Observation) -> None:
        self._suspect.discard(observation.device)

    def on_opened(self, observation: Observation) -> None:
        """The book's own rule about tampering, or what every table is held to. One that is still found open as its
        sensor comes back was not opened again."""
        if observation.device in self._open:
            return
        self._open.add(observation.device)
        observed, required = {"device": observation.device, "enclosure": "opened"}, {"enclosure": "closed"}
        if house.TAMPERING in self.desk.game.rules:
            self.desk.breach(house.TAMPERING, observed, required, once=observation.device, always=True)
        else:
            self.desk.out.append(
                house.house_irregularity(self.desk.game, house.ENCLOSURE_OPENED, observed, required, (self.desk.seq,))
            )

    def on_closed(self, observation: Observation) -> None:
        self._open.discard(observation.device)
